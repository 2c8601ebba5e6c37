import { readFileSync } from 'node:fs';
import { exitCodes } from '../../domain/exit-code.ts';
import { countOf } from '../../output/words/wording.ts';

/** SIGHUP comes from a terminal that was closed. */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Whether this process was started with SIGHUP ignored, as `nohup` does: then a closed terminal is not to end it. Told
 * by Linux only.
 */
function isHangUpIgnored(): boolean {
  try {
    const [, ignored = '0'] =
      /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return (BigInt(`0x${ignored}`) & 1n) === 1n;
  } catch {
    return false;
  }
}

/**
 * The first SIGINT, SIGTERM or SIGHUP asks the run to stop: nothing new is begun, what is in flight comes to its
 * end, the files are written. A second one ends the program at once.
 * @param onFirst tells the person that it was heard
 * @param onSecond leaves the terminal as it was found
 */
export function listenForInterruption(
  onFirst: () => void,
  onSecond: () => void,
): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) {
      onSecond();
      process.exit(exitCodes.stopped);
    }
    controller.abort();
    onFirst();
  };
  const signals = stopSignals.filter((signal) => signal !== 'SIGHUP' || !isHangUpIgnored());
  for (const signal of signals) process.on(signal, onSignal);
  const stop = (): void => {
    for (const signal of signals) process.off(signal, onSignal);
  };
  return { signal: controller.signal, stop };
}

/**
 * What a person is told who has asked the program to stop.
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
