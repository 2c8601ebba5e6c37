/* The embedded database as a thread or a process of its own: replies to messages. */

import { parentPort, workerData } from 'node:worker_threads';
import { sqlState } from '../database-failure.ts';
import {
  type EmbeddedEngine,
  type EngineFolder,
  type EngineReply,
  type EngineRequest,
  openEngine,
} from './start-engine.ts';

// Runs as a thread, or as a process of its own; then its first argument names the files.
const folder: EngineFolder = parentPort === null ? JSON.parse(process.argv[2] ?? '') : workerData;

function reply(message: EngineReply): void {
  // A program that has ended takes no reply; its disconnect then ends this process.
  if (parentPort === null) process.send?.(message, undefined, undefined, () => {});
  else parentPort.postMessage(message, message.bytes === null ? [] : [message.bytes.buffer]);
}

function hangUp(): void {
  if (parentPort === null) process.disconnect();
  else parentPort.close();
}

/**
 * The value that is thrown when a file cannot be written is no Error. It has functions, which cannot be passed to
 * another thread.
 */
function failed(error: unknown): EngineReply {
  const message = error instanceof Error ? error.message : 'its files cannot be read or written';
  return { bytes: null, message, code: sqlState(error) || undefined };
}

/** One reply to each request, and to the opening; no more work after the reply that the opening failed. */
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
