/*
 * The effects of Ctrl-C and other signals: the first one stops the run, a second SIGINT or SIGTERM ends it at once.
 */

import { exitCodes } from '../../disk/log/exit-codes.ts';
import { countOf } from '../../domain/money/money.ts';

/** SIGHUP comes from a closed terminal. Node.js overrides that `nohup` ignores it. */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * The first SIGINT, SIGTERM or SIGHUP stops the run: no new work begins, requests in flight are completed, and the
 * files are written. A second SIGINT or SIGTERM ends the program at once. SIGHUP never does: a host that shuts down
 * sends SIGTERM to every process, and a script that gets it too passes it on as SIGHUP.
 * @param onFirst called to confirm the first signal to the person
 * @param onSecond called to restore the terminal
 */
export function listenForInterruption(
  onFirst: () => void,
  onSecond: () => void,
): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController();
  let counted = 0;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (signal !== 'SIGHUP') counted += 1;
    if (counted > 1) {
      onSecond();
      process.exit(exitCodes.stopped);
    }
    if (controller.signal.aborted) return;
    controller.abort();
    onFirst();
  };
  for (const signal of stopSignals) process.on(signal, onSignal);
  const stop = (): void => {
    for (const signal of stopSignals) process.off(signal, onSignal);
  };
  return { signal: controller.signal, stop };
}

/**
 * The message to a person who has asked the program to stop.
 * @param requests in flight
 * @param timeoutInSeconds of one of them
 */
export function stoppingSentence(requests: number, timeoutInSeconds: number): string {
  const first =
    requests === 0
      ? 'Stopping.'
      : `Stopping: ${countOf(requests, 'request')} in flight, at most ${timeoutInSeconds} s.`;
  return `${first} A second signal stops at once.`;
}

/** Waits until the program is asked to stop. */
export function interruption(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
