/*
 * Dialogues about how uploaded files are read. A dialogue spans many requests, and is kept here until the next
 * answer. What was answered is kept after it has ended, and is said again where it goes on.
 */

import type { CallEvent, Note } from '../../call/context.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { PutQuestion, TakeAnswer } from '../../propose/session/encoding-question.ts';
import type {
  DialogueQuestion,
  Grid,
  LedDialogue,
  MappingSession,
  ReadDialect,
  SeenReading,
  TablePlace,
} from '../../propose/session/session.ts';
import { knownFailure } from './failures.ts';
import { patienceInMs, soon } from './patient-work.ts';

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
  /** How the characters of a CSV file are read; null where no other way can be chosen. */
  readonly dialect: ReadDialect | null;
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

/** What a person said, with the identity of the question. */
interface Reply {
  readonly to: string;
  readonly said: Said;
}

/** How a dialogue begins that goes on with what was said in an earlier one. */
interface TalkStart {
  readonly replies: readonly Reply[];
  /** The turn of the earlier one; later ones count on, so that no old page answers another question. */
  readonly turn: number;
}

/** The facts of a file do not count for it: its answers are said again where they may have changed. */
function identityOf({ question, kind, about, sheet }: DialogueQuestion): string {
  return JSON.stringify([question, kind, about, sheet]);
}

interface Waiting {
  readonly say: (said: Said) => void;
  readonly end: (error: PaybatchError) => void;
}

/** The dialogue about one file with one person. */
export class MappingTalk {
  #state: TalkState = { kind: 'working' };
  #turn: number;
  /** What was said in this dialogue, in order. */
  readonly #replies: Reply[] = [];
  /** What was said in an earlier one, and not in this one yet. */
  readonly #toRepeat: Reply[];
  #left = 0;
  #waiting: Waiting | null = null;
  #isEnded = false;
  readonly #notes: Note[] = [];
  #dialect: ReadDialect | null = null;
  /** Resolves with the next change of the state. */
  #change: Promise<void>;
  #changed: () => void = () => {};

