import type { EventEmitter } from 'node:events';
import type { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import knex, { type Knex } from 'knex';
import { exitCodes } from '../../domain/failures/exit-code.ts';
import { Failure } from '../../domain/failures/failure.ts';
import { noRoom, noteEmbeddedError } from './database-failure.ts';
import { silent } from './server-pool.ts';

/** The parts of the driver's connection that tell of a database that has given up. */
interface PoolConnection {
  readonly connection: EventEmitter;
}

interface ServerMessage {
  readonly severity?: string;
  readonly code?: string;
}

/** An embedded database and its one connection. */
export interface EmbeddedDatabase {
  readonly database: Knex;
  readonly close: () => Promise<void>;
}

/**
 * Reaches PostgreSQL in this process through the very driver that a server is reached through. After a PANIC
 * (no room for the write-ahead log) it answers nothing any more, nor does it say so: every later call
 * fails at once then. Opened again, it recovers from its log as a server does.
 * @param directory named in that failure
 */
export function embeddedDatabase(postgres: PGlite, directory: string): EmbeddedDatabase {
  let failure: Failure | null = null;
  const giveUp = (connection: EventEmitter, { code }: ServerMessage): void => {
    failure = gaveUp(directory, code);
    connection.emit('error', failure);
  };
  const database = knex({
    client: 'pg',
    // A function, since Knex would clone an object and the database in it.
    connection: async () => {
      if (failure !== null) throw failure;
      // Otherwise Knex would not ask again, and connect to the database that has given up.
      const expirationChecker = (): boolean => failure !== null;
      return { ...(createPgConfig(postgres) as Knex.PgConnectionConfig), expirationChecker };
    },
    pool: {
      min: 0,
      max: 1,
      afterCreate: ({ connection }: PoolConnection, done: (error: null) => void) => {
        connection.on('errorMessage', (message: ServerMessage) => {
          if (message.severity === 'PANIC') giveUp(connection, message);
        });
        done(null);
      },
    },
    // No value of a row may get into an error.
    compileSqlOnError: false,
    log: silent,
  });
  database.on('query-error', (error: unknown) => noteEmbeddedError(error, directory));
  const close = async (): Promise<void> => {
    await database.destroy();
    if (failure === null) await postgres.close();
  };
  return { database, close };
}

function gaveUp(directory: string, code = 'unknown'): Failure {
  if (code === '53100') return noRoom(directory);
  return new Failure(
    exitCodes.stopped,
    'ledger_gave_up',
    `The embedded ledger in ${directory} could not go on: PANIC ${code}.`,
    'run the same command again',
  );
}
