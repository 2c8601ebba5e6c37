import { setTimeout as sleep } from 'node:timers/promises';
import type { CliEnd } from './cli.ts';
import type { Desk } from './cli-desk.ts';

/**
 * A moment at which a run is to die: waits for it and describes how far the run is then; null when the run has ended
 * before.
 */
export type Moment = (ended: AbortSignal) => Promise<string | null>;

export interface Survival {
  /** The run that came to its end. */
  readonly end: CliEnd;
  /** Where each of the others was killed. */
  readonly kills: readonly string[];
}

/**
 * Starts the same command again and again and kills it (SIGKILL) at one moment after the other; the run
 * after the last moment is left alone.
 */
export async function survive(
  desk: Pick<Desk, 'start'>,
  words: readonly string[],
  moments: readonly Moment[],
  options?: Parameters<Desk['start']>[1],
): Promise<Survival> {
  const kills: string[] = [];
  for (const moment of moments) {
    const { child, ended } = desk.start(words, options);
    const stop = new AbortController();
    const killing = moment(stop.signal).then((place) => {
      if (place !== null) child.kill('SIGKILL');
      return place;
    });
    const end = await ended.finally(() => stop.abort());
    const place = await killing;
    if (end.signal === null) return { end, kills };
    kills.push(place ?? 'somewhere');
  }
  return { end: await desk.start(words, options).ended, kills };
}

/**
 * The moment at which something shows that is looked for every few milliseconds.
 * @param place null until it shows
 */
export function when(place: () => string | null | Promise<string | null>): Moment {
  return async (ended) => {
    while (!ended.aborted) {
      const reached = await place();
      if (reached !== null) return reached;
      await sleep(2);
    }
    return null;
  };
}

/** The moment some milliseconds from when it is asked for. */
export function after(delayInMs: number, place: () => string): Moment {
  return (ended) => {
    const reachedAt = Date.now() + delayInMs;
    return when(() => (Date.now() >= reachedAt ? place() : null))(ended);
  };
}

/** Numbers from 0 (included) to 1 (excluded) that are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
