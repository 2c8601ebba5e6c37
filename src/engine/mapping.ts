import type { CallResult } from '../account/result.ts';
import type { CallContext } from '../call/context.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { kindAdjustments } from '../kinds/registry.ts';
import type { DialogueQuestion } from '../propose/decisions.ts';
import type { Reading } from '../propose/propose.ts';
import type { TrialResult } from '../propose/reading-source.ts';
import type { PutQuestion } from '../propose/session/encoding-question.ts';
import { openPointsOf } from '../propose/session/open-points.ts';
import { forProgram } from '../propose/session/program-question.ts';
import { type WordedQuestion, worded } from '../propose/session/question-reason.ts';
import {
  agreeOnMapping,
  type FinishedMapping,
  type MappingSession,
  withDialogue,
} from '../propose/session/session.ts';

/** A mapping for a file. */
export interface MappingResult extends CallResult {
  /** The proposal, whose mapping names what is open; null where a person has answered. */
  readonly proposal: { readonly reading: Reading; readonly result: TrialResult } | null;
  /** The agreed mapping; null where no person was asked. */
  readonly agreed: FinishedMapping | null;
}

interface MappingRequest {
  /** A path; `-` is standard input. */
  readonly file: string;
  /**
   * Answers the questions of the dialogue (docs/mapping.md has their shapes); the mapping is then written and
   * remembered. Without it the best reading is proposed, and nothing is kept.
   */
  readonly answer?: (question: WordedQuestion) => unknown;
  /** The path of the mapping's file without `.mapping.json`; derived from the file's name when absent. */
  readonly stem?: string;
  /** Ask everything again, beginning with the agreed mapping for files of this header. */
  readonly edit?: boolean;
  /** Ask about this column only. */
  readonly about?: string;
}

/**
 * Proposes a mapping for a file, the reading with which most rows pass, or agrees on one with a person.
 * @throws PaybatchError (`file_refused`) for a file that cannot be read, or whose kind cannot be determined; (`usage`)
 *   for an impossible answer
 */
export async function proposeMappingOf(app: CallContext, request: MappingRequest): Promise<MappingResult> {
  const { file, answer } = request;
  if (answer !== undefined) return agreed(app, { ...request, answer });
  return withDialogue(app, file, null, async (dialogue) => {
    const proposal = await dialogue.proposed();
    const { reading } = proposal;
    const open = openPointsOf(reading, proposal.result.differing);
    if (app.settings.reading.kind === undefined && !tellsItsKind(reading)) throw undecidedKind();
    return {
      outcome: 'done',
      batches: [],
      failure: null,
      proposal: { ...proposal, reading: { ...reading, mapping: { ...reading.mapping, open: [...open] } } },
      agreed: null,
    };
  });
}

async function agreed(
  app: CallContext,
  { file, answer, stem, ...again }: MappingRequest & Required<Pick<MappingRequest, 'answer'>>,
): Promise<MappingResult> {
  const put: PutQuestion = async (question, take) => {
    const asked = forProgram(question);
    const given = await answer(worded(asked.question));
    const problem = await take(question.question, asked.answerOf(given));
    if (problem !== undefined) throw impossibleAnswer(question, problem);
  };
  const lead = async ({ dialogue }: MappingSession): Promise<string | undefined> => {
    for (let question = await dialogue.next(); question !== null; question = await dialogue.next())
      await put(question, (number, given) => dialogue.answer(number, given));
    return stem === undefined ? undefined : `${stem}.mapping.json`;
  };
  const finished = await agreeOnMapping(app, { file, lead, again, put });
  return {
    outcome: 'done',
    batches: [],
    failure: null,
    proposal: null,
    agreed: finished,
  };
}

/** A row of any kind needs at least two columns with a meaning. */
function tellsItsKind({ assignment }: Reading): boolean {
  return assignment.uses.filter(({ fields }) => fields.length > 0).length > 1;
}

function undecidedKind(): PaybatchError {
  return new PaybatchError('unknown_kind', 'Neither the header nor the values tell what the rows are.', [
    { action: 'set', purpose: 'name it', oneOf: kindAdjustments },
    { action: 'set', purpose: 'name another sheet', oneOf: [{ setting: 'sheet' }] },
  ]);
}

function impossibleAnswer({ question, about }: DialogueQuestion, problem: string): PaybatchError {
  return new PaybatchError(
    'answer_invalid',
    `The answer to question ${question} (${about}) is not possible: ${problem}.`,
    'answer with one of its options (docs/mapping.md)',
  );
}
