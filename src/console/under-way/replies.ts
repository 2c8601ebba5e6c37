/*
 * A person's answers in a dialogue about a file, with their questions. They are listed, and they are repeated if the
 * dialogue continues or if an earlier answer is changed.
 */

import type { TablePlace } from '../../propose/dialogue/reading-source.ts';
import type { SeenReading } from '../../propose/dialogue/review.ts';
import type { DialogueQuestion } from '../../propose/session/session.ts';

/**
 * A person's reply to a question. It is an answer (undefined for no answer), or the choice of another table of the
 * file.
 */
export type Said = { readonly answer: unknown } | { readonly readFrom: TablePlace };

/** A person's reply, with the identity of its question. */
export interface Reply {
  readonly to: string;
  /** The subject of the question, whatever questions came before it. */
  readonly subject: string;
  /** The content of the question. The same answer to the same content has the same meaning. */
  readonly content: string;
  readonly asked: Asked;
  readonly said: Said;
}

/** The data of a question that a list of answers needs. */
export type Asked = Pick<DialogueQuestion, 'question'> & HeadOf<DialogueQuestion>;

type HeadOf<Question> = Question extends DialogueQuestion
  ? Pick<Question, 'kind' | 'about' | Extract<keyof Question, 'field' | 'repair'>> & {
      readonly options: readonly { readonly id: string; readonly label: string }[];
    }
  : never;

/** An answer, for the list of answers so far. */
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

/**
 * The identity of a question. The facts about the file are not part of it, so answers are repeated even if these facts
 * may have changed.
 */
function identityOf({ question, kind, about, sheet }: DialogueQuestion): string {
  return JSON.stringify([question, kind, about, sheet]);
}

/**
 * The subject of a question. The question's number is not part of it, because the number counts the questions before
 * it.
 */
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

/** The values and options of a question, and its reason. The numbers of rows are not part of it. */
function contentOf(question: DialogueQuestion): string {
  const values =
    question.kind === 'values' || question.kind === 'refused'
      ? question.values.map(({ value }) => value)
      : [];
  return JSON.stringify([question.why, question.options.map(({ id }) => id), values]);
}

/** The head of a question. The possible meanings of many values are left out, because they would have megabytes. */
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

/* An earlier dialogue, with whose answers another dialogue begins. */

/** The beginning of a dialogue that continues with the replies of an earlier one. */
export interface TalkStart {
  readonly replies: readonly Reply[];
  /** The answer that a person wants to change. It is asked for again; `after` has the answers after it. */
  readonly toChange?: Reply | null;
  readonly after?: readonly Reply[];
  /**
   * The turn of the earlier dialogue. Later turns count on from it, so that no outdated page answers another question.
   */
  readonly turn: number;
}

/** How a dialogue is begun again. */
export interface AgainWith {
  /** The number of answers at the end that are left out. */
  readonly without?: number;
  /** The place of an answer that is to be changed, from 0. */
  readonly change?: number;
}

/** All replies with which a dialogue begins, in their order. */
export function repliesIn({
  replies,
  toChange = null,
  after = [],
}: Omit<TalkStart, 'turn'>): readonly Reply[] {
  return [...replies, ...(toChange === null ? [] : [toChange]), ...after];
}

/** The beginning of a dialogue with the replies of another one. */
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

/** The replies of one dialogue: those made in it, and those of an earlier one that may be repeated. */
export class Replies {
  /** The replies made in this dialogue, in order. */
  readonly #said: Reply[] = [];
  /** The replies of an earlier dialogue that were not repeated in this one yet. */
  readonly #toRepeat: Reply[];
  /** The reply that is to be changed; null if none exists. */
  #toChange: Reply | null;
  /** The replies after it. Each is repeated when the same question comes. */
  readonly #after: Reply[];
  /** The use of each column when the person last accepted the table of columns, by the column's title. */
  readonly #agreed = new Map<string, string>();

  constructor({ replies, toChange = null, after = [] }: Omit<TalkStart, 'turn'>) {
    this.#toRepeat = [...replies];
    this.#toChange = toChange;
    this.#after = [...after];
  }

  /** All replies, including those of the earlier dialogue that were not repeated yet. */
  get all(): readonly Reply[] {
    const toChange = this.#toChange;
    return repliesIn({ replies: [...this.#said, ...this.#toRepeat], toChange, after: this.#after });
  }

  /** The answers so far, in order. */
  get answered(): readonly Answered[] {
    return this.#said.map(({ asked, said }) => ({ asked, said }));
  }

  /** The earlier reply to a question; null once the questions differ from the earlier ones. */
  repeatedTo(question: DialogueQuestion): Said | null {
    const [first] = this.#toRepeat;
    return first?.to === identityOf(question) ? first.said : null;
  }

  /** Stops the repetition. It is called once a question has another answer than before, or none. */
  repeatNoMore(): void {
    this.#toRepeat.length = 0;
  }

  /** The earlier reply to a question when an answer is changed: the answer to this question, or to one before it. */
  againTo(question: DialogueQuestion): { readonly said: Said; readonly isRepeated: boolean } | undefined {
    if (this.#toRepeat.length > 0) return undefined;
    const toChange = this.#toChange;
    // The earlier reply counts until there is a new one, so that a person may leave it unchanged.
    if (toChange?.to === identityOf(question)) return { said: toChange.said, isRepeated: false };
    this.#toChange = null;
    const at = this.#after.findIndex(({ subject }) => subject === subjectOf(question));
    const [found] = at < 0 ? [] : this.#after.splice(at, 1);
    if (found === undefined) return undefined;
    // The whole reading has changed, so a person has to look at it again.
    const isRepeated = question.kind !== 'review' && found.content === contentOf(question);
    return { said: found.said, isRepeated };
  }

  note(question: DialogueQuestion, said: Said): void {
    this.#toRepeat.shift();
    if ('answer' in said && said.answer === 'back') {
      // The earlier answer is shown unchanged. A person who continues without a change repeats it.
      if (this.#toChange !== null) this.#after.unshift(this.#toChange);
      this.#toChange = this.#said.pop() ?? null;
    } else {
      if (this.#toChange?.to === identityOf(question)) this.#toChange = null;
      this.#said.push(replyTo(question, said));
      if (question.kind === 'review')
        for (const { column, field } of question.columns) this.#agreed.set(column, JSON.stringify(field));
    }
  }

  /** The columns of a review, where a guess that a person has accepted is no longer a guess. */
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
