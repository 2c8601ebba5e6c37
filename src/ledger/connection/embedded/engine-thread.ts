import { parentPort, workerData } from 'node:worker_threads';
import { sqlState } from '../database-failure.ts';
import { type EmbeddedEngine, type EngineFolder, openEngine } from './engine.ts';
import type { EngineReply, EngineRequest } from './start-engine.ts';

function reply(message: EngineReply): void {
  parentPort?.postMessage(message, message.bytes === null ? [] : [message.bytes.buffer]);
}

/** What is thrown where a file cannot be written is no error, and holds functions, which no thread can hand over. */
function failed(error: unknown): EngineReply {
  const message = error instanceof Error ? error.message : 'its files cannot be read or written';
  return { bytes: null, message, code: sqlState(error) || undefined };
}

/** One reply to each request, and to the opening; no more work once the answer is a failure to open. */
async function serve(): Promise<void> {
  let engine: EmbeddedEngine;
  try {
    engine = await openEngine(workerData as EngineFolder);
  } catch (error) {
    reply(failed(error));
    return;
  }
  parentPort?.on('message', async (messages: EngineRequest) => {
    if (messages === 'close') {
      await engine.close();
      parentPort?.close();
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

await serve();
