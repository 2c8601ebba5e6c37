/* The kinds of differences of a reconciliation in people's words: what each means, and what to do about it. */

import type { DifferenceKind } from '../../domain/rows/difference.ts';

/** A kind of difference in words. */
export interface DifferenceWords {
  readonly name: string;
  readonly meaning: string;
  readonly next: string;
}

const words: Readonly<Record<DifferenceKind, DifferenceWords>> = {
  two_ids: {
    name: 'Two objects for one',
    meaning: 'Rows with the same values have objects with different ids.',
    next: 'Find out which object is the right one, and have the surplus one cancelled.',
  },
  unrecorded: {
    name: 'Created, and not recorded',
    meaning: 'An answer says that an object was created for a row that does not have it.',
    next: 'Compare the object with the row, and decide about the row.',
  },
  answer_differs: {
    name: 'Answered otherwise than sent',
    meaning: 'The answer of the API has other values than the request had.',
    next: 'Ask the provider which values the object has.',
  },
  not_in_ledger: {
    name: 'Only in the file',
    meaning: 'The uploaded file has a row that the ledger does not have.',
    next: 'Tell whoever runs paybatch: the ledger should have every row of its file.',
  },
  not_in_file: {
    name: 'Only in the ledger',
    meaning: 'The ledger has a row that the uploaded file does not have.',
    next: 'Tell whoever runs paybatch: the ledger should have no other rows than its file.',
  },
  cells_differ: {
    name: 'Other cells than in the file',
    meaning: 'The cells of the row in the ledger are not those of the uploaded file.',
    next: 'Tell whoever runs paybatch: nothing changes the cells of a row.',
  },
  in_doubt_found: {
    name: 'In doubt, and found there',
    meaning: 'Nobody has decided yet what became of the row, and the other side has it.',
    next: 'Decide about the row.',
  },
  undecided: {
    name: 'Waits for a verdict',
    meaning: 'No answer tells what became of the row, or only a person may decide about it.',
    next: 'Decide about the row.',
  },
  mismatched: {
    name: 'Other values',
    meaning: 'Both sides have it, and their values differ.',
    next: 'Find out which side is right.',
  },
  matched_by_id: {
    name: 'Amounts not compared',
    meaning: 'Both sides have it, and nothing says which column of the other side has the amounts.',
    next: 'Say how the export is read, or that its amounts do not matter.',
  },
  missing_there: {
    name: 'Missing there',
    meaning: 'It is here, and not on the other side, which covers its day.',
    next: 'Ask the other side for it. Do not send it again before they have answered.',
  },
  unknown_here: {
    name: 'Unknown here',
    meaning: 'The other side has it, and no row of the batch is it.',
    next: 'Find out who made it.',
  },
  duplicate_here: {
    name: 'Twice here',
    meaning: 'Another row of the batch stands for the same record of the other side.',
    next: 'Find out which row is the right one.',
  },
  duplicate_there: {
    name: 'Twice there',
    meaning: 'The other side has it again, besides the record that belongs to the row.',
    next: 'Have the surplus one cancelled.',
  },
  ambiguous: {
    name: 'Several could be it',
    meaning: 'Several records could belong together, and nothing tells which do.',
    next: 'Match them by hand.',
  },
  proposed: {
    name: 'Perhaps the same',
    meaning: 'The two look alike, and nothing proves that they are the same.',
    next: 'Check whether they are the same: nothing accepts that by itself.',
  },
  left_out: {
    name: 'Left out there',
    meaning: 'The other side has it in a state that does not count as there.',
    next: 'Find out what its state there means.',
  },
};

/** A kind of difference in words. */
export function differenceWords(kind: DifferenceKind): DifferenceWords {
  return words[kind];
}
