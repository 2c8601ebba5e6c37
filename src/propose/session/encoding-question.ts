import type { AnswerOfPerson, EncodingQuestion } from '../../call/context.ts';
import { statedEncoding } from '../../read/csv/encoding.ts';
import { InputError } from '../../read/file/input-error.ts';
import type { DialogueQuestion } from '../question.ts';

/** Takes the answer to a question. @returns an error text if the answer is not possible; the question stays open */
export type TakeAnswer = (
  question: number,
  answer: unknown,
) => string | undefined | Promise<string | undefined>;

/** Repeats a question until an answer is accepted. */
export type PutQuestion = (question: DialogueQuestion, take: TakeAnswer) => Promise<void>;

/** The number of the encoding question. It comes first, because a file cannot be read before its encoding is known. */
const number = 1;

/** Asks for a file's encoding in the form of a dialogue question; each label shows the same values. */
export async function askForEncoding(asked: EncodingQuestion, put: PutQuestion): Promise<AnswerOfPerson> {
  const question = encodingQuestion(asked);
  let answer: AnswerOfPerson = 'no';
  await put(question, async (questionNumber, said) => {
    if (questionNumber !== number) return `question ${questionNumber} is not open`;
    const encoding = said === 'accept' ? question.proposal : textIn(said);
    if (said === 'back') return 'there is no question before this one';
    if (typeof encoding !== 'string')
      return `the answer is one of ${question.options.map(({ id }) => `"${id}"`).join(', ')}, or {"text": "another"}`;
    if (!(await isEncoding(encoding))) return `"${encoding}" is no encoding`;
    answer = { text: encoding };
    return undefined;
  });
  return answer;
}

function encodingQuestion({ file, candidates }: EncodingQuestion): DialogueQuestion {
  const [likeliest] = candidates;
  return {
    question: number,
    kind: 'reading',
    about: 'encoding',
    sheet: null,
    samples: likeliest?.samples ?? [],
    proposal: likeliest?.encoding ?? null,
    why: { code: 'encoding_unclear', file },
    options: candidates.map(({ encoding, samples }) => ({
      id: encoding,
      label: `${encoding}: ${samples.join('   ')}`,
      passes: 0,
    })),
    free_text: true,
    // No row has been read yet.
    rows: 0,
    forecast: { pass: 0, refused: 0, left_out: 0 },
  };
}

function textIn(said: unknown): unknown {
  return typeof said === 'object' && said !== null && 'text' in said ? said.text : said;
}

async function isEncoding(name: string): Promise<boolean> {
  try {
    await statedEncoding(name);
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}
