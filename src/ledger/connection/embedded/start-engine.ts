/* Starting the embedded database in a thread, in a process, or in this thread. */

import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { type Bytes, type EmbeddedEngine, type EngineFolder, openEngine } from './engine.ts';

/** What the thread is asked: messages to answer, or to end. */
export type EngineRequest = Bytes | 'close';

/** What the thread replies: the answer, empty for the opening; or why there is none. */
export type EngineReply =
  | { readonly bytes: Bytes }
  | { readonly bytes: null; readonly message: string; readonly code: string | undefined };

/**
 * Opens an embedded database in a thread of its own, so that answers of the API are read while a statement runs. Run
 * from its sources, the program opens it in this thread: another one would have to translate TypeScript first.
 */
export async function startEngine(folder: EngineFolder): Promise<EmbeddedEngine> {
  const program = builtProgram();
  if (program === null) return openEngine(folder);
  // What lives in the thread for a moment only is small: one answer.
  return engineInThread(
    new Worker(program, { workerData: folder, resourceLimits: { maxYoungGenerationSizeMb: 12 } }),
  );
}

/**
 * Opens an embedded database for one piece of work, in a process of its own, in which the engine is compiled once and
 * quickly: to optimise it as well takes 100 MB, and hardly shortens a comparison. Such a choice is made for a whole
 * process, when it starts.
 */
export async function startShortLivedEngine(folder: EngineFolder): Promise<EmbeddedEngine> {
  const program = builtProgram();
  if (program === null) return openEngine(folder);
  return engineInProcess(
    fork(fileURLToPath(program), [JSON.stringify(folder)], {
      execArgv: ['--liftoff-only'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // Ctrl+C on a terminal is for the program, which ends this process when it has tidied up.
      detached: true,
    }),
  );
}

/** The engine as a program of its own; null where this one runs from its sources. */
function builtProgram(): URL | null {
  const ending = extname(import.meta.url);
  return ending === '.ts' ? null : new URL(`./engine-thread${ending}`, import.meta.url);
}

/** What an engine elsewhere is reached by. */
interface EngineChannel {
  readonly source: Pick<Worker | ChildProcess, 'on'>;
  readonly post: (request: EngineRequest) => void;
  readonly terminate: () => unknown;
}

/** The engine of a thread, once it is open. @throws Error that says why the thread could not open it */
export function engineInThread(worker: Worker): Promise<EmbeddedEngine> {
  return engineBehind({
    source: worker,
    post: (request) => worker.postMessage(request, request === 'close' ? [] : [request.buffer]),
    terminate: () => worker.terminate(),
  });
}

/** The engine of a process, once it is open. @throws Error that says why the process could not open it */
export function engineInProcess(child: ChildProcess): Promise<EmbeddedEngine> {
  return engineBehind({
    source: child,
    // A process that is gone tells so by its exit, which rejects what waits for an answer.
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
  // A process that could not be started has no exit.
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
