export interface RetryBudgetSettings {
  /** Retries that a run may make before it has earned any. */
  readonly initialRetries: number;
  /** What each request earns: 0.2 allows one retry for five requests. */
  readonly retriesPerRequest: number;
  /** What time earns, so that the last rows of a bad run are not stuck. */
  readonly retriesPerSecond: number;
  /** Retries that can be saved up. */
  readonly capacity: number;
}

export const defaultRetryBudget: RetryBudgetSettings = {
  initialRetries: 20,
  retriesPerRequest: 0.2,
  retriesPerSecond: 10,
  capacity: 100,
};

/**
 * Keeps a run's retries from multiplying the load on an API that is in trouble. A retry beyond the budget
 * is put off, not given up: giving up would leave rows `unknown` that one more try would have cleared.
 */
export interface RetryBudget {
  readonly earn: () => void;
  /** Takes one retry and says how long it has to wait for it, in milliseconds; 0 while there is budget. */
  readonly spend: (nowInMs: number) => number;
}

export function createRetryBudget(settings: RetryBudgetSettings = defaultRetryBudget): RetryBudget {
  let balance = settings.initialRetries;
  let creditedAtInMs: number | null = null;
  const credit = (retries: number) => {
    balance = Math.min(settings.capacity, balance + retries);
  };
  return {
    earn: () => credit(settings.retriesPerRequest),
    spend(nowInMs) {
      credit(((nowInMs - (creditedAtInMs ?? nowInMs)) / 1000) * settings.retriesPerSecond);
      creditedAtInMs = nowInMs;
      balance -= 1;
      return balance >= 0 ? 0 : (-balance / settings.retriesPerSecond) * 1000;
    },
  };
}
