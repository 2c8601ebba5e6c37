import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Arrivals } from './api-server.ts';

/** A minimal HTTP server in a process of its own. */
export interface ApiProgram {
  readonly url: URL;
  /** What came since the last call. */
  readonly arrivals: () => Promise<Arrivals>;
  readonly stop: () => void;
}

/** @param latencyInMs how long each answer is held back */
export async function startApi(latencyInMs = 0): Promise<ApiProgram> {
  const program = fork(fileURLToPath(new URL('api-server.js', import.meta.url)), [String(latencyInMs)]);
  const [port] = await once(program, 'message');
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    arrivals: async () => {
      const answered = once(program, 'message');
      program.send('arrivals');
      const [arrivals] = await answered;
      return arrivals;
    },
    stop: () => program.disconnect(),
  };
}
