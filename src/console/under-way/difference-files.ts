/* The differences of one reconciliation on disk: a file for each kind. Any page can be read without the others. */

import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { ReplacementFile } from '../../account/files/replacement-file.ts';
import {
  type DecisionRecord,
  DecisionsInForce,
  needsVerdict,
} from '../../domain/batches/difference-decisions.ts';
import { type DifferenceKind, differenceKinds, type FoundDifference } from '../../domain/rows/row-state.ts';
import { linesOf } from '../../domain/text/characters.ts';

/** Facts about the differences that are known without reading them. */
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

/** The number of differences between two recorded offsets of a file. */
const step = 100;
/** The maximum number of names that are kept, because the number of names on the other side is not known in advance. */
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

  /** @throws OutputError if the disk is full */
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

  /** Removes the written files. It never throws, because it is called after another error. */
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

/** Which differences are shown: the differences of one kind, the accepted ones, or all open ones. */
export type DifferenceFilter = DifferenceKind | 'accepted' | null;

/** A difference, and the decision about it; null if none exists. */
export interface ShownDifference {
  readonly difference: FoundDifference;
  readonly decision: DecisionRecord | null;
}

/** Differences with the latest decision about each, even if it was made after the differences were found. */
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

/** Differences that a filter shows, with the decision about each. */
export async function* filteredDifferences(
  folder: string,
  index: DifferenceIndex,
  decisions: readonly DecisionRecord[],
  filter: DifferenceFilter,
): AsyncGenerator<ShownDifference> {
  for await (const each of withDecisions(folder, index, decisions)) if (isShown(each, filter)) yield each;
}

/** The number of open differences by kind, the number of accepted ones, and the differences of one page. */
export interface DifferencesNow {
  readonly kinds: readonly { readonly kind: DifferenceKind; readonly count: number }[];
  readonly accepted: number;
  readonly shown: readonly ShownDifference[];
}

/**
 * The differences of a page. If there are no decisions, only that page is read, else all differences are read.
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
