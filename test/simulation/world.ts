import { createHash } from 'node:crypto';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { Random } from './random.ts';

/** A simulated program: whatever is addressed to it is lost once it is dead, and waits while it is paused. */
export interface Actor {
  readonly name: string;
  isDead: boolean;
  pausedUntilInMs: number;
  /** It was paused, or the ledger was slow or away for it: its lease may have run out without its fault. */
  mayHaveLostLease: boolean;
}

/** Something that will happen. */
export interface Happening {
  isCancelled: boolean;
}

interface Scheduled extends Happening {
  atInMs: number;
  /** Decides between events of the same moment. */
  order: number;
  /** It would have happened, but for its owner's pause. */
  isDeferred: boolean;
  readonly owner: Actor | null;
  readonly act: () => void;
}

/** What must always hold: checked with every request, every commit, and at the end. */
export type Invariant =
  /** The API never has two, unless a person's verdict was `send`. */
  | 'one object for a natural key'
  /** A key leaves with the bytes and the path that the ledger has, always. */
  | 'one key, one request'
  /** A key that may have been carried out never leaves under another API key. */
  | 'one key, one credential'
  /** In the part of this host's run log that is on disk for certain. */
  | 'key on disk before it is sent'
  /** The same for the claim under which a row is sent. */
  | 'claim on disk before it is sent'
  /** On disk, and of a line at or behind that of the claim: else a cut claim would go unnoticed. */
  | 'head before it is sent'
  /** Else a ledger could look like one that has lost what it knew. */
  | 'a log names only what is committed'
  /** Committed. */
  | 'key in the ledger before it is sent'
  /** Counted from its first request that may have been carried out. */
  | 'no key past its lifetime'
  /** Unless its program was paused, or had lost the ledger. */
  | 'nothing of a closed batch is sent'
  /** No account leaves before its customer exists. */
  | 'parent before child'
  /** In each run. */
  | 'concurrency limit'
  /** In each run, in any second. */
  | 'rate limit'
  /** `Retry-After`, in each run. */
  | 'pause kept'
  /** Once the run's stop flag is up. */
  | 'nothing is sent after a stop'
  /** The id is the one that the API gave for this row's key, and never changes. */
  | 'created has evidence'
  /** The API has none for this row's key. */
  | 'rejected has no object'
  /** Never a timeout, a 5xx, a refused credential, a 409 or a 429. */
  | 'only a refusal rejects'
  /** Two runs have requests of one row under way only if one of them was paused or had lost the ledger. */
  | 'one worker for a row'
  /** The conclusion of a worker whose token is no longer valid. */
  | 'a late conclusion changes nothing'
  /** In each run. */
  | 'limit of tries'
  /** At the end each object belongs to a row, and no two rows claim the same one. */
  | 'every row once'
  /** Of those that write to one log: not all of their runs end as if all were well. */
  | 'two ledgers are noticed'
  /** Whatever was changed, cut off or swapped in a log from which a batch is recovered. */
  | 'a damaged log sends nothing twice'
  /** No run waits for what does not come. */
  | 'every run ends'
  /** While others are answered: these are created, and no run says that the API is down. */
  | 'bad rows stop nothing'
  /** After some tens of requests, where no row is answered at all. */
  | 'an outage is told soon'
  /** Once faults have ended and everything was resumed. */
  | 'a second resume sends nothing'
  /** No row is left that could have moved by itself. */
  | 'the end is conclusive'
  /** Nothing is thrown but what is expected, and no constraint of the tables is broken. */
  | 'no internal error';

export interface Violation {
  readonly invariant: Invariant;
  readonly what: string;
}

const mostEvents = 30_000;

/** Virtual time, a queue of events in an order that the seed decides, and a record of what happened. */
export class World {
  readonly random: Random;
  readonly violations: Violation[] = [];
  /** What this schedule is not about. */
  readonly ignored = new Set<Invariant>();
  /** What happened, for people; two runs of one seed write the very same. */
  readonly trace: string[] = [];
  nowInMs = 0;
  eventCount = 0;
  /** Called after every event; breaks what the schedule says. */
  afterEvent: () => void = () => {};
  readonly #queue: Scheduled[] = [];

