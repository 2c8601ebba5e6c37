/** How far the clock that noted a first send may be ahead of the clock that asks now. */
const toleratedClockSkewInMs = 5 * 60_000;

/**
 * So much younger than its lifetime a key has to be whose request is sent again although its object is there: a
 * mistake would create a second one, and nothing but facts is won. Half is for the clocks, half for the way.
 */
const marginInMs = 2 * toleratedClockSkewInMs;

/** How old a key may be at most whose object is there, for its request to be sent again. */
export function repeatableAgeInMs(lifetimeInMs: number): number {
  return Math.max(0, lifetimeInMs - marginInMs);
}

const unitsInMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** An idempotency key's first use, and how long the API is trusted to remember it. */
export interface KeyAge {
  /** Null when the key was never sent. */
  readonly firstSentAt: Date | null;
  readonly now: Date;
  readonly lifetimeInMs: number;
}

/**
 * How much longer a request may be sent again under its key without a person's word, counted from its
 * first send and not from its latest.
 *
 * @returns milliseconds; 0 when the key is too old, or when its first send lies so far in the future that
 *   a clock is wrong and its age cannot be told; the whole lifetime for a key that was never sent
 */
export function remainingLifetimeInMs({ firstSentAt, now, lifetimeInMs }: KeyAge): number {
  if (firstSentAt === null) return lifetimeInMs;
  const ageInMs = now.getTime() - firstSentAt.getTime();
  if (ageInMs < -toleratedClockSkewInMs) return 0;
  return Math.max(0, lifetimeInMs - Math.max(ageInMs, 0));
}

/** Whether a row may be sent under its key: it was never sent, or its key is young enough. */
export function mayResend(age: KeyAge): boolean {
  return age.firstSentAt === null || remainingLifetimeInMs(age) > 0;
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
