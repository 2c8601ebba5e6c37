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
    // A copy: the next answer is written in the same place.
    answer: async (messages) => (await postgres.execProtocolRaw(messages)).slice(),
    close: () => postgres.close(),
    abandon: async () => {},
  };
}
