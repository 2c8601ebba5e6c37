/* The worker thread of a sandbox. */

import { parentPort, workerData } from 'node:worker_threads';
import { DataFolderInUse } from './data-folder.ts';
import { startSandbox } from './server.ts';
import type { WorkerMessage, WorkerSandboxOptions } from './worker.ts';

/** Starts the sandbox, reports that to the main thread, and serves until a message asks to close. */
async function serve(): Promise<void> {
  const tell = (message: WorkerMessage) => parentPort?.postMessage(message);
  try {
    const sandbox = await startSandbox(workerData as WorkerSandboxOptions);
    parentPort?.once('message', () => {
      sandbox.close().finally(() => parentPort?.close());
    });
    const { url, storeId, apiKeys, controlToken, certificatePath } = sandbox;
    tell({ url, storeId, apiKeys, controlToken, certificatePath });
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    tell({ failure, isInUse: error instanceof DataFolderInUse });
  }
}

await serve();
