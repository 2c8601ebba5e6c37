import { createInterface } from 'node:readline';
import { exitCodes } from '../../domain/failures/exit-code.ts';
import { Failure } from '../../domain/failures/failure.ts';
import type { MappingSession } from '../../job/mapping/session.ts';

/**
 * Leads the mapping dialogue with a program: a JSON object a line, questions on standard output, answers on standard
 * input (docs/mapping.md).
 * @throws Failure (exit 2) when the answers end before the dialogue does: nothing is kept
 */
export async function leadByLines(
  { dialogue }: MappingSession,
  input: NodeJS.ReadableStream,
  write: (line: string) => void,
): Promise<undefined> {
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  const answers = lines[Symbol.asyncIterator]();
  try {
    for (;;) {
      const question = await dialogue.next();
      if (question === null) break;
      write(JSON.stringify(question));
      for (;;) {
        const { value, done } = await answers.next();
        if (done === true) throw endedEarly();
        if (value.trim() === '') continue;
        const problem = answerIn(value, (number, answer) => dialogue.answer(number, answer));
        if (problem === undefined) break;
        write(JSON.stringify({ question: question.question, error: problem }));
      }
    }
    return undefined;
  } finally {
    lines.close();
  }
}

/** @returns what is wrong with the line, in a sentence */
function answerIn(
  line: string,
  take: (question: number, answer: unknown) => string | undefined,
): string | undefined {
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

function endedEarly(): Failure {
  return new Failure(
    exitCodes.usage,
    'dialogue_ended',
    'Standard input ended before the last question was answered: no mapping was kept.',
    'answer each question with one line',
  );
}
