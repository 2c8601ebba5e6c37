/*
 * Changes of a command to its process: Ctrl-C and other signals stop the run, and garbage is collected before the heap has
 * grown much.
 */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { exitCodes } from '../../disk/log/exit-codes.ts';
import { countOf } from '../../domain/money/money.ts';

/* Limits the garbage that accumulates before V8 collects it. */

/** The growth of the heap at which garbage is collected, as a multiple of the heap in use after the last collection. */
const usualGrowth = 3.5;

/** The same factor for work that only streams rows. */
const leastGrowth = 3;

/** Minimum heap in use, in bytes, for which this is useful: the memory of the loaded program itself. */
const leastInUse = 24 * 1024 * 1024;

const lookEveryInMs = 100;

let bound = Number.POSITIVE_INFINITY;
let looking: NodeJS.Timeout | undefined;

/**
 * Collects garbage before the heap has grown much. V8 lets a small heap grow up to fourfold before it collects old objects.
 * A streamed row lives just long enough to become an old object, so dead rows of long files accumulate. V8's flag for this
 * must not be changed while V8 runs, and people do not set it when they start the program by hand. Checking or planning
 * 100,000 rows needs 25 to 35 MiB less memory with this, and no more processor time.
 */
export function boundUsualHeapGrowth(): void {
  boundTo(usualGrowth);
}

/** Collects garbage even earlier for the rest of the program, since few objects are alive while rows are only streamed. */
export function boundHeapGrowth(): void {
  boundTo(leastGrowth);
}

/**
 * Lets V8 decide again when garbage is collected, which it does in many small steps. A requested collection takes up to a
 * tenth of a second in one step, and a program that serves people could not answer during that time.
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
 * V8's function that collects all garbage once. Only a context that is created while the flag is set has this function. The
 * inspector's command is not used: it collects several times and makes the heap as small as possible, which takes twice as
 * long, and then the heap has to grow again.
 */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  // Without this function, V8 decides when it collects, and a run only needs more memory.
  return typeof found === 'function' ? () => found() : () => {};
}

/**
 * Signals that stop a run. SIGHUP comes from a closed terminal. Handling it here also ends its suppression by `nohup`,
 * which Node.js does not keep.
 */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * The first SIGINT, SIGTERM or SIGHUP stops the run: no new work begins, requests in flight are completed, and the files
 * are written. A second SIGINT or SIGTERM ends the program at once. A SIGHUP never does that: when a host shuts down, it
 * sends SIGTERM to every process, and a script that receives it may send SIGHUP to the program as well.
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
 * The message to a person who has requested a stop.
 * @param requests number of requests in flight
 * @param timeoutInSeconds the time limit of one request
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
