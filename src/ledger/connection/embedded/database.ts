/* The embedded database, used through the same driver as a server. */

import type { EventEmitter } from 'node:events';
import { Duplex } from 'node:stream';
import knex, { type Knex } from 'knex';
import { PaybatchError } from '../../../domain/failures/paybatch-error.ts';
import { noRoom, noteEmbeddedError } from '../database-failure.ts';
import { silent } from '../server-pool.ts';
import { type Bytes, type EmbeddedEngine, joinedBytes } from './start-engine.ts';

/** The parts of the driver's connection that are needed to recognise a failed database. */
interface PoolConnection {
  readonly connection: EventEmitter;
}

interface ServerMessage {
  readonly severity?: string;
  readonly code?: string;
}

/**
 * The first byte of the message with which a client begins a session. It is the only message that does not begin with its
 * type.
 */
const untyped = 0;

/** An embedded database and its one connection. */
interface EmbeddedDatabase {
  readonly database: Knex;
  readonly close: () => Promise<void>;
}

/**
 * Connects to PostgreSQL in this process through the same driver as for a server. After a PANIC (no space for the
 * write-ahead log) the engine no longer answers, and reports no error. From then on every call fails at once. When the
 * database is opened again, it recovers from its log as a server does.
 * @param directory the folder that the failure names
 */
export function embeddedDatabase(engine: EmbeddedEngine, directory: string): EmbeddedDatabase {
  let failure: PaybatchError | null = null;
  const giveUp = (connection: EventEmitter, { code }: ServerMessage): void => {
    failure = gaveUp(directory, `PANIC ${code ?? 'unknown'}`, code);
    connection.emit('error', failure);
  };
  const ask: EmbeddedEngine['answer'] = (messages) =>
    engine.answer(messages).catch((error: unknown) => {
      // This is not PostgreSQL's error for a statement, which would be an answer: the engine itself cannot continue.
      failure ??= gaveUp(directory, error instanceof Error ? error.message : 'for an unknown reason');
      throw failure;
    });
  let greeting: Promise<Bytes> | undefined;
  // The engine's only session lives longer than the driver's connections, so it is begun only once.
  const answer: EmbeddedEngine['answer'] = (messages) => {
    if (messages[0] !== untyped) return ask(messages);
    greeting ??= ask(messages);
    return greeting;
  };
  const database = knex({
    client: 'pg',
    // It is a function because Knex would clone an object, including the database in it.
    connection: async () => {
      if (failure !== null) throw failure;
      // Without this, Knex would not call this function again, and would connect to the failed database.
      const expirationChecker = (): boolean => failure !== null;
      return {
        user: 'postgres',
        database: 'postgres',
        stream: () => new EngineStream(answer),
        expirationChecker,
      };
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
    // An error must not contain a value of a row.
    compileSqlOnError: false,
    log: silent,
  });
  database.on('query-error', (error: unknown) => noteEmbeddedError(error, directory));
  const close = async (): Promise<void> => {
    await database.destroy();
    await (failure === null ? engine.close() : engine.abandon());
  };
  return { database, close };
}

function gaveUp(directory: string, cause: string, code?: string): PaybatchError {
  if (code === '53100') return noRoom(directory);
  return new PaybatchError(
    'ledger_gave_up',
    `The embedded ledger in ${directory} could not go on: ${cause}.`,
    { action: 'again' },
  );
}

/** The first byte of a client's message that ends its connection (`Terminate`). */
const terminate = 'X'.charCodeAt(0);

type Done = (error?: Error | null) => void;

/** The socket of a connection, as the driver uses it. Each write is answered before the next one is accepted. */
class EngineStream extends Duplex {
  readonly #answer: EmbeddedEngine['answer'];

  /** @param answer returns the answer to complete messages of a client */
  constructor(answer: EmbeddedEngine['answer']) {
    super();
    this.#answer = answer;
  }

  connect(): this {
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {
    // Answers are pushed when they arrive, so there is nothing to do here.
  }

  override _write(chunk: Buffer, _encoding: string, done: Done): void {
    void this.#send([chunk], done);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: Done): void {
    void this.#send(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  override _final(done: Done): void {
    this.push(null);
    done();
  }

  async #send(chunks: readonly Buffer[], done: Done): Promise<void> {
    const written = chunks.filter((chunk) => chunk[0] !== terminate);
    try {
      if (written.length > 0) this.push(await this.#answer(joinedBytes(written)));
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
