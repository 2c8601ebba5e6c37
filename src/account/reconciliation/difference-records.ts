/* Differences as lines of a CSV file: both sides of each value in two columns next to each other. */

import type { FoundDifference } from '../../domain/rows/difference.ts';
import { byteOrderMark, csvText } from '../files/csv-text.ts';
import { differenceWords } from '../words/difference-words.ts';
import { rowRemedyText, type StepNames } from '../words/row-remedy-words.ts';

/** Writes differences, one a line. */
export interface DifferenceRecords {
  /** The line of titles, with the byte order mark that spreadsheet programs want. */
  readonly header: string;
  readonly line: (difference: FoundDifference) => string;
}

/**
 * @param names of all values that the differences have
 * @param steps what whoever gives the file calls what can be done
 */
export function differenceRecords(names: readonly string[], steps: StepNames): DifferenceRecords {
  const titles = [
    ...['difference', 'here_row', 'here_status', 'there_file', 'there_row', 'differing'],
    ...names.flatMap((name) => [`${name} here`, `${name} there`]),
    ...['evidence', 'meaning', 'next_step'],
  ];
  return {
    header: byteOrderMark + csvText([titles]),
    line: ({ kind, row, status, there, values, evidence, action }) => {
      const { name: label, meaning, next } = differenceWords(kind);
      const byName = new Map(values.map((value) => [value.name, value]));
      const differing = values.filter(({ differs }) => differs).map(({ name }) => name);
      return csvText([
        [
          label,
          row === null ? '' : String(row),
          status ?? '',
          there === null ? '' : (there.file ?? 'the API'),
          there?.row == null ? '' : String(there.row),
          differing.join(', '),
          ...names.flatMap((name) => [byName.get(name)?.here ?? '', byName.get(name)?.there ?? '']),
          evidence,
          meaning,
          action === null ? next : rowRemedyText(action, steps),
        ],
      ]);
    },
  };
}
