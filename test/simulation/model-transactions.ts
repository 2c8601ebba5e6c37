import type { ModelLedger, ModelTransaction } from './model-ledger.ts';
import type { Actor, World } from './world.ts';

/** A change of a batch, from its transaction's beginning on. */
export interface ModelChange<Value> {
  readonly name: string;
  readonly batchId: string;
  /** Whose connection it is; null for a caller that no fault can hit. */
  readonly actor: Actor | null;
  readonly act: (draft: ModelLedger) => Value;
  /** Between two statements of the program, and from its COMMIT until others see what it did; milliseconds. */
  readonly workInMs: number;
  readonly commitInMs: number;
  /** How long it waits for the lock. */
  readonly patienceInMs: number;
  /** Looks at the ledger just before it is committed. @returns looks again, just after */
  readonly watch?: () => () => void;
  /** Its COMMIT is under way: whatever becomes of the connection, it will be done. */
  readonly onCommitSent: () => void;
  readonly onCommitted: (value: Value) => void;
  /** Nothing was done. */
  readonly onUndone: (error: unknown) => void;
}

/** What the server says when a lock was not to be had in time, or a session did nothing for too long. */
export function serverError(code: '55P03' | '25P03' | '08006'): Error {
  return Object.assign(new Error(`the database ends it (${code})`), { code });
}

/** Whether an error says that the ledger could not be reached, or not in time. */
export function isOfServer(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && ['55P03', '25P03', '08006'].includes(String(error.code))
  );
}

/** A transaction in whose midst a program pauses is ended by the server. */
const longestIdleInMs = 15_000;

/**
 * The changes of all programs, as far as the lock of a batch lets them overlap: one of a batch at a time, each with its
 * beginning, its decision once it has the lock, and its commit. No other transaction sees what was decided before the
 * commit, and everything else goes on meanwhile: changes of other batches, signs of life, ends of runs, and readers.
 */
export class ModelTransactions {
  readonly #world: World;
  readonly #model: ModelLedger;
  /** Who waits for the lock of each batch that somebody has, in their order. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** Those that were decided and are not committed, with what is to happen at their end. */
  readonly #decided = new Map<ModelTransaction, (() => void)[]>();

  constructor(world: World, model: ModelLedger) {
    this.#world = world;
    this.#model = model;
  }

  /** Whether somebody has the lock of a batch. */
  isLocked(batchId: string): boolean {
    return this.#waiting.has(batchId);
  }

  begin<Value>(change: ModelChange<Value>): void {
    // The time of a transaction is that of its beginning, however long it waits for the lock.
    const now = this.#model.now();
    const decide = (): void => this.#decide(change, now);
    const queue = this.#waiting.get(change.batchId);
    if (queue === undefined) {
      this.#waiting.set(change.batchId, []);
      decide();
      return;
    }
    queue.push(decide);
    this.#world.after(change.patienceInMs, null, () => {
      const place = queue.indexOf(decide);
      if (place < 0) return;
      queue.splice(place, 1);
      change.onUndone(serverError('55P03'));
    });
  }

  /** Does something to a run's line once no transaction that has changed it is under way. */
  onceRunIsFree(runId: string, then: () => void): void {
    const ends = this.#endsOf(({ changedRuns }) => changedRuns().includes(runId));
    if (ends === undefined) then();
    else ends.push(() => this.onceRunIsFree(runId, then));
  }

  #endsOf(isMeant: (transaction: ModelTransaction) => boolean): (() => void)[] | undefined {
    for (const [transaction, ends] of this.#decided) if (isMeant(transaction)) return ends;
    return undefined;
  }

  #decide<Value>(change: ModelChange<Value>, now: number): void {
    if (change.actor?.isDead === true) {
      this.#undo(change, serverError('08006'));
      return;
    }
    const transaction = this.#model.begin(now);
    let value: Value;
    try {
      value = change.act(transaction.draft);
    } catch (error) {
      this.#undo(change, error);
      return;
    }
    // A natural key or an object that another batch's transaction is about to have: its end is waited for.
    const taken = this.#decided.size === 0 ? [] : transaction.taken();
    const ends = this.#endsOf((other) => other.taken().some((name) => taken.includes(name)));
    if (ends !== undefined) {
      ends.push(() => this.#decide(change, now));
      return;
    }
    this.#decided.set(transaction, []);
    this.#reachCommit(change, transaction, value, this.#world.nowInMs + longestIdleInMs);
  }

  /** Commits what was decided, once the program comes to it. */
  #reachCommit<Value>(
    change: ModelChange<Value>,
    transaction: ModelTransaction,
    value: Value,
    endedAtInMs: number,
  ): void {
    this.#world.afterOrNow(change.workInMs, () => {
      const { nowInMs } = this.#world;
      const { isDead = false, pausedUntilInMs = 0 } = change.actor ?? {};
      if (isDead || nowInMs >= endedAtInMs) {
        this.#end(transaction);
        this.#undo(change, serverError('25P03'));
      } else if (pausedUntilInMs <= nowInMs) {
        this.#commit(change, transaction, value);
      } else {
        const workInMs = Math.min(pausedUntilInMs, endedAtInMs) - nowInMs;
        this.#reachCommit({ ...change, workInMs }, transaction, value, endedAtInMs);
      }
    });
  }

  #commit<Value>(change: ModelChange<Value>, transaction: ModelTransaction, value: Value): void {
    change.onCommitSent();
    this.#world.afterOrNow(change.commitInMs, () => {
      const lookAgain = change.watch?.();
      transaction.commit();
      lookAgain?.();
      this.#world.note('ledger', `${change.name} of ${change.actor?.name ?? 'somebody'}`);
      change.onCommitted(value);
      this.#end(transaction);
      this.#unlock(change.batchId);
    });
  }

  #undo<Value>(change: ModelChange<Value>, error: unknown): void {
    change.onUndone(error);
    this.#unlock(change.batchId);
  }

  #end(transaction: ModelTransaction): void {
    const ends = this.#decided.get(transaction) ?? [];
    this.#decided.delete(transaction);
    for (const then of ends) then();
  }

  /** Gives the lock to who has waited longest. */
  #unlock(batchId: string): void {
    const next = this.#waiting.get(batchId)?.shift();
    if (next === undefined) this.#waiting.delete(batchId);
    else next();
  }
}
