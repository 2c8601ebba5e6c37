import { setTimeout as sleep } from 'node:timers/promises';
import * as restoring from '../../src/ledger/after-sending/restore.ts';
import { type Ledger, openServerLedger } from '../../src/ledger/connection/open.ts';
import * as exported from '../../src/ledger/exported-verbs.ts';
import { type VerbsWith, verbBinder } from '../../src/ledger/verbs.ts';
import type { Random } from '../simulation/random.ts';
import { realMs } from './fast-time.ts';
import { type Fault, type FaultProxy, type Hold, openFaultProxy } from './fault-proxy.ts';
import type { Step } from './wire.ts';

export type ProgramVerbs = VerbsWith<typeof restoring>;

/** Half of a lease, as in the product; a server ends what is idle in a transaction for longer. */
const patienceInMs = realMs(15_000);
const idleTransactionLimitInMs = realMs(15_000);

/**
 * One paybatch program, which lives in the tests' process: everything that reaches it from outside (the database's
 * replies, the API's answers, the end of a wait) passes a gate, so it can be suspended and killed like a process.
 */
export class Program {
  readonly name: string;
  readonly random: Random;
  readonly verbs: ProgramVerbs;
  /** What happens to its next step; replaced by the tests' faults. */
  faultOf: (step: Step, isInTransaction: boolean) => Fault | null = () => null;
  /** Resolves when a fault has lasted its time. */
  outlast: (hold: Hold) => Promise<void> = ({ durationInMs }) => sleep(durationInMs);
  isKilled = false;
  /** Resolves when it is killed. */
  readonly killed: Promise<void>;
  /** Its intervals, which end with it. */
  readonly timers: NodeJS.Timeout[] = [];
  /** The verbs that are under way, with the number of their calls. */
  readonly underWay = new Map<string, number>();
  /** How often each verb has come to its end. */
  readonly ended = new Map<string, number>();
  readonly #seat: Seat;
  #die = (): void => {};
  #suspended: Promise<void> | null = null;

  constructor(name: string, random: Random, seat: Seat) {
    this.name = name;
    this.random = random;
    this.#seat = seat;
    seat.program = this;
    this.killed = new Promise((resolve) => {
      this.#die = resolve;
    });
    this.verbs = guarded(verbBinder(seat.ledger.database, patienceInMs)({ ...exported, ...restoring }), this);
  }

  get isSuspended(): boolean {
    return this.#suspended !== null;
  }

  whileSuspended(): Promise<void> | null {
    return this.#suspended;
  }

  /** The gate: passes at once, or when the program is suspended no longer; a dead program never passes. */
  async pass(): Promise<void> {
    await this.#suspended;
    if (this.isKilled) await never;
  }

  /** Stops it, as SIGSTOP does, for a number of real milliseconds or until something has happened. */
  async suspend(lasting: number | Promise<unknown>): Promise<void> {
    if (this.isKilled || this.#suspended !== null) return;
    this.#suspended = this.#sleepThrough(typeof lasting === 'number' ? sleep(lasting) : lasting);
    await this.#suspended;
  }

  /** The same, once its transactions that are open have ended: a long suspension would break them off. */
  async suspendAtRest(lasting: number | Promise<unknown>): Promise<void> {
    while (!this.#seat.proxy.isAtRest()) await sleep(1);
    await this.suspend(lasting);
  }

  async #sleepThrough(time: Promise<unknown>): Promise<void> {
    const isShort = await Promise.race([time.then(() => true), sleep(idleTransactionLimitInMs, false)]);
    if (!isShort) {
      this.#seat.proxy.endIdleTransactions();
      await time;
    }
    this.#suspended = null;
  }

  /** Ends it at once, as SIGKILL does. */
  kill(): void {
    this.isKilled = true;
    for (const timer of this.timers) clearInterval(timer);
    this.#seat.proxy.cutAll();
    this.#die();
  }

  /** Waits a number of real milliseconds, or until the signal; longer while it is suspended. */
  async sleep(durationInMs: number, signal?: AbortSignal): Promise<void> {
    await sleep(durationInMs, undefined, signal === undefined ? {} : { signal }).catch(() => {});
    await this.pass();
  }
}

/** A dead program's code stops where it is. */
const never = new Promise<never>(() => {});

/** A place where a program can live: a connection pool behind a proxy of its own. */
export interface Seat {
  readonly proxy: FaultProxy;
  readonly ledger: Ledger;
  program: Program | null;
  readonly close: () => Promise<void>;
}

export async function openSeat(
  databaseUrl: string,
  administer: (sql: string) => Promise<void>,
): Promise<Seat> {
  let seat: Seat | undefined;
  const proxy = await openFaultProxy({
    databaseUrl,
    faultOf: (step, isInTransaction) => seat?.program?.faultOf(step, isInTransaction) ?? null,
    outlast: (hold) => seat?.program?.outlast(hold) ?? sleep(hold.durationInMs),
    whileSuspended: () => seat?.program?.whileSuspended() ?? null,
    isRefusing: () => seat?.program?.isKilled === true,
    administer,
  });
  const ledger = openServerLedger(proxy.databaseUrl);
  const close = async (): Promise<void> => {
    await ledger.close();
    await proxy.close();
  };
  seat = { proxy, ledger, program: null, close };
  return seat;
}

/** The verbs of a program that may be dead: then none begins. Readers of pages only find no connection. */
function guarded(
  verbs: ProgramVerbs,
  program: Pick<Program, 'isKilled' | 'underWay' | 'ended'>,
): ProgramVerbs {
  const { underWay, ended } = program;
  const count = (calls: Map<string, number>, name: string, change: number): void => {
    calls.set(name, (calls.get(name) ?? 0) + change);
  };
  const guard = ([name, verb]: [string, (...given: never[]) => unknown]): [string, unknown] => {
    if (name.startsWith('read')) return [name, verb];
    const call = async (...given: never[]): Promise<unknown> => {
      if (program.isKilled) return never;
      count(underWay, name, 1);
      try {
        return await verb(...given);
      } finally {
        count(underWay, name, -1);
        count(ended, name, 1);
      }
    };
    return [name, call];
  };
  return Object.fromEntries(Object.entries(verbs).map(guard)) as ProgramVerbs;
}
