import { afterEach, beforeEach, vi } from 'vitest';
import { systemTiming } from '../../src/api/limiters.ts';

/** How much faster time passes. */
const faster = 20;

/**
 * Has time pass faster for all that waits before the next request, in the tests of the file: retries, and the pauses of an API
 * that is down. Rows and requests are the same, so is their order; only the waiting is short. It counts for commands that run
 * in the test's own process.
 */
export function quickPauses(): void {
  const { sleep, monotonicInMs } = systemTiming;
  beforeEach(() => {
    vi.spyOn(systemTiming, 'monotonicInMs').mockImplementation(() => monotonicInMs() * faster);
    vi.spyOn(systemTiming, 'sleep').mockImplementation((durationInMs, signal) =>
      sleep(durationInMs / faster, signal),
    );
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
}
