import type { CliEnd, RunningCli } from './cli.ts';
import type { Desk } from './cli-desk.ts';

/** Where a killed run stood, in words. */
export type KillPoint = string;

/** Kills a run; resolves with the place at which it did, or null when the run ended before. */
export type Killer = (running: RunningCli, ended: AbortSignal) => Promise<KillPoint | null>;

export interface Survival {
  /** The run that came to its end. */
  readonly end: CliEnd;
  readonly kills: readonly KillPoint[];
}

/**
 * Starts the same command again and again, killing it (SIGKILL) each time as the next killer says; when
 * there is no killer left, the run is left alone.
 */
export async function survive(
  desk: Pick<Desk, 'start'>,
  words: readonly string[],
  killers: readonly Killer[],
  options?: Parameters<Desk['start']>[1],
): Promise<Survival> {
  const kills: KillPoint[] = [];
  for (const killer of killers) {
    const running = desk.start(words, options);
    const ended = new AbortController();
    const [place, end] = await Promise.all([
      killer(running, ended.signal),
      running.ended.finally(() => ended.abort()),
    ]);
    if (end.signal === null) return { end, kills };
    kills.push(place ?? 'at its very end');
  }
  return { end: await desk.start(words, options).ended, kills };
}

/**
 * A killer that looks again and again whether the moment has come.
 * @param place asked every few milliseconds; says where the run stands once that is where it is to die
 */
export function killWhen(place: () => KillPoint | null | Promise<KillPoint | null>): Killer {
  return async ({ child }, ended) => {
    while (!ended.aborted) {
      const reached = await place();
      if (reached !== null) {
        child.kill('SIGKILL');
        return reached;
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return null;
  };
}

/** A killer that waits for so long after the start, and then says where the run stood by asking. */
export function killAfter(delayInMs: number, place: () => KillPoint): Killer {
  return (running, ended) => {
    const killAt = Date.now() + delayInMs;
    return killWhen(() => (Date.now() >= killAt ? place() : null))(running, ended);
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
