/* The embedded PostgreSQL: its engine, and the thread or process in which it runs. */

import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { makeDataFolder, startParameters } from './data-folder.ts';

/** Bytes in their own memory, which can be transferred to another thread. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** PostgreSQL compiled to WebAssembly. It takes messages of PostgreSQL's protocol and returns messages. */
export interface EmbeddedEngine {
  /** Answers complete messages of a client, one call after another. */
  readonly answer: (messages: Bytes) => Promise<Bytes>;
  readonly close: () => Promise<void>;
  /** Abandons the engine once it no longer answers. */
  readonly abandon: () => Promise<void>;
}

/** Joins chunks of bytes, in new memory. */
export function joinedBytes(pieces: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** The folder of an embedded database, existing or to be created. */
export interface EngineFolder {
  readonly data: string;
  /**
   * The folder in which it is created before it gets its final name. So a process that is killed meanwhile does not leave
   * half a database behind. Null if the database is not opened again.
   */
  readonly unfinished: string | null;
}

/** Opens the database in this thread, which is then blocked while a statement runs. */
export async function openEngine({ data, unfinished }: EngineFolder): Promise<EmbeddedEngine> {
  if (unfinished === null) {
    if (!existsSync(join(data, 'PG_VERSION'))) await makeDataFolder(data);
  } else if (!existsSync(data)) {
    rmSync(unfinished, { recursive: true, force: true });
    await makeDataFolder(unfinished);
    renameSync(unfinished, data);
  }
  const { PGlite } = await import('@electric-sql/pglite');
  const postgres = await PGlite.create(data, { startParams: await startParameters() });
  return {
    answer: async (messages) => {
      const pieces: Uint8Array[] = [];
      // The answer is read as a stream. If the engine collects an answer itself, it reads every row of it and keeps it
      // permanently.
      await postgres.execProtocolRawStream(messages, { onRawData: (piece) => pieces.push(piece.slice()) });
      return joinedBytes(pieces);
    },
    close: () => postgres.close(),
    abandon: async () => {},
  };
}

/** The thread's requests: messages to answer, or to end. */
export type EngineRequest = Bytes | 'close';

/** The thread's replies: the answer (empty for the opening), or the reason why there is no answer. */
export type EngineReply =
  | { readonly bytes: Bytes }
  | { readonly bytes: null; readonly message: string; readonly code: string | undefined };

/**
 * Opens an embedded database in its own thread, so that answers of the API are read while a statement runs. If the program
 * runs from its sources, it opens the database in this thread, because another thread would have to translate TypeScript
 * first.
 */
export async function startEngine(folder: EngineFolder): Promise<EmbeddedEngine> {
  const program = builtProgram();
  if (program === null) return openEngine(folder);
  // Only one answer at a time is in the thread's memory, so its young generation may be small.
  return engineInThread(
    new Worker(program, { workerData: folder, resourceLimits: { maxYoungGenerationSizeMb: 12 } }),
  );
}

/**
 * Opens an embedded database for one piece of work, in its own process. There the engine is compiled once and without
 * optimisation, because optimising takes 100 MB and hardly shortens a comparison. This setting is for a whole process and
 * has to be set when it starts.
 */
export async function startShortLivedEngine(folder: EngineFolder): Promise<EmbeddedEngine> {
  const program = builtProgram();
  if (program === null) return openEngine(folder);
  return engineInProcess(
    fork(fileURLToPath(program), [JSON.stringify(folder)], {
      execArgv: ['--liftoff-only'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // Ctrl+C on a terminal is for the program, which ends this process after its cleanup.
      detached: true,
    }),
  );
}

/** The engine as a separate program; null if this program runs from its sources. */
function builtProgram(): URL | null {
  const ending = extname(import.meta.url);
  return ending === '.ts' ? null : new URL(`./engine-thread${ending}`, import.meta.url);
}

/** The connection to an engine in another thread or process. */
interface EngineChannel {
  readonly source: Pick<Worker | ChildProcess, 'on'>;
  readonly post: (request: EngineRequest) => void;
  readonly terminate: () => unknown;
}

/** The engine of a thread, once it is open. @throws Error with the reason why the thread could not open it */
export function engineInThread(worker: Worker): Promise<EmbeddedEngine> {
  return engineBehind({
    source: worker,
    post: (request) => worker.postMessage(request, request === 'close' ? [] : [request.buffer]),
    terminate: () => worker.terminate(),
  });
}

/** The engine of a process, once it is open. @throws Error with the reason why the process could not open it */
export function engineInProcess(child: ChildProcess): Promise<EmbeddedEngine> {
  return engineBehind({
    source: child,
    // If the process has ended, its exit rejects the waiting requests. So errors of this call are ignored.
    post: (request) => child.send(request, () => {}),
    terminate: () => child.kill('SIGKILL'),
  });
}

interface Waiting {
  readonly resolve: (bytes: Bytes) => void;
  readonly reject: (failure: Error) => void;
}

async function engineBehind({ source, post, terminate }: EngineChannel): Promise<EmbeddedEngine> {
  const waiting: Waiting[] = [];
  let end: Error | null = null;
  let crash: Error | null = null;
  const nextReply = (): Promise<Bytes> =>
    new Promise((resolve, reject) => {
      if (end === null) waiting.push({ resolve, reject });
      else reject(end);
    });
  const endWith = (failure: Error): void => {
    end ??= failure;
    for (const { reject } of waiting.splice(0)) reject(end);
  };
  const ended = new Promise<void>((resolve) => {
    source.on('exit', () => {
      endWith(new Error('it has ended'));
      resolve();
    });
  });
  // A process that could not be started emits no exit.
  const crashed = new Promise<void>((resolve) => {
    source.on('error', (error) => {
      crash = error;
      endWith(error);
      resolve();
    });
  });
  source.on('message', (reply: EngineReply) => {
    const next = waiting.shift();
    if (reply.bytes !== null) next?.resolve(reply.bytes);
    else next?.reject(Object.assign(new Error(reply.message), { code: reply.code }));
  });
  try {
    await nextReply();
  } catch (error) {
    await terminate();
    await Promise.race([ended, crashed]);
    throw error;
  }
  return {
    answer: (messages) => {
      const reply = nextReply();
      post(messages);
      return reply;
    },
    close: async () => {
      post('close');
      await ended;
      if (crash !== null) throw crash;
    },
    abandon: async () => {
      await terminate();
      await ended;
    },
  };
}
