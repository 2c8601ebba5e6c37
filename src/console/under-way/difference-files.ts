/* The differences of one reconciliation on disk: a file for each kind, of which any page is read without the others. */

import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { ReplacementFile } from '../../account/files/replacement-file.ts';
import { type DifferenceKind, differenceKinds, type FoundDifference } from '../../domain/rows/difference.ts';
import { linesOf } from '../../domain/text/lines.ts';

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
