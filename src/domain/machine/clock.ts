/* Time comes in from outside, so that tests can hold it. */

/** Time and randomness come in from outside, so that tests can hold them. */
export interface ClockPort {
  /** The date of today's UTC day and the time of events. */
  readonly now: () => Date;
  /** Never goes back; only differences mean anything. */
  readonly monotonicInMs: () => number;
}
