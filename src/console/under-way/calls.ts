/* Calls of the engine that outlive the request that began them. Each has a page with its own address. */

import { randomUUID } from 'node:crypto';
import { addOutcomes, type CallEvent, noOutcomes, type SentOutcomes, type Step } from '../../call/context.ts';
import type { InputAccount } from '../../domain/batches/account.ts';
import type { Note } from '../../domain/batches/note.ts';
import type { CallOutcome, PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { knownFailure } from './failures.ts';
import type { KeptFile } from './kept-files.ts';

/** The subject of a call. */
export interface CallSubject {
  /** The title of the call's page: `Checking recipients.csv`. */
  readonly title: string;
  /** The title of the page once the call has ended, if it differs: `What was sent of recipients.csv`. */
  readonly titleOfResult?: string;
  /** The upload whose files the call reads. */
  readonly upload?: string;
  /** The files that the call reads. Pages show them without their folders. */
  readonly files?: readonly KeptFile[];
  /** Whether the call sends these files; if absent, it only checks them. */
  readonly isSending?: boolean;
  /**
   * Whether a person has just decided how the files are read. A refusal is then shown, and the person is not asked
   * again.
   */
  readonly isAgreed?: boolean;
  /** The reconciliation that the call makes. */
  readonly reconciliation?: string;
  /** Whole id of the batch on which the call works. The page of the call is then the page of the batch. */
  readonly batch?: string;
  /** The page to go back to, if the call has its own page. */
  readonly back?: { readonly address: string; readonly name: string };
  /** The address to go to once the call has completed without an error, if that is not its only batch. */
  readonly next?: string;
  /** The name of the person who began the call. */
  readonly by: string;
}

/** The progress of a step. */
export interface StepProgress {
  readonly step: Step;
  readonly about: string | null;
  /** Number of rows; null while it is not known. */
  readonly rows: number | null;
  /** Rows that were done when the step began. */
  readonly doneBefore: number;
  /** These rows and the rows done since then. */
  done: number;
  /** The share that was read, from 0 to 1; null if rows are counted. */
  share: number | null;
  /** The outcomes of sent rows. */
  outcomes: SentOutcomes;
  readonly beganAtInMs: number;
}

/** How a call ended. */
export interface CallEnd {
  /** Null if the call ended with an error before it had a result. */
  readonly outcome: CallOutcome | null;
  readonly batches: readonly InputAccount[];
  readonly failure: PaybatchError | null;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** A call, under way or ended. */
export interface ConsoleCall extends CallSubject {
  readonly id: string;
  /** The number of events so far. A page with a lower number is outdated. */
  revision: number;
  step: StepProgress | null;
  readonly notes: Note[];
  /**
   * The end of a pause that the API has asked for, in milliseconds of the monotonic clock; null if there is no pause.
   */
  pausedUntilInMs: number | null;
  /** Whether the call was stopped. It ends once requests in flight are answered. */
  isStopping: boolean;
  /** The end of the call; null while it is under way. */
  end: CallEnd | null;
  readonly stop: () => void;
}

/** Begins a call with the options for following and stopping it. */
export type Begin = (options: {
  readonly signal: AbortSignal;
  readonly report: (event: CallEvent) => void;
}) => Promise<Omit<CallEnd, 'at'>>;

/** The maximum number of ended calls that are kept, for people who return to the page of a call. */
const mostEnded = 200;
const mostNotes = 100;

/** The calls of this process. Their results are in the ledger, so a batch's page shows them after a restart. */
export class Calls {
  readonly #calls = new Map<string, ConsoleCall>();
  readonly #nowInMs: () => number;
  readonly #now: () => Date;
  #changes = 0;

  /** @param nowInMs the monotonic clock */
  constructor(nowInMs: () => number = () => performance.now(), now: () => Date = () => new Date()) {
    this.#nowInMs = nowInMs;
    this.#now = now;
  }

  /** Begins a call and returns it at once. The call continues whether or not a page follows it. */
  begin(subject: CallSubject, begin: Begin): ConsoleCall {
    const stopping = new AbortController();
    const call: ConsoleCall = {
      ...subject,
      id: randomUUID(),
      revision: 0,
      step: null,
      notes: [],
      pausedUntilInMs: null,
      isStopping: false,
      end: null,
      stop: () => {
        call.isStopping = true;
        call.revision += 1;
        stopping.abort();
      },
    };
    this.#calls.set(call.id, call);
    this.#forgetOldest();
    const report = (event: CallEvent): void => this.#note(call, event);
    const ended = (end: Omit<CallEnd, 'at'>): void => {
      call.end = { ...end, at: this.#now().toISOString() };
      call.step = null;
      call.revision += 1;
      if (mayCreate(call)) this.#changes += 1;
    };
    begin({ signal: stopping.signal, report }).then(
      ({ outcome, batches, failure }) => ended({ outcome, batches, failure }),
      (error: unknown) => ended({ outcome: null, batches: [], failure: knownFailure(error) }),
    );
    return call;
  }

  /**
   * The number of ended calls that may have changed what exists at the API. After such a change, forecasts may be
   * outdated.
   */
  get changes(): number {
    return this.#changes;
  }

  find(id: string): ConsoleCall | undefined {
    return this.#calls.get(id);
  }

  /** The newest call that works on a batch, under way or ended. */
  newestOn(batch: string): ConsoleCall | undefined {
    return [...this.#calls.values()].findLast((call) => call.batch === batch);
  }

  /** The active call that works on a batch. */
  underWayOn(batch: string): ConsoleCall | undefined {
    const newest = this.newestOn(batch);
    return newest?.end === null ? newest : undefined;
  }

  /** The active call that makes a reconciliation. */
  underWayFor(reconciliation: string): ConsoleCall | undefined {
    return [...this.#calls.values()].find(
      (call) => call.reconciliation === reconciliation && call.end === null,
    );
  }

  /** The newest call that reads the files of an upload. */
  newestOf(upload: string): ConsoleCall | undefined {
    return [...this.#calls.values()].findLast((call) => call.upload === upload);
  }

  #note(call: ConsoleCall, event: CallEvent): void {
    call.revision += 1;
    switch (event.kind) {
      case 'step.started': {
        const { step, about, rows, done = 0 } = event;
        const beganAtInMs = this.#nowInMs();
        const outcomes = noOutcomes;
        call.step = { step, about, rows, doneBefore: done, done, share: null, outcomes, beganAtInMs };
        return;
      }
      case 'step.advanced': {
        const { step } = call;
        if (step === null) return;
        step.done += event.rows;
        step.share = event.share ?? step.share;
        step.outcomes = addOutcomes(step.outcomes, event.outcomes ?? noOutcomes);
        return;
      }
      case 'step.ended':
        call.step = null;
        return;
      case 'api.paused':
        call.pausedUntilInMs = this.#nowInMs() + event.waitInMs;
        return;
      case 'note':
        if (call.notes.length < mostNotes) call.notes.push(event.note);
        return;
      default:
    }
  }

  #forgetOldest(): void {
    const ended = [...this.#calls.values()].filter(({ end }) => end !== null);
    for (const { id } of ended.slice(0, Math.max(0, ended.length - mostEnded))) this.#calls.delete(id);
  }
}

/** Whether a call sends or works on a batch. Other calls only check files. */
function mayCreate({ isSending, batch }: CallSubject): boolean {
  return isSending === true || batch !== undefined;
}