  constructor(random: Random) {
    this.random = random;
  }

  after(delayInMs: number, owner: Actor | null, act: () => void): Happening {
    const atInMs = this.nowInMs + Math.max(0, delayInMs);
    return this.#push({
      atInMs,
      order: this.random.fraction(),
      owner,
      act,
      isCancelled: false,
      isDeferred: false,
    });
  }

  /** At once when there is no delay: not an event of its own. */
  afterOrNow(delayInMs: number, act: () => void): void {
    if (delayInMs === 0) act();
    else this.after(delayInMs, null, act);
  }

  note(who: string, text: string): void {
    this.trace.push(`${(this.nowInMs / 1000).toFixed(3).padStart(10)} ${who.padEnd(6)} ${text}`);
  }

  violate(invariant: Invariant, what: string): void {
    if (this.ignored.has(invariant)) return;
    this.violations.push({ invariant, what });
    this.note('!', `${invariant}: ${what}`);
  }

  /** SHA-256 of the trace, in hex. */
  traceHash(): string {
    return createHash('sha256').update(this.trace.join('\n')).digest('hex');
  }

  /** Ends a pause early: what was put off happens now. */
  wake(actor: Actor): void {
    actor.pausedUntilInMs = this.nowInMs;
    for (const event of this.#queue) {
      if (event.owner === actor && event.isDeferred) event.atInMs = this.nowInMs;
    }
    // A sorted queue is a heap.
    this.#queue.sort((left, right) => (isBefore(left, right) ? -1 : 1));
  }

  /** Lets things happen until `isDone`, or until an invariant is broken. */
  async run(isDone: () => boolean): Promise<void> {
    while (!isDone() && this.violations.length === 0) {
      const next = this.#pop();
      if (next === undefined || this.eventCount > mostEvents) {
        this.violate('every run ends', `waited for in vain, after ${this.eventCount} events`);
        return;
      }
      await this.#happen(next);
    }
  }

  async #happen(event: Scheduled): Promise<void> {
    const { owner } = event;
    if (event.isCancelled || owner?.isDead === true) return;
    this.nowInMs = Math.max(this.nowInMs, event.atInMs);
    if (owner !== null && owner.pausedUntilInMs > this.nowInMs) {
      event.isDeferred = true;
      this.#push(Object.assign(event, { atInMs: owner.pausedUntilInMs, order: this.random.fraction() }));
      return;
    }
    this.eventCount += 1;
    event.act();
    // The engine waits for nothing but promises and, in one place, a turn of the event loop.
    if (owner !== null) {
      await turnOfEventLoop();
      await turnOfEventLoop();
    }
    this.afterEvent();
  }

  #push(event: Scheduled): Scheduled {
    const queue = this.#queue;
    let at = queue.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(queue[at], queue[parent])) break;
      swap(queue, at, parent);
      at = parent;
    }
    return event;
  }

  #pop(): Scheduled | undefined {
    const queue = this.#queue;
    const first = queue[0];
    const last = queue.pop();
    if (first === undefined || last === undefined || queue.length === 0) return first;
    queue[0] = last;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const child = isBefore(queue[left + 1], queue[left]) ? left + 1 : left;
      if (!isBefore(queue[child], queue[at])) return first;
      swap(queue, at, child);
      at = child;
    }
  }
}

function isBefore(left: Scheduled | undefined, right: Scheduled | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  return left.atInMs < right.atInMs || (left.atInMs === right.atInMs && left.order < right.order);
}

function swap(queue: Scheduled[], left: number, right: number): void {
  const [a, b] = [queue[left], queue[right]];
  if (a === undefined || b === undefined) return;
  queue[left] = b;
  queue[right] = a;
}
