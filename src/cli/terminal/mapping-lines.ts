/* The mapping dialogue with a program: a JSON object a line, questions out, answers in. */

import { createInterface } from 'node:readline';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { PutQuestion, TakeAnswer } from '../../propose/session/encoding-question.ts';
import { reasonText } from '../../propose/session/question-reason.ts';
import type { MappingSession } from '../../propose/session/session.ts';

/** A program that answers: a JSON object a line, questions on standard output, answers on standard input (docs/mapping.md). */
interface AnsweringProgram {
  /** @throws PaybatchError (`usage`) when the answers end before one was taken: nothing is kept */
  readonly put: PutQuestion;
  readonly close: () => void;
}

export function openProgram(input: NodeJS.ReadableStream, write: (line: string) => void): AnsweringProgram {
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  const answers = lines[Symbol.asyncIterator]();
  return {
    put: async (question, take) => {
      // A program reads a sentence, where the engine has a code and facts.
      write(JSON.stringify({ ...question, why: reasonText(question.why) }));
      for (;;) {
        const { value, done } = await answers.next();
        if (done === true) throw endedEarly();
        if (value.trim() === '') continue;
        const problem = await answerIn(value, take);
        if (problem === undefined) return;
        write(JSON.stringify({ question: question.question, error: problem }));
      }
    },
    close: () => lines.close(),
  };
}

/** Leads the mapping dialogue with a program. */
export async function leadByLines(
  { dialogue }: MappingSession,
  { put }: AnsweringProgram,
): Promise<undefined> {
  for (let question = await dialogue.next(); question !== null; question = await dialogue.next())
    await put(question, (number, answer) => dialogue.answer(number, answer));
}

/** @returns what is wrong with the line, in a sentence */
async function answerIn(line: string, take: TakeAnswer): Promise<string | undefined> {
  let given: unknown;
  try {
    given = JSON.parse(line);
  } catch {
    return 'the line is not JSON';
  }
  if (typeof given !== 'object' || given === null || !('question' in given) || !('answer' in given))
    return 'an answer is {"question": N, "answer": ...}';
  return typeof given.question === 'number'
    ? take(given.question, given.answer)
    : 'the question is named by its number';
}

function endedEarly(): PaybatchError {
  return new PaybatchError(
    'dialogue_ended',
    'Standard input ended before the last question was answered: no mapping was kept.',
    'answer each question with one line',
  );
}
