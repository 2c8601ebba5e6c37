/* Reconciliations that people ask for: the files that they compare with, and what was found, kept like uploads. */

import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ReplacementFile } from '../../account/files/replacement-file.ts';
import type { ReplayFigures } from '../../account/reconciliation/report.ts';
import type { Account, ComparisonFigures } from '../../domain/batches/reconciliation.ts';
import {
  type DifferenceKind,
  differenceKinds,
  type FoundDifference,
  type TakeDifferences,
} from '../../domain/rows/difference.ts';
import { linesOf } from '../../domain/text/characters.ts';
import { PageProblem } from './failures.ts';
import { type ArrivingFile, diskProblem, type KeptFile, keepFiles } from './uploads.ts';

/* The differences of one reconciliation on disk: a file for each kind, of which any page is read without the others. */

/** What is known of the differences without reading them. */
export interface DifferenceIndex {
  readonly kinds: readonly {
    readonly kind: DifferenceKind;
    readonly count: number;
    /** Where every so many differences begin in the file, in bytes. */
    readonly offsets: readonly number[];
  }[];
  /** The names of all values that are compared, in the order in which they occurred. */
  readonly names: readonly string[];
}

/** Between two known places of a file there are so many differences. */
const step = 100;
/** More names than a file has columns do not occur; nobody knows what another side brings. */
const mostNames = 1_500;

interface OpenKind {
  readonly file: ReplacementFile;
  readonly offsets: number[];
  bytes: number;
  count: number;
}

/** Writes differences as they are found. */
export class DifferenceWriter {
  readonly #folder: string;
  readonly #kinds = new Map<DifferenceKind, OpenKind>();
  readonly #names = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws OutputError where the disk takes no more */
  async write(found: readonly FoundDifference[]): Promise<void> {
    for (const difference of found) {
      const kind = await this.#kindOf(difference.kind);
      if (kind.count % step === 0) kind.offsets.push(kind.bytes);
      const line = `${JSON.stringify(difference)}\n`;
      await kind.file.write(line);
      kind.bytes += Buffer.byteLength(line);
      kind.count += 1;
      for (const { name } of difference.values) if (this.#names.size < mostNames) this.#names.add(name);
    }
  }

  /** Gives the files their names, and tells what is in them. @throws OutputError */
  async finish(): Promise<DifferenceIndex> {
    for (const { file } of this.#kinds.values()) {
      await file.complete();
      await file.publish();
    }
    return {
      kinds: differenceKinds.flatMap((kind) => {
        const written = this.#kinds.get(kind);
        return written === undefined ? [] : [{ kind, count: written.count, offsets: written.offsets }];
      }),
      names: [...this.#names],
    };
  }

  /** Removes what was written. It is called when something else has failed, which is why it never throws. */
  async discard(): Promise<void> {
    for (const { file } of this.#kinds.values()) await file.discard();
  }

  async #kindOf(kind: DifferenceKind): Promise<OpenKind> {
    const written = this.#kinds.get(kind);
    if (written !== undefined) return written;
    const file = await ReplacementFile.create(pathOf(this.#folder, kind));
    const begun = { file, offsets: [], bytes: 0, count: 0 };
    this.#kinds.set(kind, begun);
    return begun;
  }
}

/** How many differences there are, of one kind or of all. */
export function countOfDifferences({ kinds }: DifferenceIndex, kind: DifferenceKind | null): number {
  return kinds
    .filter((each) => kind === null || each.kind === kind)
    .reduce((sum, { count }) => sum + count, 0);
}

/**
 * Differences of one kind or of all, the most urgent kinds first.
 * @param from so many are passed over
 */
export async function* readDifferences(
  folder: string,
  { kinds }: DifferenceIndex,
  kind: DifferenceKind | null,
  from = 0,
): AsyncGenerator<FoundDifference> {
  let skipped = from;
  for (const each of kinds) {
    if (kind !== null && each.kind !== kind) continue;
    if (skipped >= each.count) {
      skipped -= each.count;
      continue;
    }
    const at = Math.floor(skipped / step);
    yield* differencesFrom(pathOf(folder, each.kind), each.offsets[at] ?? 0, skipped - at * step);
    skipped = 0;
  }
}

async function* differencesFrom(
  path: string,
  start: number,
  skipped: number,
): AsyncGenerator<FoundDifference> {
  let number = 0;
  for await (const line of linesOf(createReadStream(path, { start, encoding: 'utf8' }))) {
    if (number >= skipped) yield JSON.parse(line);
    number += 1;
  }
}

function pathOf(folder: string, kind: DifferenceKind): string {
  return join(folder, `${kind}.jsonl`);
}

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
