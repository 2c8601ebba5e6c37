import { parsedJson, valueAtPath } from '../../domain/sending/answer.ts';

/** Whether an object was there before its request was sent again. */
export type Origin = 'existed_before' | 'created_by_replay' | 'not_known';

/** How far the API's clock may be ahead of the ledger's, in ms; negative where it is behind. */
export interface ClockSkew {
  readonly leastInMs: number;
  readonly mostInMs: number;
}

/** What is assumed of two clocks about which nothing is known. */
export const assumedSkew: ClockSkew = { leastInMs: -5 * 60_000, mostInMs: 5 * 60_000 };

/** Added to either side of a measured skew: the dates of some APIs are rounded to seconds. */
const marginInMs = 1_000;

/** Where an answer may say when its object was made. */
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
 * How far the API's clock is from the ledger's, judged by objects whose single request and recording the
 * ledger has timed; the widest range that any of them allows.
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
 * Whether an object was made before the replay began or by it. Only where no reading of the two clocks
 * allows the other answer; otherwise its origin is not known.
 */
export function originOf(createdAt: Date | null, replayBegan: Date, skew: ClockSkew): Origin {
  if (createdAt === null) return 'not_known';
  const earliest = createdAt.getTime() - skew.mostInMs;
  const latest = createdAt.getTime() - skew.leastInMs;
  if (latest < replayBegan.getTime()) return 'existed_before';
  return earliest >= replayBegan.getTime() ? 'created_by_replay' : 'not_known';
}
