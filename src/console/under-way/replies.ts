/* What a person has answered in a dialogue about a file, and to which question: to say it again, and to list it. */

import type { TablePlace } from '../../propose/dialogue/reading-source.ts';
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

export function answeredOf({ asked, said }: Reply): Answered {
  return { asked, said };
}

export function replyTo(question: DialogueQuestion, said: Said): Reply {
  return {
    to: identityOf(question),
    subject: subjectOf(question),
    content: contentOf(question),
    asked: headOf(question),
    said,
  };
}

/** The facts of a file do not count for it: its answers are said again where they may have changed. */
export function identityOf({ question, kind, about, sheet }: DialogueQuestion): string {
  return JSON.stringify([question, kind, about, sheet]);
}

/** What a question is about. Its number counts the questions before it, so it is no part of that. */
export function subjectOf(question: DialogueQuestion): string {
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
export function contentOf(question: DialogueQuestion): string {
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
