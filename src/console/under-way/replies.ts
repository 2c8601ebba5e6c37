/*
 * What a person has answered in a dialogue about a file, and to which question: to list it, and to say it again where the
 * dialogue goes on, or where an earlier answer is changed.
 */

import type { TablePlace } from '../../propose/dialogue/reading-source.ts';
import type { SeenReading } from '../../propose/dialogue/review.ts';
import type { DialogueQuestion } from '../../propose/session/session.ts';

/** A person's reply to a question: an answer, undefined for none, or the choice of another table of the file. */
export type Said = { readonly answer: unknown } | { readonly readFrom: TablePlace };

/** What a person said, with the identity of the question. */
export interface Reply {
  readonly to: string;
  /** What the question is about, whatever was asked before it. */
  readonly subject: string;
  /** What can be answered: the same answer to the same content means the same. */
  readonly content: string;
  readonly asked: Asked;
  readonly said: Said;
}

/** A question as far as a list of answers needs it. */
export type Asked = Pick<DialogueQuestion, 'question'> & HeadOf<DialogueQuestion>;

type HeadOf<Question> = Question extends DialogueQuestion
  ? Pick<Question, 'kind' | 'about' | Extract<keyof Question, 'field' | 'repair'>> & {
      readonly options: readonly { readonly id: string; readonly label: string }[];
    }
  : never;

/** An answer, for a list of those so far. */
export type Answered = Pick<Reply, 'asked' | 'said'>;

function replyTo(question: DialogueQuestion, said: Said): Reply {
  return {
    to: identityOf(question),
    subject: subjectOf(question),
    content: contentOf(question),
    asked: headOf(question),
    said,
  };
}

/** The facts of a file do not count for it: its answers are said again where they may have changed. */
function identityOf({ question, kind, about, sheet }: DialogueQuestion): string {
  return JSON.stringify([question, kind, about, sheet]);
}

/** What a question is about. Its number counts the questions before it, so it is no part of that. */
function subjectOf(question: DialogueQuestion): string {
  const { kind, about, sheet } = question;
  const part =
    question.kind === 'values' || question.kind === 'refused'
      ? [question.field, question.kind === 'refused' ? question.code : null]
      : question.kind === 'repair'
        ? [question.repair]
        : [];
  return JSON.stringify([kind, about, sheet, ...part]);
}

/** The values and options of a question, and why it is asked; the numbers of rows do not count. */
function contentOf(question: DialogueQuestion): string {
  const values =
    question.kind === 'values' || question.kind === 'refused'
      ? question.values.map(({ value }) => value)
      : [];
  return JSON.stringify([question.why, question.options.map(({ id }) => id), values]);
}

/** The possible meanings of many values would be megabytes, so they are not kept. */
function headOf(question: DialogueQuestion): Asked {
  const { question: number, about } = question;
  const options = question.options.map(({ id, label }) => ({ id, label }));
  switch (question.kind) {
    case 'values':
    case 'refused':
      return { question: number, kind: question.kind, about, field: question.field, options };
    case 'repair':
      return { question: number, kind: question.kind, about, repair: question.repair, options };
    default:
      return { question: number, kind: question.kind, about, options };
  }
}

/* An earlier dialogue, whose answers another one begins with. */

/** How a dialogue begins that goes on with what was said in an earlier one. */
export interface TalkStart {
  readonly replies: readonly Reply[];
  /** The answer that a person wants to change, which is asked for again, and those after it. */
  readonly toChange?: Reply | null;
  readonly after?: readonly Reply[];
  /** The turn of the earlier one; later ones count on, so that no old page answers another question. */
  readonly turn: number;
}

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

/** The answers of one dialogue: those that were said in it, and those of an earlier one that may be said again. */
export class Replies {
  /** What was said in this dialogue, in order. */
  readonly #said: Reply[] = [];
  /** What was said in an earlier one, and not in this one yet. */
  readonly #toRepeat: Reply[];
  /** The answer that is to be changed; null for none. */
  #toChange: Reply | null;
  /** What was said after it, which is said again wherever the same is asked. */
  readonly #after: Reply[];
  /** What each column was when the person last went on from the table of columns, by its title. */
  readonly #agreed = new Map<string, string>();

  constructor({ replies, toChange = null, after = [] }: Omit<TalkStart, 'turn'>) {
    this.#toRepeat = [...replies];
    this.#toChange = toChange;
    this.#after = [...after];
  }

  /** With those of the earlier dialogue that were not said again yet. */
  get all(): readonly Reply[] {
    const toChange = this.#toChange;
    return repliesIn({ replies: [...this.#said, ...this.#toRepeat], toChange, after: this.#after });
  }

  /** What was answered so far, in order. */
  get answered(): readonly Answered[] {
    return this.#said.map(({ asked, said }) => ({ asked, said }));
  }

  /** What was said to a question before; null once the questions are others than before. */
  repeatedTo(question: DialogueQuestion): Said | null {
    const [first] = this.#toRepeat;
    return first?.to === identityOf(question) ? first.said : null;
  }

  /** Once a question has another answer than before, or none, the following ones are not said again. */
  repeatNoMore(): void {
    this.#toRepeat.length = 0;
  }

  /** What was said to a question of which another answer is changed: to this one, or to one before it. */
  againTo(question: DialogueQuestion): { readonly said: Said; readonly isRepeated: boolean } | undefined {
    if (this.#toRepeat.length > 0) return undefined;
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

  note(question: DialogueQuestion, said: Said): void {
    this.#toRepeat.shift();
    if ('answer' in said && said.answer === 'back') {
      // What was answered is shown as it was: a person who goes on without a change has said it again.
      if (this.#toChange !== null) this.#after.unshift(this.#toChange);
      this.#toChange = this.#said.pop() ?? null;
    } else {
      if (this.#toChange?.to === identityOf(question)) this.#toChange = null;
      this.#said.push(replyTo(question, said));
      if (question.kind === 'review')
        for (const { column, field } of question.columns) this.#agreed.set(column, JSON.stringify(field));
    }
  }

  /** A guess that a person has gone on from is one no more. */
  withAgreed(
    seen: SeenReading,
    { columns }: Extract<DialogueQuestion, { readonly kind: 'review' }>,
  ): SeenReading {
    return {
      ...seen,
      columns: seen.columns.map((one, at) => {
        const asked = columns[at];
        const isAgreed =
          asked !== undefined && this.#agreed.get(asked.column) === JSON.stringify(asked.field);
        return isAgreed && one.sureness === 'guess' ? { ...one, sureness: 'decided' } : one;
      }),
    };
  }
}
