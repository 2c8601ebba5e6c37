import type { ClockPort } from '../pipeline/ports.ts';
import type { Settings } from './settings.ts';
import type { Terminal } from './terminal.ts';

/** What is under way, for a person who asks the program to stop. */
export interface Activity {
  /** Requests in flight. */
  requests: number;
}

/** What every command works with. */
export interface App {
  readonly settings: Settings;
  readonly environment: NodeJS.ProcessEnv;
  readonly terminal: Terminal;
  readonly clock: ClockPort;
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly interrupted: AbortSignal;
  readonly activity: Activity;
}

export const systemClock: ClockPort = {
  now: () => new Date(),
  monotonicInMs: () => performance.now(),
};
