/* Time is passed in, so that tests can control it. */

/** Time and randomness are passed in, so that tests can control them. */
export interface ClockPort {
  /** The date of the current UTC day and the time of events. */
  readonly now: () => Date;
  /** Never goes back; only differences are meaningful. */
  readonly monotonicInMs: () => number;
}
