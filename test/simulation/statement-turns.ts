import type { Knex } from 'knex';
import { type Ledger, openServerLedger } from '../../src/ledger/connection/open.ts';
import { uncheckedRows as query } from '../../src/ledger/query/sql.ts';
import type { Random } from './random.ts';

/** A connection of the driver, as far as statements go through it. */
interface DriverConnection {
  readonly processID: number;
  query: (statement: Statement, then: (error: Error | null, result: unknown) => void) => void;
}

type Statement = string | { readonly text: string };

type Stand =
  /** It works by itself, and comes to a statement or to its end without waiting for another program. */
  | { readonly at: 'work' }
  | { readonly at: 'statement'; readonly text: string; readonly go: () => void }
  /** The server carries its statement out, or lets it wait for a lock. */
  | { readonly at: 'server'; readonly processId: number; readonly text: string }
  | { readonly at: 'end' };

/** A program with a connection of its own, whose next statement waits for its turn while it takes part in an overlap. */
interface Program {
  readonly ledger: Ledger;
  stand: Stand;
  isInTransaction: boolean;
}

/** Which program's statement was let go in each turn, and the statement's beginning. */
export type Turns = readonly string[];

/**
 * Programs that use one database at the same time, statement by statement in an order that the seed decides. A turn is
 * over once its statement has ended or waits for a lock, as the server says, so a seed always gives the same order.
 */
export class StatementTurns {
  readonly #programs: readonly Program[];
  /** Another connection, which asks the server who waits for a lock. */
  readonly #monitor: Knex;
  #tellChange = (): void => {};
  #isOn = false;

  constructor(databaseUrl: string, programs: number, monitor: Knex) {
    this.#monitor = monitor;
    this.#programs = Array.from({ length: programs }, () => {
      const program: Program = {
        ledger: openServerLedger(databaseUrl),
        stand: { at: 'end' },
        isInTransaction: false,
      };
      this.#watchStatements(program);
      return program;
    });
  }

  /** The database of each program. */
  get databases(): Knex[] {
    return this.#programs.map(({ ledger }) => ledger.shortStatements);
  }

  async close(): Promise<void> {
    await Promise.all(this.#programs.map(({ ledger }) => ledger.close()));
  }

  /**
   * Lets a number of programs call at the same moment.
   * @param isInTurn each call begins when the one before has ended: no overlap at all
   * @returns what each call came to, and the order of the statements
   */
  async overlap<Result>(
    calls: readonly (() => Promise<Result>)[],
    random: Random,
    isInTurn: boolean,
  ): Promise<{ readonly results: PromiseSettledResult<Result>[]; readonly turns: Turns }> {
    const programs = this.#programs.slice(0, calls.length);
    for (const { ledger } of programs) await query(ledger.shortStatements, 'SELECT 1');
    const turns: string[] = [];
    this.#isOn = true;
    const ended = Promise.allSettled(calls.map((call, at) => this.#start(programs[at], call)));
    for (;;) {
      await this.#untilAllStand(programs);
      const ready = programs.flatMap(({ stand }, at) => (stand.at === 'statement' ? [{ at, stand }] : []));
      if (programs.every(({ stand }) => stand.at === 'end')) break;
      const next = isInTurn ? ready[0] : ready.length === 0 ? undefined : random.pick(ready);
      // All wait for each other: the server ends one of them.
      if (next === undefined) await this.#change();
      else {
        turns.push(`${next.at + 1} ${next.stand.text.trim().replaceAll(/\s+/g, ' ').slice(0, 60)}`);
        next.stand.go();
      }
    }
    this.#isOn = false;
    return { results: await ended, turns };
  }

  #start<Result>(program: Program | undefined, call: () => Promise<Result>): Promise<Result> {
    if (program === undefined) throw new Error('there are more calls than programs');
    this.#move(program, { at: 'work' });
    return call().finally(() => this.#move(program, { at: 'end' }));
  }

  /** Waits until each program is at its end, at its next statement, or at one that waits for a lock. */
  async #untilAllStand(programs: readonly Program[]): Promise<void> {
    for (;;) {
      if (programs.some(({ stand }) => stand.at === 'work')) {
        await this.#change();
        continue;
      }
      const stands = programs.map(({ stand }) => stand);
      const asked = stands.flatMap((stand) => (stand.at === 'server' ? [stand.processId] : []));
      if (asked.length === 0) return;
      if (!programs.some((program) => mayWait(program, programs))) {
        await this.#change();
        continue;
      }
      const waiting = await this.#waitingForLocks(asked);
      const hasChanged = programs.some(({ stand }, at) => stand !== stands[at]);
      if (!hasChanged && waiting === asked.length) return;
    }
  }

  /** How many of these sessions wait for a lock. */
  async #waitingForLocks(processIds: readonly number[]): Promise<number> {
    const [found] = await query<{ waiting: number }>(
      this.#monitor,
      'SELECT count(*)::int AS waiting FROM unnest(?::int[]) AS s (id) WHERE cardinality(pg_blocking_pids(id)) > 0',
      [processIds],
    );
    return found?.waiting ?? 0;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#tellChange = resolve;
    });
  }

  #move(program: Program, stand: Stand): void {
    program.stand = stand;
    this.#tellChange();
  }

  /** Puts the turns between the pool and the driver. */
  #watchStatements(program: Program): void {
    const { client } = program.ledger.shortStatements as {
      readonly client: { acquireRawConnection: () => Promise<DriverConnection> };
    };
    const connect = client.acquireRawConnection.bind(client);
    client.acquireRawConnection = async () => {
      const connection = await connect();
      const send = connection.query.bind(connection);
      connection.query = (statement, then) => {
        if (!this.#isOn) return send(statement, then);
        const text = typeof statement === 'string' ? statement : statement.text;
        const go = (): void => {
          this.#move(program, { at: 'server', processId: connection.processID, text });
          if (text.startsWith('BEGIN')) program.isInTransaction = true;
          send(statement, (error, result) => {
            if (isEnd(text)) program.isInTransaction = false;
            this.#move(program, { at: 'work' });
            then(error, result);
          });
        };
        this.#move(program, { at: 'statement', text, go });
      };
      return connection;
    };
  }
}

function isEnd(text: string): boolean {
  return text.startsWith('COMMIT') || text.startsWith('ROLLBACK');
}

/** Whether the statement of a program can be one that waits for a lock: another program has to hold it. */
function mayWait(program: Program, programs: readonly Program[]): boolean {
  const { stand } = program;
  if (stand.at !== 'server' || stand.text.startsWith('BEGIN') || isEnd(stand.text)) return false;
  return programs.some((other) => other !== program && other.isInTransaction);
}
