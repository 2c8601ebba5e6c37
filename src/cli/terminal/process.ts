/*
 * What a command changes of its process: Ctrl-C and other signals stop the run, and garbage is collected before the heap has
 * grown by much.
 */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { exitCodes } from '../../disk/log/exit-codes.ts';
import { countOf } from '../../domain/money/money.ts';

/* Limits the garbage that accumulates before V8 collects it. */

/** The growth of the heap at which garbage is collected, as a multiple of the heap in use after the last collection. */
const usualGrowth = 3.5;

/** The same, for work that only streams rows. */
const leastGrowth = 3;

/** The heap in use from which it pays off, in bytes: the memory of the loaded program itself. */
const leastInUse = 24 * 1024 * 1024;

const lookEveryInMs = 100;

let bound = Number.POSITIVE_INFINITY;
let looking: NodeJS.Timeout | undefined;

/**
 * Collects garbage before the heap has grown by much. V8 lets a small heap grow up to fourfold before it collects old
 * objects. A streamed row lives just long enough to become an old object, so long files accumulate dead rows. V8's
 * flag for this must not be changed while it runs, and people do not set it when they start the program by hand. To check
 * or plan 100,000 rows takes 25 to 35 MiB less by this, and no more of the processor.
 */
export function boundUsualHeapGrowth(): void {
  boundTo(usualGrowth);
}

/** Collects garbage even earlier for the rest of the program, since little is alive while rows are only streamed. */
export function boundHeapGrowth(): void {
  boundTo(leastGrowth);
}

/**
 * Leaves it to V8 again when garbage is collected: in many small steps. A collection that is asked for takes up to a tenth of
 * a second at once, in which a program that answers people would give no answer.
 */
export function leaveHeapGrowth(): void {
  clearInterval(looking);
  looking = undefined;
}

function boundTo(factor: number): void {
  bound = factor;
  looking ??= look();
}

/** Checks the heap regularly, without keeping the process alive. */
function look(): NodeJS.Timeout {
  const collectGarbage = garbageCollector();
  let inUse = leastInUse;
  return setInterval(() => {
    if (process.memoryUsage().heapUsed <= inUse * bound) return;
    collectGarbage();
    inUse = Math.max(leastInUse, process.memoryUsage().heapUsed);
  }, lookEveryInMs).unref();
}

/**
 * V8's function that collects all garbage once. A context that is made while the flag is set has it, and none that is made
 * later. The inspector's command collects several times and makes the heap as small as it can be: it takes twice as long,
 * and then the heap has to grow again.
 */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  // Without it V8 collects when it sees fit, and a run only takes more memory.
  return typeof found === 'function' ? () => found() : () => {};
}

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
