import type { Actor, Happening, World } from './world.ts';

/**
 * Starts something whose intervals shall run in virtual time; they end when it is stopped. The global function is replaced
 * for the duration of the call only, since no other code may see it.
 */
export function withVirtualIntervals<Started extends { readonly stop: () => void }>(
  world: World,
  actor: Actor,
  start: () => Started,
): Started {
  const original = globalThis.setInterval;
  let isStopped = false;
  const repeat = (act: () => void, periodInMs: number): { unref: () => void } => {
    const next = (): Happening =>
      world.after(periodInMs, actor, () => {
        if (isStopped) return;
        act();
        next();
      });
    next();
    return { unref: () => {} };
  };
  globalThis.setInterval = repeat as unknown as typeof setInterval;
  try {
    const started = start();
    return {
      ...started,
      stop: () => {
        isStopped = true;
        started.stop();
      },
    };
  } finally {
    globalThis.setInterval = original;
  }
}
