import { exitCodes } from '../domain/exit-code.ts';

/**
 * The first SIGINT or SIGTERM asks the run to stop: nothing new is begun, what is in flight comes to its
 * end, the files are written. A second one ends the program at once.
 * @param onFirst tells the person that it was heard
 */
export function listenForInterruption(onFirst: () => void): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(exitCodes.stopped);
    controller.abort();
    onFirst();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  const stop = (): void => {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
  return { signal: controller.signal, stop };
}
