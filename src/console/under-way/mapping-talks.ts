/*
 * Dialogues about how uploaded files are read. A dialogue spans many requests, and is kept here until the next
 * answer.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { CallEvent, Note } from '../../call/context.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { PutQuestion, TakeAnswer } from '../../propose/session/encoding-question.ts';
import type {
  DialogueQuestion,
  Grid,
  LedDialogue,
  MappingSession,
  SeenReading,
  TablePlace,
} from '../../propose/session/session.ts';
import { knownFailure } from './failures.ts';

/* Work that a page waits for; if it takes longer, the page shows that it is under way. */

/** How long a page waits before it shows that work is under way. */
export const patienceInMs = 3_000;

/** The result of a promise if it is ready soon; null otherwise. @throws what the promise throws */
export async function soon<Result>(work: Promise<Result>, waitInMs = patienceInMs): Promise<Result | null> {
  const waiting = new AbortController();
  const tooLong = delay(waitInMs, null, { signal: waiting.signal, ref: false }).catch(() => null);
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    waiting.abort();
  }
}

/** Runs one piece of work at a time. A request during the work gets the same result. */
export class PatientWork<Result> {
  #work: Promise<Result> | null = null;
  #isUnderWay = false;
  readonly #waitInMs: number;

  constructor(waitInMs: number = patienceInMs) {
    this.#waitInMs = waitInMs;
  }

  /** The result of the active work, else of new work; null if it takes longer, to be called again. */
  async take(begin: () => Promise<Result>): Promise<Result | null> {
    const work = this.#work ?? this.#begin(begin);
    try {
      const done = await soon(work, this.#waitInMs);
      if (done !== null) this.#forget(work);
      return done;
    } catch (error) {
      this.#forget(work);
      throw error;
    }
  }

  isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  #begin(begin: () => Promise<Result>): Promise<Result> {
    this.#isUnderWay = true;
    const work = begin().finally(() => {
      this.#isUnderWay = false;
    });
    // Nothing may be waiting when it fails; the next caller gets the error.
    work.catch(() => {});
    this.#work = work;
    return work;
  }

  #forget(work: Promise<Result>): void {
    if (this.#work === work) this.#work = null;
  }
}

/** A person's reply to a question: an answer, undefined for none, or the choice of another table of the file. */
export type Said = { readonly answer: unknown } | { readonly readFrom: TablePlace };

/** A question that is open. */
export interface OpenQuestion {
  readonly kind: 'asking';
  /** Counts the questions; an answer to an earlier one came too late. */
  readonly turn: number;
  readonly question: DialogueQuestion;
  /** Why the last answer was not possible; null for no error. */
  readonly problem: string | null;
  readonly canGoBack: boolean;
  /** The table that is read; null before the file is read. */
  readonly table: { readonly place: TablePlace; readonly grids: readonly Grid[] } | null;
  /** How the file is read, beside a review; null beside any other question. */
  readonly seen: SeenReading | null;
  /** Notes, such as on institutions that could not be fetched. */
  readonly notes: readonly Note[];
}

/** The state of a dialogue. */
type TalkState =
  | { readonly kind: 'working' }
  | OpenQuestion
  /** The file is read as agreed before, and nothing in it is new. */
  | { readonly kind: 'known'; readonly name: string | null }
  | { readonly kind: 'agreed' }
  | { readonly kind: 'failed'; readonly failure: PaybatchError };

/** The leader of one file's dialogue, for the engine. */
interface TalkLead {
  readonly lead: (session: MappingSession) => Promise<undefined>;
  readonly put: PutQuestion;
  readonly report: (event: CallEvent) => void;
}

/** Begins the dialogue of a file. */
export type BeginTalk = (
  lead: TalkLead,
) => Promise<{ readonly path: string | null; readonly remembered: string | null }>;

const mostNotes = 20;

interface Waiting {
  readonly say: (said: Said) => void;
  readonly end: (error: PaybatchError) => void;
}

/** The dialogue about one file with one person. */
export class MappingTalk {
  #state: TalkState = { kind: 'working' };
  #turn = 0;
  #waiting: Waiting | null = null;
  #isEnded = false;
  readonly #notes: Note[] = [];
  /** Resolves with the next change of the state. */
  #change: Promise<void>;
  #changed: () => void = () => {};

