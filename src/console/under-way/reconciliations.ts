/* Reconciliations that people request: their files and results, kept like uploads. */

import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ReplacementFile } from '../../account/files/replacement-file.ts';
import type { ReplayFigures } from '../../account/reconciliation/report.ts';
import {
  type DecisionRecord,
  DecisionsInForce,
  needsVerdict,
} from '../../domain/batches/difference-decisions.ts';
import type { Account, ComparisonFigures } from '../../domain/batches/reconciliation.ts';
import {
  type DifferenceKind,
  differenceKinds,
  type FoundDifference,
  type TakeDifferences,
} from '../../domain/rows/row-state.ts';
import type { Message } from '../../domain/settings/message.ts';
import { linesOf } from '../../domain/text/characters.ts';
import { PageProblem } from './failures.ts';
import { type ArrivingFile, diskProblem, type KeptFile, keepFiles } from './uploads.ts';

/* The differences of one reconciliation on disk: a file for each kind, of which any page is read without the others. */

/** The facts about the differences without reading them. */
export interface DifferenceIndex {
  readonly kinds: readonly {
    readonly kind: DifferenceKind;
    readonly count: number;
    /** The offset of every `step`th difference in the file, in bytes. */
    readonly offsets: readonly number[];
  }[];
  /** The names of all compared values, in order of occurrence. */
  readonly names: readonly string[];
}

/** The number of differences between two known offsets of a file. */
const step = 100;
/** The most names that are kept, since the other side's names are not known in advance. */
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

  /** @throws OutputError where the disk is full */
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

  /** Gives the files their final names, and returns their index. @throws OutputError */
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

  /** Removes the written files. It never throws, since it is called after another error. */
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

/** The number of differences of one kind or of all. */
export function countOfDifferences(
  { kinds }: Pick<DifferencesNow, 'kinds'>,
  kind: DifferenceKind | null,
): number {
  return kinds
    .filter((each) => kind === null || each.kind === kind)
    .reduce((sum, { count }) => sum + count, 0);
}

/**
 * Differences of one kind or of all, the most urgent kinds first.
 * @param from the number of differences to skip
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

/** Which differences are shown: those of one kind, those that were accepted, or all open ones. */
export type DifferenceFilter = DifferenceKind | 'accepted' | null;

/** A difference, and what was decided about it; null for nothing. */
export interface ShownDifference {
  readonly difference: FoundDifference;
  readonly decision: DecisionRecord | null;
}

/** Differences with what was decided about them since, whatever was decided when they were found. */
async function* withDecisions(
  folder: string,
  index: DifferenceIndex,
  decisions: readonly DecisionRecord[],
): AsyncGenerator<ShownDifference> {
  const inForce = new DecisionsInForce(decisions);
  for await (const difference of readDifferences(folder, index, null)) {
    yield { difference, decision: needsVerdict(difference) ? null : inForce.take(difference) };
  }
}

function isShown({ difference, decision }: ShownDifference, filter: DifferenceFilter): boolean {
  const isAccepted = decision?.decision === 'accepted';
  if (filter === 'accepted') return isAccepted;
  return !isAccepted && (filter === null || difference.kind === filter);
}

/** Differences that a filter shows, with what was decided about them. */
export async function* filteredDifferences(
  folder: string,
  index: DifferenceIndex,
  decisions: readonly DecisionRecord[],
  filter: DifferenceFilter,
): AsyncGenerator<ShownDifference> {
  for await (const each of withDecisions(folder, index, decisions)) if (isShown(each, filter)) yield each;
}

/** How many differences are open, by kind, how many are accepted, and those of one page. */
export interface DifferencesNow {
  readonly kinds: readonly { readonly kind: DifferenceKind; readonly count: number }[];
  readonly accepted: number;
  readonly shown: readonly ShownDifference[];
}

/**
 * The differences of a page. Without a decision only that page is read, else all of them are.
 * @param from the number of differences to skip
 */
