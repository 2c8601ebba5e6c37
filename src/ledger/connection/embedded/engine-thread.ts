/* The embedded database in its own thread or process: it replies to messages. */

import { parentPort, workerData } from 'node:worker_threads';
import { sqlState } from '../database-failure.ts';
import {
  type EmbeddedEngine,
  type EngineFolder,
  type EngineReply,
  type EngineRequest,
  openEngine,
} from './start-engine.ts';

// As a process, its first argument names the files. As a thread, it receives them as worker data.
const folder: EngineFolder = parentPort === null ? JSON.parse(process.argv[2] ?? '') : workerData;

function reply(message: EngineReply): void {
  // After the program has ended, it takes no reply. The disconnect then ends this process.
  if (parentPort === null) process.send?.(message, undefined, undefined, () => {});
  else parentPort.postMessage(message, message.bytes === null ? [] : [message.bytes.buffer]);
}

function hangUp(): void {
  if (parentPort === null) process.disconnect();
  else parentPort.close();
}

/**
 * The reply for a failure. If a file cannot be written, the thrown value is no Error, and has functions that cannot be
 * passed to another thread.
 */
function failed(error: unknown): EngineReply {
  const message = error instanceof Error ? error.message : 'its files cannot be read or written';
  return { bytes: null, message, code: sqlState(error) || undefined };
}

/** Sends one reply to the opening and one to each request. If the opening failed, no requests are served. */
async function serve(): Promise<void> {
  let engine: EmbeddedEngine;
  try {
    engine = await openEngine(folder);
  } catch (error) {
    reply(failed(error));
    return;
  }
  (parentPort ?? process).on('message', async (messages: EngineRequest) => {
    if (messages === 'close') {
      await engine.close();
      hangUp();
      return;
    }
    try {
      reply({ bytes: await engine.answer(messages) });
    } catch (error) {
      reply(failed(error));
    }
  });
  reply({ bytes: new Uint8Array() });
}

// The program has ended, so no reply is needed.
if (parentPort === null) process.once('disconnect', () => process.exit());
await serve();
