import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { SandboxOptions } from './core.ts';
import { DataFolderInUse } from './data-folder.ts';
import type { Sandbox } from './server.ts';

/** The options without functions, which cannot be passed to another thread. */
export type WorkerSandboxOptions = Omit<SandboxOptions, 'now' | 'onRequest'>;

type WorkerSandbox = Omit<Sandbox, 'counts'>;

/** The thread's message when it listens, or the reason why it could not start. */
export type WorkerMessage =
  | Omit<WorkerSandbox, 'close'>
  | { readonly failure: string; readonly isInUse: boolean };

/**
 * Starts a sandbox in a separate thread, so that it does not share the caller's event loop. It ends at the latest when the
 * process ends.
 *
 * @throws DataFolderInUse when another sandbox serves the data folder; other errors as `startSandbox` does
 */
export async function startSandboxInWorker(options: WorkerSandboxOptions): Promise<WorkerSandbox> {
  const worker = startThread(options);
  const exited = once(worker, 'exit');
  const message = await Promise.race([
    once(worker, 'message').then(([first]) => first as WorkerMessage),
    exited.then(([code]) => ({ failure: `the sandbox's thread ended at once (${code})`, isInUse: false })),
  ]);
  if ('failure' in message) {
    await exited;
    throw message.isInUse ? new DataFolderInUse(message.failure) : new Error(message.failure);
  }
  return {
    ...message,
    close: async () => {
      worker.postMessage('close');
      await exited;
    },
  };
}

/**
 * Starts the thread. The built program starts a compiled file. When it runs from its sources, the thread first has to load
 * the TypeScript loader, since the loader of a process does not apply to its threads.
 */
function startThread(workerData: WorkerSandboxOptions): Worker {
  if (!import.meta.url.endsWith('.ts')) {
    return new Worker(new URL('./worker-thread.js', import.meta.url), { workerData });
  }
  const loader = import.meta.resolve('tsx/esm/api');
  const thread = new URL('./worker-thread.ts', import.meta.url);
  const start = `import('${loader}').then(({ register }) => { register(); return import('${thread}'); });`;
  return new Worker(start, { eval: true, workerData });
}
