import type { ClockPort } from '../ports.ts';

/** A point in time by both clocks. */
export interface Moment {
  readonly monotonicInMs: number;
  readonly calendarInMs: number;
}

export function momentOf(clock: ClockPort): Moment {
  return { monotonicInMs: clock.monotonicInMs(), calendarInMs: clock.now().getTime() };
}

/** The point in time so many milliseconds before another. */
export function earlier({ monotonicInMs, calendarInMs }: Moment, byInMs: number): Moment {
  return { monotonicInMs: monotonicInMs - byInMs, calendarInMs: calendarInMs - byInMs };
}

/**
 * Milliseconds since a moment, by the clock that says more: the monotonic one does not count while a machine
 * sleeps, and the calendar may be set back.
 */
export function elapsedInMs(since: Moment, clock: ClockPort): number {
  const now = momentOf(clock);
  return Math.max(now.monotonicInMs - since.monotonicInMs, now.calendarInMs - since.calendarInMs);
}
