import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { AnswerKind, Arrivals } from './api-server.ts';

/** The other side of a measurement, in a process of its own. */
export interface MeasuredApi {
  readonly url: URL;
  readonly apiKey: string;
  readonly stop: () => Promise<void>;
}

/** A minimal HTTP server, which accepts any key. */
export interface ApiProgram extends MeasuredApi {
  /** What came since the last call. */
  readonly arrivals: () => Promise<Arrivals>;
  /** Sets the answer to each request from now on; it is `created` at first. */
  readonly answer: (kind: AnswerKind) => Promise<void>;
}

/** @param latencyInMs how long each answer is held back */
export async function startApi(latencyInMs = 0): Promise<ApiProgram> {
  const program = fork(fileURLToPath(new URL('api-server.js', import.meta.url)), [String(latencyInMs)]);
  const [port] = await once(program, 'message');
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    apiKey: 'sk_sandbox_bench',
    arrivals: async () => {
      const answered = once(program, 'message');
      program.send('arrivals');
      const [arrivals] = await answered;
      return arrivals;
    },
    answer: async (kind) => {
      const noted = once(program, 'message');
      program.send(kind);
      await noted;
    },
    stop: async () => {
      const exited = once(program, 'exit');
      program.disconnect();
      await exited;
    },
  };
}

/** Stops an API even if the work with it fails: a program that keeps running would keep the benchmark's output open. */
export async function withApi<Api extends MeasuredApi, Result>(
  start: () => Promise<Api>,
  work: (api: Api) => Promise<Result>,
): Promise<Result> {
  const api = await start();
  try {
    return await work(api);
  } finally {
    await api.stop();
  }
}