  constructor(begin: BeginTalk) {
    this.#change = this.#nextChange();
    const put: PutQuestion = (question, take) => this.#ask(question, take, null);
    const lead: TalkLead['lead'] = async ({ dialogue }) => {
      for (let question = await dialogue.next(); question !== null; question = await dialogue.next())
        await this.#ask(question, (number, given) => dialogue.answer(number, given), dialogue);
      return undefined;
    };
    const report = (event: CallEvent): void => {
      if (event.kind === 'note' && this.#notes.length < mostNotes) this.#notes.push(event.note);
    };
    begin({ put, lead, report }).then(
      ({ path, remembered }) =>
        this.#become(path === null ? { kind: 'known', name: remembered } : { kind: 'agreed' }),
      (error: unknown) => this.#become({ kind: 'failed', failure: knownFailure(error) }),
    );
  }

  get state(): TalkState {
    return this.#state;
  }

  /** The state once the work has ended; after a timeout, that it is still working. */
  async settled(waitInMs: number = patienceInMs): Promise<TalkState> {
    if (this.#state.kind === 'working') await soon(this.#change, waitInMs);
    return this.#state;
  }

  /** @returns false if another question is open, or none; the reply is then ignored */
  say(turn: number, said: Said): boolean {
    const { state } = this;
    if (state.kind !== 'asking' || state.turn !== turn || this.#waiting === null) return false;
    const { say } = this.#waiting;
    this.#waiting = null;
    this.#become({ kind: 'working' });
    say(said);
    return true;
  }

  /** Ends it and keeps nothing. */
  end(): void {
    this.#isEnded = true;
    this.#waiting?.end(abandoned());
    this.#waiting = null;
  }

  async #ask(question: DialogueQuestion, take: TakeAnswer, dialogue: LedDialogue | null): Promise<void> {
    this.#turn += 1;
    const place = dialogue === null ? null : await dialogue.place();
    const table = dialogue === null || place === null ? null : { place, grids: dialogue.grids };
    const seen = question.kind === 'review' && dialogue !== null ? await dialogue.seen() : null;
    let problem: string | null = null;
    for (;;) {
      const said = await this.#answerTo({
        kind: 'asking',
        turn: this.#turn,
        question,
        problem,
        canGoBack: dialogue?.canGoBack ?? false,
        table,
        seen,
        notes: this.#notes,
      });
      if ('readFrom' in said) problem = dialogue?.readFrom(said.readFrom) ?? null;
      else if (said.answer === undefined) problem = 'nothing was chosen';
      else problem = (await take(question.question, said.answer)) ?? null;
      if (problem === null) return;
    }
  }

  #answerTo(open: OpenQuestion): Promise<Said> {
    if (this.#isEnded) throw abandoned();
    return new Promise((say, end) => {
      this.#waiting = { say, end };
      this.#become(open);
    });
  }

  #become(state: TalkState): void {
    this.#state = state;
    const changed = this.#changed;
    this.#change = this.#nextChange();
    changed();
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#changed = resolve;
    });
  }
}

function abandoned(): PaybatchError {
  return new PaybatchError(
    'dialogue_ended',
    'The questions about the file were left before the last one was answered: nothing was kept.',
    { action: 'again' },
  );
}

interface Kept {
  readonly talk: MappingTalk;
  usedAtInMs: number;
}

/** Idle dialogues end; beyond the most dialogues, the one that has waited longest ends. */
export const talkLimits = { idleInMs: 30 * 60_000, most: 20 } as const;

/** The dialogues of this process, one per file and person. After a restart they begin again. */
export class MappingTalks {
  readonly #talks = new Map<string, Kept>();
  readonly #nowInMs: () => number;
  readonly #sweeping: NodeJS.Timeout;

  /** @param nowInMs the monotonic clock */
  constructor(nowInMs: () => number = () => performance.now()) {
    this.#nowInMs = nowInMs;
    // Idle dialogues also end without visitors, since each has the rows of its file in memory.
    this.#sweeping = setInterval(() => this.#endIdle(), 60_000).unref();
  }

  /** The dialogue of a file and person. @param key its unique key */
  find(key: string): MappingTalk | undefined {
    this.#endIdle();
    const kept = this.#talks.get(key);
    if (kept === undefined) return undefined;
    kept.usedAtInMs = this.#nowInMs();
    return kept.talk;
  }

  /** Begins one, and replaces an existing one. */
  open(key: string, begin: BeginTalk): MappingTalk {
    this.forget(key);
    const talk = new MappingTalk(begin);
    this.#talks.set(key, { talk, usedAtInMs: this.#nowInMs() });
    this.#endIdle();
    return talk;
  }

  /** Ends one, and keeps nothing of it. */
  forget(key: string): void {
    this.#talks.get(key)?.talk.end();
    this.#talks.delete(key);
  }

  /** Ends all of them. */
  close(): void {
    clearInterval(this.#sweeping);
    for (const key of [...this.#talks.keys()]) this.forget(key);
  }

  #endIdle(): void {
    const oldestFirst = [...this.#talks].sort(([, left], [, right]) => left.usedAtInMs - right.usedAtInMs);
    const now = this.#nowInMs();
    const tooMany = oldestFirst.length - talkLimits.most;
    for (const [at, [key, { usedAtInMs }]] of oldestFirst.entries()) {
      if (at < tooMany || now - usedAtInMs > talkLimits.idleInMs) this.forget(key);
    }
  }
}
