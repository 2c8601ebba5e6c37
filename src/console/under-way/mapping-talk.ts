/*
 * One dialogue about how a file is read. It spans many requests, and waits for the next answer. What was answered is kept
 * after it has ended, and is said again where it goes on, or where an earlier answer is changed.
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
import {
  type Answered,
  answeredOf,
  contentOf,
  identityOf,
  type Reply,
  replyTo,
  type Said,
  subjectOf,
} from './replies.ts';

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
  /** What was said to it before, where it is asked again for another answer; undefined for nothing. */
  readonly earlier: unknown;
  /** What was answered so far, in order. */
  readonly answered: readonly Answered[];
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

/** How a dialogue begins that goes on with what was said in an earlier one. */
export interface TalkStart {
  readonly replies: readonly Reply[];
  /** The answer that a person wants to change, which is asked for again, and those after it. */
  readonly toChange?: Reply | null;
  readonly after?: readonly Reply[];
  /** The turn of the earlier one; later ones count on, so that no old page answers another question. */
  readonly turn: number;
}

const firstStart: TalkStart = { replies: [], turn: 0 };

/** How a dialogue is begun again. */
export interface AgainWith {
  /** The number of last answers that are left out. */
  readonly without?: number;
  /** The place of an answer that is to be changed, from 0 on. */
  readonly change?: number;
}

/** All answers with which a dialogue begins, in their order. */
export function repliesIn({
  replies,
  toChange = null,
  after = [],
}: Omit<TalkStart, 'turn'>): readonly Reply[] {
  return [...replies, ...(toChange === null ? [] : [toChange]), ...after];
}

/** How a dialogue begins with the answers of another one. */
export function startWith(
  all: readonly Reply[],
  turn: number,
  { without = 0, change }: AgainWith,
): TalkStart {
  const toChange = change === undefined ? undefined : all[change];
  if (change === undefined || toChange === undefined)
    return { replies: all.slice(0, Math.max(0, all.length - without)), turn };
  return { replies: all.slice(0, change), toChange, after: all.slice(change + 1), turn };
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
  /** The answer that is to be changed; null for none. */
  #toChange: Reply | null = null;
  /** What was said after it, which is said again wherever the same is asked. */
  readonly #after: Reply[];
  /** What each column was when the person last went on from the table of columns, by its title. */
  readonly #agreed = new Map<string, string>();
  #left = 0;
  #waiting: Waiting | null = null;
  #isEnded = false;
  readonly #notes: Note[] = [];
  #dialect: ReadDialect | null = null;
  readonly #onReply: () => void;
  /** Resolves with the next change of the state. */
  #change: Promise<void>;
  #changed: () => void = () => {};

  /** @param onReply called once an answer was taken */
  constructor(
    begin: BeginTalk,
    { replies, toChange = null, after = [], turn }: TalkStart = firstStart,
    onReply: () => void = () => {},
  ) {
    this.#onReply = onReply;
    this.#toRepeat = [...replies];
    this.#toChange = toChange;
    this.#after = [...after];
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
    return { answered: this.#all().length, left: this.#left };
  }

  /** What another dialogue about the file begins with. */
  startAgain(again: AgainWith = {}): TalkStart {
    return startWith(this.#all(), this.#turn, again);
  }

  #all(): readonly Reply[] {
    const toChange = this.#toChange;
    return repliesIn({ replies: [...this.#replies, ...this.#toRepeat], toChange, after: this.#after });
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
      if (problem === undefined) this.#note(question, said);
      return problem ?? null;
    };
    const repeated = this.#repeatedTo(to);
    if (repeated !== null && (await takeSaid(repeated)) === null) return;
    const again = repeated === null && this.#toRepeat.length === 0 ? this.#againTo(question) : undefined;
    if (again?.isRepeated === true && (await takeSaid(again.said)) === null) return;
    this.#toRepeat.length = 0;
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
        answered: this.#replies.map(answeredOf),
        seen: question.kind === 'review' ? withAgreed(reading, question, this.#agreed) : null,
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

  /** What was said to a question of which another answer is changed: to this one, or to one before it. */
  #againTo(question: DialogueQuestion): { readonly said: Said; readonly isRepeated: boolean } | undefined {
    const toChange = this.#toChange;
    // It counts until there is another answer, so that a person may leave it as it was.
    if (toChange?.to === identityOf(question)) return { said: toChange.said, isRepeated: false };
    this.#toChange = null;
    const at = this.#after.findIndex(({ subject }) => subject === subjectOf(question));
    const [found] = at < 0 ? [] : this.#after.splice(at, 1);
    if (found === undefined) return undefined;
    // The whole reading is another one now, so a person looks at it again.
    const isRepeated = question.kind !== 'review' && found.content === contentOf(question);
    return { said: found.said, isRepeated };
  }

  #note(question: DialogueQuestion, said: Said): void {
    this.#toRepeat.shift();
    if ('answer' in said && said.answer === 'back') {
      // What was answered is shown as it was: a person who goes on without a change has said it again.
      if (this.#toChange !== null) this.#after.unshift(this.#toChange);
      this.#toChange = this.#replies.pop() ?? null;
    } else {
      if (this.#toChange?.to === identityOf(question)) this.#toChange = null;
      this.#replies.push(replyTo(question, said));
      if (question.kind === 'review')
        for (const { column, field } of question.columns) this.#agreed.set(column, JSON.stringify(field));
    }
    this.#onReply();
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

/** A guess that a person has gone on from is one no more. */
function withAgreed(
  seen: SeenReading | null,
  { columns }: Extract<DialogueQuestion, { readonly kind: 'review' }>,
  agreed: ReadonlyMap<string, string>,
): SeenReading | null {
  if (seen === null) return null;
  const isAgreed = ({ column, field }: (typeof columns)[number]): boolean =>
    agreed.get(column) === JSON.stringify(field);
  return {
    ...seen,
    columns: seen.columns.map((one, at) => {
      const asked = columns[at];
      const isNoGuess = one.sureness === 'guess' && asked !== undefined && isAgreed(asked);
      return isNoGuess ? { ...one, sureness: 'decided' } : one;
    }),
  };
}

function abandoned(): PaybatchError {
  return new PaybatchError(
    'dialogue_ended',
    'The questions about the file were left before the last one was answered: nothing was kept.',
    { action: 'again' },
  );
}
