import { extname } from 'node:path';
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
  const ending = extname(import.meta.url);
  if (ending === '.ts') return openEngine(folder);
  const thread = new URL(`./engine-thread${ending}`, import.meta.url);
  // What lives in the thread for a moment only is small: one answer.
  return engineInThread(
    new Worker(thread, { workerData: folder, resourceLimits: { maxYoungGenerationSizeMb: 12 } }),
  );
}

interface Waiting {
  readonly resolve: (bytes: Bytes) => void;
  readonly reject: (failure: Error) => void;
}

/** The engine of a thread, once it is open. @throws Error that says why the thread could not open it */
export async function engineInThread(worker: Worker): Promise<EmbeddedEngine> {
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
    worker.on('exit', () => {
      endWith(new Error('its thread has ended'));
      resolve();
    });
  });
  worker.on('error', (error) => {
    crash = error;
    endWith(error);
  });
  worker.on('message', (reply: EngineReply) => {
    const next = waiting.shift();
    if (reply.bytes !== null) next?.resolve(reply.bytes);
    else next?.reject(Object.assign(new Error(reply.message), { code: reply.code }));
  });
  try {
    await nextReply();
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  return {
    answer: (messages) => {
      const reply = nextReply();
      worker.postMessage(messages satisfies EngineRequest, [messages.buffer]);
      return reply;
    },
    close: async () => {
      worker.postMessage('close' satisfies EngineRequest);
      await ended;
      if (crash !== null) throw crash;
    },
    abandon: async () => {
      await worker.terminate();
    },
  };
}
