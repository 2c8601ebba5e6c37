/*
 * One dialogue about how a file is read. It spans many requests, and waits for the next answer. The answers are kept
 * after it has ended. They are repeated if the dialogue continues, or if an earlier answer is changed.
 */

import type { CallEvent } from '../../call/context.ts';
import type { Note } from '../../domain/batches/note.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { TablePlace } from '../../propose/dialogue/reading-source.ts';
import type { SeenReading } from '../../propose/dialogue/review.ts';
import type { PutQuestion, TakeAnswer } from '../../propose/session/encoding-question.ts';
import type {
  DialogueQuestion,
  LedDialogue,
  MappingSession,
  ReadDialect,
} from '../../propose/session/session.ts';
import type { Grid } from '../../propose/sheet/grid.ts';
import { knownFailure } from './failures.ts';
import { patienceInMs, soon } from './patient-work.ts';
import { type AgainWith, type Answered, Replies, type Said, startWith, type TalkStart } from './replies.ts';

/** An open question. */
export interface OpenQuestion {
  readonly kind: 'asking';
  /** Counts the questions. An answer to an earlier question came too late. */
  readonly turn: number;
  readonly question: DialogueQuestion;
  /** Why the last answer was not possible; null if there was no error. */
  readonly problem: string | null;
  readonly canGoBack: boolean;
  /** The table that is read; null before the file is read. */
  readonly table: { readonly place: TablePlace; readonly grids: readonly Grid[] } | null;
  /** How the characters of a CSV file are read; null if no other way can be chosen. */
  readonly dialect: ReadDialect | null;
  /** The earlier answer to the question, if it is asked again to be changed; undefined if none exists. */
  readonly earlier: unknown;
  /** The answers so far, in order. */
  readonly answered: readonly Answered[];
  /** The reading of the file, for a review; null for any other question. */
  readonly seen: SeenReading | null;
  /** Notes, such as notes about institutions that could not be fetched. */
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

/** The functions with which the engine leads the dialogue about one file. */
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

const firstStart: TalkStart = { replies: [], turn: 0 };

interface Waiting {
  readonly say: (said: Said) => void;
  readonly end: (error: PaybatchError) => void;
}

/** The dialogue about one file with one person. */
export class MappingTalk {
  #state: TalkState = { kind: 'working' };
  #turn: number;
  readonly #replies: Replies;
  #left = 0;
  #waiting: Waiting | null = null;
  #isEnded = false;
  readonly #notes: Note[] = [];
  #dialect: ReadDialect | null = null;
  readonly #onReply: () => void;
  /** Resolves at the next change of the state. */
  #change: Promise<void>;
  #changed: () => void = () => {};

  /** @param onReply called after an answer was accepted */
  constructor(begin: BeginTalk, start: TalkStart = firstStart, onReply: () => void = () => {}) {
    this.#onReply = onReply;
    this.#replies = new Replies(start);
    this.#turn = start.turn;
    this.#change = this.#nextChange();
    const put: PutQuestion = (question, take) => this.#ask(question, take, null);
    const lead: TalkLead['lead'] = async ({ dialogue, dialect = null }) => {
      this.#dialect = dialect;
      for (let question = await dialogue.next(); question !== null; question = await dialogue.next())
        await this.#ask(question, (number, said) => dialogue.answer(number, said), dialogue);
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

  /** The number of questions that were answered, and the minimum number of questions that are open. */
  get progress(): { readonly answered: number; readonly left: number } {
    return { answered: this.#replies.all.length, left: this.#left };
  }

  /** The data with which another dialogue about the file begins. */
  startAgain(again: AgainWith = {}): TalkStart {
    return startWith(this.#replies.all, this.#turn, again);
  }

  /** The state once the work has ended. After the timeout it is the state `working`. */
  async settled(waitInMs: number = patienceInMs): Promise<TalkState> {
    if (this.#state.kind === 'working') await soon(this.#change, waitInMs);
    return this.#state;
  }

  /** @returns false if another question or no question is open; the reply is then ignored */
  say(turn: number, said: Said): boolean {
    const { state } = this;
    if (state.kind !== 'asking' || state.turn !== turn || this.#waiting === null) return false;
    const { say } = this.#waiting;
    this.#waiting = null;
    this.#become({ kind: 'working' });
    say(said);
    return true;
  }

  /** Ends the dialogue and keeps nothing. */
  end(): void {
    this.#isEnded = true;
    this.#waiting?.end(abandoned());
    this.#waiting = null;
  }

  async #ask(question: DialogueQuestion, take: TakeAnswer, dialogue: LedDialogue | null): Promise<void> {
    if (this.#isEnded) throw abandoned();
    this.#turn += 1;
    const takeSaid = async (said: Said): Promise<string | null> => {
      const problem =
        'readFrom' in said
          ? dialogue?.readFrom(said.readFrom)
          : said.answer === undefined
            ? 'nothing was chosen'
            : await take(question.question, said.answer);
      if (problem !== undefined) return problem;
      this.#replies.note(question, said);
      this.#onReply();
      return null;
    };
    const repeated = this.#replies.repeatedTo(question);
    if (repeated !== null && (await takeSaid(repeated)) === null) return;
    const again = repeated === null ? this.#replies.againTo(question) : undefined;
    if (again?.isRepeated === true && (await takeSaid(again.said)) === null) return;
    this.#replies.repeatNoMore();
    const earlier = again !== undefined && 'answer' in again.said ? again.said.answer : undefined;
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
        earlier,
        answered: this.#replies.answered,
        seen:
          reading !== null && question.kind === 'review' ? this.#replies.withAgreed(reading, question) : null,
        notes: this.#notes,
      });
      problem = await takeSaid(said);
    } while (problem !== null);
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
