/* PostgreSQL compiled to WebAssembly: opened, asked and closed. */

import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeDataFolder, startParameters } from './data-folder.ts';

/** In memory of its own, which can be handed over to another thread. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** PostgreSQL compiled to WebAssembly: messages of its protocol in, messages out. */
export interface EmbeddedEngine {
  /** Answers whole messages of a client; call after call. */
  readonly answer: (messages: Bytes) => Promise<Bytes>;
  readonly close: () => Promise<void>;
  /** Leaves it as it is, once it answers nothing any more. */
  readonly abandon: () => Promise<void>;
}

/** Pieces of bytes as one, in memory of its own. */
export function joinedBytes(pieces: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Where an embedded database is, or is to be. */
export interface EngineFolder {
  readonly data: string;
  /**
   * Where it is made before it gets its name: one that is killed meanwhile must not leave half a database behind. Null
   * where nobody opens it again.
   */
  readonly unfinished: string | null;
}

/** Opens the database in this thread, which then does nothing else while a statement runs. */
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
      // As a stream: the engine reads and keeps for good every row of an answer that it collects itself.
      await postgres.execProtocolRawStream(messages, { onRawData: (piece) => pieces.push(piece.slice()) });
      return joinedBytes(pieces);
    },
    close: () => postgres.close(),
    abandon: async () => {},
  };
}
