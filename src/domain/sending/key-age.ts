/** How long after its first send a row may be sent again under its key without a person's word. */
export interface KeyLifetime {
  readonly durationInMs: number;
  /** Nobody has stated how long the API of a live environment remembers its keys: it is a cautious assumption. */
  readonly isAssumed: boolean;
}

/**
 * Where nobody has stated it. Providers keep keys for anything from ten minutes to thirty days: in live mode a longer
 * guess could create an object twice.
 */
const unstatedInMs = { sandbox: 24 * 3_600_000, live: 10 * 60_000 } as const;

/** @param statedInMs what somebody has stated of the API; undefined where nobody has */
export function keyLifetimeOf(mode: keyof typeof unstatedInMs, statedInMs: number | undefined): KeyLifetime {
  return {
    durationInMs: statedInMs ?? unstatedInMs[mode],
    isAssumed: statedInMs === undefined && mode === 'live',
  };
}

/** How far the clock that noted a first send may be ahead of the clock that asks now; the ledger's claims bear as much. */
const toleratedClockSkewInMs = 5 * 60_000;

/**
 * So much younger than its lifetime a key has to be whose request is sent again although its object is there: a
 * mistake would create a second one, and nothing but facts is won. Half is for the clocks, half for the way.
 */
const marginInMs = 2 * toleratedClockSkewInMs;

/**
 * How old a key may be at most whose object is there, for its request to be sent again.
 * @returns null where the lifetime of keys is an assumption: nothing is risked on that
 */
export function repeatableAgeInMs({ durationInMs, isAssumed }: KeyLifetime): number | null {
  return isAssumed ? null : Math.max(0, durationInMs - marginInMs);
}

const unitsInMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * A duration as an option takes it, in the largest unit that needs no fraction: `36h`, but `7d` for 168 hours.
 * @param durationInMs a whole number
 */
export function durationOption(durationInMs: number): string {
  const units = Object.entries(unitsInMs).sort(([, left], [, right]) => right - left);
  const [unit, unitInMs] = units.find(([, each]) => durationInMs % each === 0) ?? ['ms', 1];
  return `${durationInMs / unitInMs}${unit}`;
}

/**
 * Reads a duration as people write it in options: a whole number and one of `ms`, `s`, `m`, `h`, `d`.
 *
 * @returns milliseconds, or null when the text is no duration or too long to count exactly
 */
export function parseDuration(text: string): number | null {
  const match = /^(\d+)(ms|s|m|h|d)$/.exec(text.trim());
  const unitInMs = unitsInMs[match?.[2] ?? ''];
  if (match === null || unitInMs === undefined) return null;
  const durationInMs = Number(match[1]) * unitInMs;
  return Number.isSafeInteger(durationInMs) ? durationInMs : null;
}