export async function differencesNow(
  folder: string,
  index: DifferenceIndex,
  decisions: readonly DecisionRecord[],
  { filter, from, most }: { readonly filter: DifferenceFilter; readonly from: number; readonly most: number },
): Promise<DifferencesNow> {
  const shown: ShownDifference[] = [];
  if (new DecisionsInForce(decisions).isEmpty) {
    if (filter === 'accepted') return { kinds: index.kinds, accepted: 0, shown };
    for await (const difference of readDifferences(folder, index, filter, from)) {
      shown.push({ difference, decision: null });
      if (shown.length >= most) break;
    }
    return { kinds: index.kinds, accepted: 0, shown };
  }
  const open = new Map<DifferenceKind, number>();
  let [accepted, passed] = [0, 0];
  for await (const each of withDecisions(folder, index, decisions)) {
    const { kind } = each.difference;
    if (each.decision?.decision === 'accepted') accepted += 1;
    else open.set(kind, (open.get(kind) ?? 0) + 1);
    if (!isShown(each, filter)) continue;
    if (passed >= from && shown.length < most) shown.push(each);
    passed += 1;
  }
  const kinds = index.kinds.flatMap(({ kind }) => {
    const count = open.get(kind) ?? 0;
    return count === 0 ? [] : [{ kind, count }];
  });
  return { kinds, accepted, shown };
}

function pathOf(folder: string, kind: DifferenceKind): string {
  return join(folder, `${kind}.jsonl`);
}

/** The form fields besides the files. */
export interface ReconcileFields {
  readonly coversFrom: string;
  readonly coversTo: string;
  readonly replay: boolean;
}

/** The result, for its page. */
export interface FoundByReconciling {
  /** Its id in the ledger. */
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
  /** As in its address. */
  readonly batch: string;
  readonly files: readonly KeptFile[];
  readonly fields: ReconcileFields;
  /** Null until it is complete. */
  readonly found: FoundByReconciling | null;
}

const description = 'reconciliation.json';

/** The reconciliations of a console, in a folder that only its owner may read. */
export class Reconciliations {
  readonly #folder: string;
  readonly #now: () => Date;
  /** The ids of complete ones, by their ids in the ledger; null before the first query. */
  #recorded: Promise<Map<string, string>> | null = null;

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
    const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
    const text = isId
      ? await readFile(join(this.folderOf(id), description), 'utf8').catch(() => undefined)
      : undefined;
    if (text === undefined) {
      throw new PageProblem(404, 'There is no such reconciliation.', 'Reconcile the batch again.');
    }
    return JSON.parse(text);
  }

  /** The ids of pages, by the ids of reconciliations in the ledger. Those that were not made here have none. */
  async pagesOf(recorded: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (recorded.length === 0) return new Map();
    this.#recorded ??= this.#readRecorded();
    const pages = await this.#recorded;
    return new Map(
      recorded.flatMap((id): [string, string][] => {
        const page = pages.get(id);
        return page === undefined ? [] : [[id, page]];
      }),
    );
  }

  async #readRecorded(): Promise<Map<string, string>> {
    const recorded = (await this.#all()).flatMap(({ id, found }): [string, string][] =>
      found === null ? [] : [[found.recordedAs, id]],
    );
    return new Map(recorded);
  }

  async #all(): Promise<readonly KeptReconciliation[]> {
    const names = await readdir(this.#folder).catch((): string[] => []);
    const all = await Promise.all(names.map((name) => this.find(name).catch(() => undefined)));
    return all.filter((kept) => kept !== undefined);
  }

  /** The completed ones of a batch, the newest first. */
  async ofBatch(batch: string, most: number): Promise<readonly KeptReconciliation[]> {
    return (await this.#all())
      .filter((kept) => kept.batch === batch && kept.found !== null)
      .sort((one, other) => (one.at < other.at ? 1 : -1))
      .slice(0, most);
  }

  /** Stores the new owner of one, its batch, and its form fields. */
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
      if (this.#recorded !== null) (await this.#recorded).set(found.recordedAs, kept.id);
      return result;
    } catch (error) {
      await writer.discard();
      throw error;
    }
  }

  /** Removes one without content. */
  async forget(id: string): Promise<void> {
    await rm(this.folderOf(id), { recursive: true, force: true });
  }

  /** Keeps the file of rows in doubt that a reconciliation has just written, with the ids that it has found. */
  async keepVerdicts(id: string, written: string | null): Promise<void> {
    if (written !== null) await copyFile(written, this.verdictsOf(id));
  }

  /** The file that `keepVerdicts` keeps; there is none where no row was in doubt. */
  verdictsOf(id: string): string {
    return join(this.folderOf(id), 'verdicts.csv');
  }

  /** The folder with the files of one. */
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