  constructor(begin: BeginTalk, { replies, turn }: TalkStart = { replies: [], turn: 0 }) {
    this.#toRepeat = [...replies];
    this.#turn = turn;
    this.#change = this.#nextChange();
    const put: PutQuestion = (question, take) => this.#ask(question, take, null);
    const lead: TalkLead['lead'] = async ({ dialogue, dialect = null }) => {
      this.#dialect = dialect;
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

  /** The number of questions that were answered, and of those that are open at least. */
  get progress(): { readonly answered: number; readonly left: number } {
    return { answered: this.#replies.length + this.#toRepeat.length, left: this.#left };
  }

  /** What another dialogue about the file begins with. @param without the number of last answers that are left out */
  startAgain(without = 0): TalkStart {
    const all = [...this.#replies, ...this.#toRepeat];
    return { replies: all.slice(0, Math.max(0, all.length - without)), turn: this.#turn };
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
    if (this.#isEnded) throw abandoned();
    this.#turn += 1;
    const to = identityOf(question);
    const takeSaid = async (said: Said): Promise<string | null> => {
      const problem =
        'readFrom' in said
          ? dialogue?.readFrom(said.readFrom)
          : said.answer === undefined
            ? 'nothing was chosen'
            : await take(question.question, said.answer);
      if (problem === undefined) this.#note(to, said);
      return problem ?? null;
    };
    const repeated = this.#repeatedTo(to);
    if (repeated !== null && (await takeSaid(repeated)) === null) return;
    this.#toRepeat.length = 0;
    const place = dialogue === null ? null : await dialogue.place();
    const table = dialogue === null || place === null ? null : { place, grids: dialogue.grids };
    const reading = dialogue === null ? null : await dialogue.seen();
    const next = reading?.next.length ?? 0;
    this.#left = question.kind === 'review' ? next + 1 : Math.max(1, next);
    let problem: string | null = null;
    do {
      const said = await this.#answerTo({
        kind: 'asking',
        turn: this.#turn,
        question,
        problem,
        canGoBack: dialogue?.canGoBack ?? false,
        table,
        dialect: this.#dialect,
        seen: question.kind === 'review' ? reading : null,
        notes: this.#notes,
      });
      problem = await takeSaid(said);
    } while (problem !== null);
  }

  /** What was said to a question before; null once the questions are others than before. */
  #repeatedTo(to: string): Said | null {
    const [first] = this.#toRepeat;
    return first?.to === to ? first.said : null;
  }

  #note(to: string, said: Said): void {
    this.#toRepeat.shift();
    if ('answer' in said && said.answer === 'back') this.#replies.pop();
    else this.#replies.push({ to, said });
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

/** The file that a dialogue is about, and the person who is asked. */
export interface TalkAbout {
  readonly by: string;
  readonly name: string;
  readonly address: string;
  readonly path: string;
}

/** A dialogue that somebody may go on with. */
export interface OpenTalk extends TalkAbout {
  readonly answered: number;
  readonly left: number;
}

/** How a dialogue begins. */
interface TalkBeginning {
  readonly about: TalkAbout;
  /** Whether everything is asked again although it was agreed to before. */
  readonly isAgain: boolean;
  /** Counts the changes of what exists, by which its forecasts become old. */
  readonly changes: number;
  readonly begin: (isAgain: boolean) => BeginTalk;
}

interface Kept extends Omit<TalkBeginning, 'begin'> {
  readonly talk: MappingTalk;
  /** Whether it has ended, and only its answers are kept. */
  isResting: boolean;
  usedAtInMs: number;
}

/**
 * Idle dialogues end; beyond the most dialogues, the one that has waited longest ends. Beyond the most that rest, the oldest
 * answers are forgotten.
 */
export const talkLimits = { idleInMs: 30 * 60_000, most: 20, mostResting: 200 } as const;

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

  /** The dialogue of a file and person, unless it rests. @param key its unique key */
  find(key: string): MappingTalk | undefined {
    this.#endIdle();
    const kept = this.#talks.get(key);
    if (kept === undefined || kept.isResting) return undefined;
    kept.usedAtInMs = this.#nowInMs();
    return kept.talk;
  }

  /** The dialogues of a person, the ones that rest too: those used last first. */
  of(by: string): readonly OpenTalk[] {
    return [...this.#talks.values()]
      .filter(({ about }) => about.by === by)
      .sort((left, right) => right.usedAtInMs - left.usedAtInMs)
      .map(({ about, talk }) => ({ ...about, ...talk.progress }));
  }

  /** Whether something has changed since it has begun, so that its numbers may be old. */
  isOld(key: string, changes: number): boolean {
    const kept = this.#talks.get(key);
    return kept !== undefined && kept.changes !== changes;
  }

  /** Whether there are answers with which a dialogue would go on. */
  hasAnswers(key: string): boolean {
    return (this.#talks.get(key)?.talk.progress.answered ?? 0) > 0;
  }

  /**
   * Begins one, and replaces an existing one. It goes on with the answers of that one.
   * @param without the number of its last answers that are left out
   */
  open(key: string, { about, isAgain, changes, begin }: TalkBeginning, without = 0): MappingTalk {
    const before = this.#talks.get(key);
    before?.talk.end();
    const isAsBefore = before?.isAgain ?? isAgain;
    const talk = new MappingTalk(begin(isAsBefore), before?.talk.startAgain(without));
    // The order of the entries is that in which they were begun.
    this.#talks.delete(key);
    this.#talks.set(key, {
      about,
      isAgain: isAsBefore,
      changes,
      talk,
      isResting: false,
      usedAtInMs: this.#nowInMs(),
    });
    this.#endIdle();
    return talk;
  }

  /** Ends one, and keeps what was answered; one without answers is forgotten. */
  rest(key: string): void {
    const kept = this.#talks.get(key);
    if (kept === undefined) return;
    kept.talk.end();
    kept.isResting = true;
    if (kept.talk.progress.answered === 0) this.#talks.delete(key);
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
    const active = oldestFirst.filter(([, { isResting }]) => !isResting);
    const tooMany = active.length - talkLimits.most;
    for (const [at, [key, { usedAtInMs }]] of active.entries()) {
      if (at < tooMany || now - usedAtInMs > talkLimits.idleInMs) this.rest(key);
    }
    const resting = oldestFirst.filter(([, { isResting }]) => isResting);
    for (const [key] of resting.slice(0, Math.max(0, resting.length - talkLimits.mostResting)))
      this.forget(key);
  }
}
