/* Why a row of a recovered batch stands where it stands. */

import type { Reason } from '../domain/rows/ledger-row.ts';
import { answerDiffers } from '../domain/sending/conclusion.ts';
import type { Doubt } from './doubt.ts';

export const notSentAnyMore = {
  superseded: 'As the run log has it: corrected in another file.',
  closed: 'As the run log has it: a person closed the batch before this row was sent.',
} as const;

export const notWritable: Reason = {
  code: 'recovered',
  field: null,
  message: 'The run log has its key, and its request cannot be written today: it may exist.',
};

export function recovered(code: string | null): Reason {
  const message =
    code === answerDiffers
      ? 'As the run log has it: created, but the answer contradicts what was sent.'
      : 'As the run log has it.';
  return { code: code ?? 'recovered', field: null, message };
}

export const otherRequest: Reason = {
  code: 'request_differs',
  field: null,
  message: 'It may exist, and the file now gives another request than the one that the run log knows.',
};

export const keyLineMissing: Reason = {
  code: 'key_line_missing',
  field: null,
  message: 'The run log has an answer to it, and not the line that tells its request: it may exist.',
};

export const mayHaveBeenSent: Reason = {
  code: 'recovered',
  field: null,
  message: 'The run log has its key and no conclusive answer: it may exist.',
};

export const severalKeys: Reason = {
  code: 'several_keys',
  field: null,
  message: 'There are several keys for it and no answer that says which of them was used: it may exist.',
};

const doubtMessages: Readonly<Record<Doubt, string>> = {
  key_lost:
    'The run log says that it was claimed, and the line with its key is missing or damaged: it may exist.',
  log_damaged: 'The run log is damaged, and what is missing may be about this row: it may exist.',
  log_unproven:
    'Nothing proves that the run log is whole, and it says nothing final of this row: it may exist.',
};

/** A row of which a log leaves open whether it was sent, or under which key. */
export function doubtful(doubt: Doubt): Reason {
  return { code: doubt, field: null, message: doubtMessages[doubt] };
}

/** Whether a row is held for no other reason than that: a log without the damage lets it go. */
export function isDoubtful(code: string | null): boolean {
  return code !== null && code in doubtMessages;
}

/** A row that a result file has as created, and its run log has not. */
export function shownAsCreated(objectId: string): Reason {
  return {
    code: 'created_in_results',
    field: null,
    message: `A result file has it as created, with the id ${objectId}, and the run log does not say so.`,
  };
}
