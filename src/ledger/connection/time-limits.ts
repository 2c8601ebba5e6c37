/** How long one pool's connections wait, each limit within the next; in milliseconds. */
export interface TimeLimits {
  /** For a lock that somebody else holds: the server then refuses the statement (55P03). */
  readonly lockInMs: number;
  /** For the server to carry one statement out: it then cancels it (57014). */
  readonly statementInMs: number;
  /**
   * For any answer at all, that of a COMMIT included, which the server itself does not limit: a connection
   * that was silent for so long is broken off, since nobody knows whether its statement was done.
   */
  readonly answerInMs: number;
}

/**
 * For what a run does again and again, with at most a group of rows: milliseconds as a rule. One that
 * fails here can still be tried a second time before the run's lease (30 s) is over.
 */
export const briskLimits: TimeLimits = { lockInMs: 5_000, statementInMs: 10_000, answerInMs: 12_000 };

/** For statements about a whole batch of a million rows, on a slow server: reports, joins, bulk updates. */
export const longLimits: TimeLimits = { lockInMs: 30_000, statementInMs: 600_000, answerInMs: 615_000 };

/** For migrations, which may build indexes over everything that there is. */
export const migrationLimits: TimeLimits = {
  lockInMs: 300_000,
  statementInMs: 7_200_000,
  answerInMs: 7_215_000,
};

/** For a connection to be made: name, handshake and password together. */
export const connectInMs = 10_000;

/** For a free connection of the pool, a new one included. */
export const acquireInMs = 15_000;

/** For an idle connection to show that it still leads somewhere. */
export const askInMs = 5_000;

/** For the pools to close: whatever is still under way then has been given up by its caller. */
export const closeInMs = 5_000;
