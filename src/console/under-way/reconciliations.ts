/* Reconciliations that people ask for: the files that they compare with, and what was found, kept like uploads. */

import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReplayFigures } from '../../account/reconciliation/report.ts';
import type { Account, ComparisonFigures } from '../../domain/batches/reconciliation.ts';
import type { TakeDifferences } from '../../domain/rows/difference.ts';
import { type DifferenceIndex, DifferenceWriter } from './difference-files.ts';
import { PageProblem } from './failures.ts';
import { type ArrivingFile, diskProblem, type KeptFile, keepFiles } from './kept-files.ts';

/** What somebody fills in beside the files. */
export interface ReconcileFields {
  readonly coversFrom: string;
  readonly coversTo: string;
  readonly replay: boolean;
}

/** What was found, as its page tells it. */
export interface FoundByReconciling {
  readonly index: DifferenceIndex;
  readonly account: Account;
  /** Why the uploaded file was not compared; empty where it was. */
  readonly sourceNote: string;
  /** Null where there was nothing to compare with. */
  readonly comparison: ComparisonFigures | null;
  readonly replay: ReplayFigures;
}

/** One reconciliation. */
export interface KeptReconciliation {
  readonly id: string;
  /** Null until somebody signs in again whose session ended while the files came. */
  readonly by: string | null;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** As its address names it. */
  readonly batch: string;
  readonly files: readonly KeptFile[];
  readonly fields: ReconcileFields;
  /** Null until it has come to its end. */
  readonly found: FoundByReconciling | null;
}

const description = 'reconciliation.json';

/** The reconciliations of a console, in a folder that only its owner may read. */
export class Reconciliations {
  readonly #folder: string;
  readonly #now: () => Date;

  constructor(uploadFolder: string, now: () => Date = () => new Date()) {
    this.#folder = join(uploadFolder, 'reconciliations');
    this.#now = now;
  }

  /**
   * Keeps what came with the form; there may be no files.
   * @param fields asked for once all files are here
   * @throws PageProblem
   */
  async keep(
    { by, batch }: Pick<KeptReconciliation, 'by' | 'batch'>,
    arriving: AsyncIterable<ArrivingFile>,
    fields: () => ReconcileFields,
  ): Promise<KeptReconciliation> {
    const id = randomUUID();
    const files = await keepFiles(this.folderOf(id), arriving);
    const kept = { id, by, at: this.#now().toISOString(), batch, files, fields: fields(), found: null };
    try {
      await mkdir(this.folderOf(id), { recursive: true, mode: 0o700 });
      await this.#write(kept);
      return kept;
    } catch (error) {
      await this.forget(id).catch(() => {});
      throw diskProblem(error) ?? error;
    }
  }

  /** @throws PageProblem */
  async find(id: string): Promise<KeptReconciliation> {
    const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
    const text = isId
      ? await readFile(join(this.folderOf(id), description), 'utf8').catch(() => undefined)
      : undefined;
    if (text === undefined) {
      throw new PageProblem(404, 'There is no such reconciliation.', 'Reconcile the batch again.');
    }
    return JSON.parse(text);
  }

  /** Those of a batch that have come to their end, the newest first. */
  async ofBatch(batch: string, most: number): Promise<readonly KeptReconciliation[]> {
    const names = await readdir(this.#folder).catch((): string[] => []);
    const all = await Promise.all(names.map((name) => this.find(name).catch(() => undefined)));
    return all
      .flatMap((kept) => (kept?.batch === batch && kept.found !== null ? [kept] : []))
      .sort((one, other) => (one.at < other.at ? 1 : -1))
      .slice(0, most);
  }

  /** Keeps whose one is from now on, of which batch, and what was filled in with it. */
  async claim(kept: KeptReconciliation): Promise<void> {
    await this.#write(kept);
  }

  /**
   * Keeps what a reconciliation finds while it is under way, and the rest of it at its end.
   * @param reconcile is given what takes the differences
   */
  async note<Result>(
    kept: KeptReconciliation,
    reconcile: (take: TakeDifferences) => Promise<Result>,
    rest: (result: Result) => Omit<FoundByReconciling, 'index'>,
  ): Promise<Result> {
    const writer = new DifferenceWriter(this.folderOf(kept.id));
    try {
      const result = await reconcile((found) => writer.write(found));
      const index = await writer.finish();
      await this.#write({ ...kept, found: { index, ...rest(result) } });
      return result;
    } catch (error) {
      await writer.discard();
      throw error;
    }
  }

  /** Leaves out one that came with nothing of its own. */
  async forget(id: string): Promise<void> {
    await rm(this.folderOf(id), { recursive: true, force: true });
  }

  /** Where the files of one are. */
  folderOf(id: string): string {
    return join(this.#folder, id);
  }

  async #write(kept: KeptReconciliation): Promise<void> {
    const path = join(this.folderOf(kept.id), description);
    try {
      await writeFile(`${path}.new`, JSON.stringify(kept), { mode: 0o600 });
      await rename(`${path}.new`, path);
    } catch (error) {
      throw diskProblem(error) ?? error;
    }
  }
}
