/* Reconciliations that people request. Their files and results are kept like uploads. */

import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReplayFigures } from '../../account/reconciliation/report.ts';
import type { Account, ComparisonFigures } from '../../domain/batches/reconciliation.ts';
import type { TakeDifferences } from '../../domain/rows/row-state.ts';
import type { Message } from '../../domain/settings/message.ts';
import { type DifferenceIndex, DifferenceWriter } from './difference-files.ts';
import { PageProblem } from './failures.ts';
import {
  type ArrivingFile,
  diskProblem,
  type KeptFile,
  keepFiles,
  readKept,
  writeKept,
} from './kept-files.ts';

/** The form fields besides the files. */
export interface ReconcileFields {
  readonly coversFrom: string;
  readonly coversTo: string;
  readonly replay: boolean;
}

/** The result of a reconciliation, for its page. */
export interface FoundByReconciling {
  /** The id of the reconciliation in the ledger. */
  readonly recordedAs: string;
  readonly index: DifferenceIndex;
  readonly account: Account;
  /** Why the uploaded file was not compared; empty if it was. */
  readonly sourceNote: Message;
  /** Null if there was nothing to compare with. */
  readonly comparison: ComparisonFigures | null;
  readonly replay: ReplayFigures;
}

/** One reconciliation. */
export interface KeptReconciliation {
  readonly id: string;
  /** Null if the session ended during the upload, until a person signs in. */
  readonly by: string | null;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The batch as in its address. */
  readonly batch: string;
  readonly files: readonly KeptFile[];
  readonly fields: ReconcileFields;
  /** The result; null until the reconciliation is complete. */
  readonly found: FoundByReconciling | null;
}

/** Comparisons of a batch with other files, before and after one comparison. */
export interface ComparisonsBeside {
  readonly before: KeptReconciliation | null;
  readonly after: KeptReconciliation | null;
}

/** The page that shows the result of a reconciliation, and the files with which the batch was compared. */
export type PageOfReconciliation = Pick<KeptReconciliation, 'id'> & {
  /** Names of the other side's files; empty if there were no files. */
  readonly files: readonly string[];
};

const description = 'reconciliation.json';

/** The reconciliations of a console, in a folder that only its owner may read. */
export class Reconciliations {
  readonly #folder: string;
  readonly #now: () => Date;
  /** The pages of complete reconciliations, by their ids in the ledger; null before the first query. */
  #recorded: Promise<Map<string, PageOfReconciliation>> | null = null;

  constructor(uploadFolder: string, now: () => Date = () => new Date()) {
    this.#folder = join(uploadFolder, 'reconciliations');
    this.#now = now;
  }

  /**
   * Keeps the content of the form; there may be no files.
   * @param fields called once all files have arrived
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
    const kept = await readKept<KeptReconciliation>(this.#folder, id, description);
    if (kept !== undefined) return kept;
    throw new PageProblem(404, 'There is no such reconciliation.', 'Reconcile the batch again.');
  }

  /**
   * The pages of reconciliations, by their ids in the ledger. Reconciliations that were not made in this console have
   * no page.
   */
  async pagesOf(recorded: readonly string[]): Promise<ReadonlyMap<string, PageOfReconciliation>> {
    if (recorded.length === 0) return new Map();
    this.#recorded ??= this.#readRecorded();
    const pages = await this.#recorded;
    return new Map(
      recorded.flatMap((id): [string, PageOfReconciliation][] => {
        const page = pages.get(id);
        return page === undefined ? [] : [[id, page]];
      }),
    );
  }

  async #readRecorded(): Promise<Map<string, PageOfReconciliation>> {
    const recorded = (await this.#all()).flatMap((kept): [string, PageOfReconciliation][] =>
      kept.found === null ? [] : [[kept.found.recordedAs, pageOf(kept)]],
    );
    return new Map(recorded);
  }

  /**
   * The comparison with files directly before this one, and the last comparison with files after it, whose list counts.
   * Each is null if none exists, or if this one has no files.
   */
  async beside(kept: KeptReconciliation): Promise<ComparisonsBeside> {
    if (kept.files.length === 0) return { before: null, after: null };
    const others = (await this.#all())
      .filter(
        ({ id, batch, files, found }) =>
          id !== kept.id && batch === kept.batch && files.length > 0 && found !== null,
      )
      .sort((one, other) => (one.at < other.at ? -1 : 1));
    const last = others.at(-1);
    return {
      before: others.findLast(({ at }) => at < kept.at) ?? null,
      after: last !== undefined && last.at > kept.at ? last : null,
    };
  }

  async #all(): Promise<readonly KeptReconciliation[]> {
    const names = await readdir(this.#folder).catch((): string[] => []);
    const all = await Promise.all(names.map((name) => this.find(name).catch(() => undefined)));
    return all.filter((kept) => kept !== undefined);
  }

  /** The completed reconciliations of a batch, the newest first. */
  async ofBatch(batch: string, most: number): Promise<readonly KeptReconciliation[]> {
    return (await this.#all())
      .filter((kept) => kept.batch === batch && kept.found !== null)
      .sort((one, other) => (one.at < other.at ? 1 : -1))
      .slice(0, most);
  }

  /** Stores the new owner of a reconciliation, its batch, and its form fields. */
  async claim(kept: KeptReconciliation): Promise<void> {
    await this.#write(kept);
  }

  /**
   * Stores the differences of a reconciliation while it is under way, and the rest of its result at the end.
   * @param reconcile called with the receiver of differences
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
      const found = { index, ...rest(result) };
      await this.#write({ ...kept, found });
      if (this.#recorded !== null) (await this.#recorded).set(found.recordedAs, pageOf(kept));
      return result;
    } catch (error) {
      await writer.discard();
      throw error;
    }
  }

  /** Removes a reconciliation without content. */
  async forget(id: string): Promise<void> {
    await rm(this.folderOf(id), { recursive: true, force: true });
  }

  /** Keeps the file of rows in doubt that a reconciliation has just written, with the ids that it has found. */
  async keepVerdicts(id: string, written: string | null): Promise<void> {
    if (written !== null) await copyFile(written, this.verdictsOf(id));
  }

  /** The path of the file that `keepVerdicts` keeps. The file does not exist if no row was in doubt. */
  verdictsOf(id: string): string {
    return join(this.folderOf(id), 'verdicts.csv');
  }

  /** The folder with the files of a reconciliation. */
  folderOf(id: string): string {
    return join(this.#folder, id);
  }

  async #write(kept: KeptReconciliation): Promise<void> {
    try {
      await writeKept(this.#folder, kept, description);
    } catch (error) {
      throw diskProblem(error) ?? error;
    }
  }
}

function pageOf({ id, files }: KeptReconciliation): PageOfReconciliation {
  return { id, files: files.map(({ name }) => name) };
}
