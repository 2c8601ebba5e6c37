/* The thread that a sandbox in a worker runs in. */

import { parentPort, workerData } from 'node:worker_threads';
import { DataFolderInUse } from './lock.ts';
import { startSandbox } from './server.ts';
import type { WorkerMessage, WorkerSandboxOptions } from './worker.ts';

/** The thread's whole life: start, tell, serve until told to close. */
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
