import type { ClockPort } from '../pipeline/ports.ts';
import type { Settings } from './settings.ts';
import type { Terminal } from './terminal.ts';

/** What every command works with. */
export interface App {
  readonly settings: Settings;
  readonly environment: NodeJS.ProcessEnv;
  readonly terminal: Terminal;
  readonly clock: ClockPort;
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly interrupted: AbortSignal;
}

export const systemClock: ClockPort = {
  now: () => new Date(),
  monotonicInMs: () => performance.now(),
};
