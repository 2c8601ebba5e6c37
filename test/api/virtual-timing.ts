import type { Timing } from '../../src/api/limiters.ts';

/** A clock that jumps to the next sleeper's end as soon as no other work is left. */
export interface VirtualTiming extends Timing {
  /** What every sleeper asked for, in order. */
  readonly sleeps: number[];
  readonly setRandom: (random: () => number) => void;
}

interface Sleeper {
  readonly endsAtInMs: number;
  readonly wake: () => void;
}

export function createVirtualTiming(random: () => number = () => 0.5): VirtualTiming {
  const calendarStartInMs = Date.UTC(2026, 2, 1, 12);
  let nowInMs = 1_000_000;
  let chance = random;
  let isAdvancing = false;
  const sleepers = new Set<Sleeper>();
  const sleeps: number[] = [];

  function advance(): void {
    const next = [...sleepers].sort((a, b) => a.endsAtInMs - b.endsAtInMs)[0];
    isAdvancing = next !== undefined;
    if (next === undefined) return;
    nowInMs = Math.max(nowInMs, next.endsAtInMs);
    next.wake();
    // Two turns of the event loop, so that all that follows from the awakening happens at this moment.
    setImmediate(() => setImmediate(advance));
  }

  return {
    sleeps,
    setRandom: (next) => {
      chance = next;
    },
    monotonicInMs: () => nowInMs,
    now: () => new Date(calendarStartInMs + nowInMs - 1_000_000),
    random: () => chance(),
    sleep: (durationInMs, signal) => {
      if (durationInMs <= 0 || signal.aborted) return Promise.resolve();
      sleeps.push(durationInMs);
      return new Promise((resolve) => {
        const sleeper = {
          endsAtInMs: nowInMs + durationInMs,
          wake: () => {
            sleepers.delete(sleeper);
            signal.removeEventListener('abort', sleeper.wake);
            resolve();
          },
        };
        signal.addEventListener('abort', sleeper.wake);
        sleepers.add(sleeper);
        if (!isAdvancing) {
          isAdvancing = true;
          setImmediate(() => setImmediate(advance));
        }
      });
    },
  };
}
