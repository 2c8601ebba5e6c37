/* What the second answer to a request shows about the first one. */

import type { origins, RowOrigin } from '../domain/batches/reconciliation.ts';
import type { MissingFactsReason, RefilledFacts } from '../domain/rows/result-row.ts';
import type { RowState } from '../domain/rows/row-state.ts';
import { parsedJson, valueAtPath } from '../domain/sending/answer.ts';
import { type Message, say } from '../domain/settings/message.ts';

/** Whether an object existed before its request was sent again. */
export type Origin = (typeof origins)[number];

/** How far the API's clock may be ahead of the ledger's, in ms; negative where it is behind. */
interface ClockSkew {
  readonly leastInMs: number;
  readonly mostInMs: number;
}

/** The assumed difference of two unknown clocks. */
export const assumedSkew: ClockSkew = { leastInMs: -5 * 60_000, mostInMs: 5 * 60_000 };

/** Added to either side of a measured skew: the dates of some APIs are rounded to seconds. */
const marginInMs = 1_000;

/** The fields of an answer that may have its object's creation date. */
const datePaths = ['data.date_created', 'date_created', 'customer.date_created'];

/** The moment of creation that an answer states, or null where it states none. */
export function creationDateOf(answer: string | null): Date | null {
  const json = parsedJson(answer);
  for (const path of datePaths) {
    const value = valueAtPath(json, path);
    const date = typeof value === 'string' ? new Date(value) : null;
    if (date !== null && !Number.isNaN(date.getTime())) return date;
  }
  return null;
}

/**
 * How far the API's clock is from the ledger's, measured by objects whose single request and recording the ledger has
 * timed; the widest range of all of them.
 */
export function measureSkew(
  samples: readonly { readonly answer: string; readonly sentAt: string; readonly recordedAt: string }[],
): ClockSkew {
  const ranges = samples.flatMap(({ answer, sentAt, recordedAt }) => {
    const created = creationDateOf(answer)?.getTime();
    return created === undefined
      ? []
      : [{ least: created - Date.parse(recordedAt), most: created - Date.parse(sentAt) }];
  });
  if (ranges.length === 0) return assumedSkew;
  return {
    leastInMs: Math.min(...ranges.map(({ least }) => least)) - marginInMs,
    mostInMs: Math.max(...ranges.map(({ most }) => most)) + marginInMs,
  };
}

/**
 * Whether an object was created before the replay or by it. The origin is known only if no possible clock difference
 * allows the other answer.
 */
export function originOf(createdAt: Date | null, replayBegan: Date, skew: ClockSkew): Origin {
  if (createdAt === null) return 'not_known';
  const earliest = createdAt.getTime() - skew.mostInMs;
  const latest = createdAt.getTime() - skew.leastInMs;
  if (latest < replayBegan.getTime()) return 'existed_before';
  return earliest >= replayBegan.getTime() ? 'created_by_replay' : 'not_known';
}

/** A row that a replay sent again, in its state afterwards. */
interface ReplayedRow {
  readonly row: number;
  readonly state: RowState;
  readonly objectId: string | null;
  /** The answer that created or confirmed it. */
  readonly answer: string | null;
}

/** The result of a replay: the number of rows by origin, and the first rows. */
export interface ReplayResult {
  readonly rows: number;
  /** By origin, in the order in which they occur; null while no answer has confirmed the object. */
  readonly origins: ReadonlyMap<Origin | null, number>;
  readonly first: readonly RowOrigin[];
  readonly facts: RefilledFacts;
}

/** The text about facts that are still missing. */
export const missingFactsTexts: Readonly<Record<MissingFactsReason, Message>> = {
  not_proven: 'nothing proves that the API created the object by this very request',
  other_credential: 'sent under another API key',
  lifetime_not_stated: say`it is not stated how long the API keeps its keys (${{ setting: 'keyLifetime' }})`,
  key_too_old: 'the key is too old to be sent again safely',
  other_object: 'the API named another object, so it does not remember its keys',
  refused: 'the API refused to repeat its answer',
  no_answer: 'no conclusive answer came',
  too_large: 'the answer is too large to be kept',
  not_asked: 'not asked, since the run ended before, or no answer was repeated',
};

const nothingRefilled: RefilledFacts = { filled: 0, missing: new Map() };

export const nothingReplayed: ReplayResult = {
  rows: 0,
  origins: new Map(),
  first: [],
  facts: nothingRefilled,
};

/** The most rows that are listed one by one; a batch may have a million. */
const originsKept = 1_000;

/** Counts the rows of a replay by origin, and keeps the first of them. */
export async function countOrigins(
  groups: AsyncIterable<readonly RowOrigin[]>,
): Promise<Omit<ReplayResult, 'facts'>> {
  const origins = new Map<Origin | null, number>();
  const first: RowOrigin[] = [];
  let rows = 0;
  for await (const group of groups) {
    rows += group.length;
    first.push(...group.slice(0, originsKept - first.length));
    for (const { origin } of group) origins.set(origin, (origins.get(origin) ?? 0) + 1);
  }
  return { rows, origins, first };
}

/** The text about an object's origin. */
export const originTexts: Readonly<Record<Origin, string>> = {
  existed_before: 'existed before',
  created_by_replay: 'new, created by this replay',
  not_known: 'origin not known',
};

/**
 * Finds for each replayed row whether its object existed before.
 * @param began when the replay's run began, by the ledger's clock
 * @param timed answers whose sending and recording the ledger has timed, to measure the clocks' difference
 */
export function judgeReplay(
  rows: readonly ReplayedRow[],
  began: Date,
  timed: Parameters<typeof measureSkew>[0],
): RowOrigin[] {
  const skew: ClockSkew = measureSkew(timed);
  return rows.map(({ row, state, objectId, answer }) => ({
    row,
    state,
    objectId,
    origin: state === 'created' ? originOf(creationDateOf(answer), began, skew) : null,
  }));
}
