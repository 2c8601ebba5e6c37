/* The files of a reconciliation: the account of all rows, and the breaks as lines. */

import { join } from 'node:path';
import type { Phrasebook } from '../../domain/failures/paybatch-error.ts';
import type { RowAdvice } from '../../domain/rows/ledger-row.ts';
import { OptionalCsvFile } from '../files/replacement-file.ts';
import { commandStepNames, rowRemedyText } from '../words/row-words.ts';
import type { BreakLine } from './comparison.ts';

/** The files of one comparison. A file without a line is null, and an older file of that name is removed. */
export interface WrittenComparison {
  readonly breaks: string | null;
  readonly pairs: string | null;
}

/**
 * Writes `STEM.pairs.csv` with every line of a comparison, and `STEM.breaks.csv` with the lines that need a person.
 * @param compare does the comparison, and passes its lines on one by one
 * @throws OutputError when a file cannot be written; errors of `compare` are thrown unchanged
 */
export async function writeComparison<Result>(
  options: {
    readonly directory: string;
    readonly stem: string;
    readonly names: SideNames;
    /** The UTC day from which ages count. */
    readonly today: string;
    readonly words: Phrasebook;
  },
  compare: (
    write: (lines: readonly (Line & { readonly isBreak: boolean })[]) => Promise<void>,
  ) => Promise<Result>,
): Promise<{ readonly result: Result; readonly files: WrittenComparison }> {
  const { directory, stem, names, words } = options;
  const today = Date.parse(options.today);
  const pairs = new OptionalCsvFile(join(directory, `${stem}.pairs.csv`), lineColumns);
  const breaks = new OptionalCsvFile(join(directory, `${stem}.breaks.csv`), lineColumns);
  try {
    const result = await compare(async (lines) => {
      const cells = lines.map((line) => lineCells(line, names, today, words));
      await pairs.write(cells);
      await breaks.write(cells.filter((_, at) => lines[at]?.isBreak));
    });
    return { result, files: { breaks: await breaks.publish(), pairs: await pairs.publish() } };
  } catch (error) {
    await pairs.discard();
    await breaks.discard();
    throw error;
  }
}

const verdictColumns = [
  ...['row', 'status', 'key', 'attempts', 'name', 'amount', 'reference', 'age', 'what is known'],
  ...['possible verdicts', 'verdict', 'id', 'note'],
];

/** Explains the possible verdicts, beside the cell for the verdict. */
const possibleVerdicts = 'created (with its id), not-created, existing (with its id) or send';

/**
 * Writes `STEM.verdicts.csv`: the rows that wait for a person, with an empty column for the verdict.
 * @param foundIds ids that the other side has for some of the rows
 * @returns its path, or null when no row waits
 * @throws OutputError
 */
export async function writeVerdictsFile(
  directory: string,
  stem: string,
  undecided: AsyncIterable<readonly RowAdvice[]>,
  foundIds: ReadonlyMap<number, string>,
): Promise<string | null> {
  const file = new OptionalCsvFile(join(directory, `${stem}.verdicts.csv`), verdictColumns);
  try {
    for await (const group of undecided) {
      await file.write(
        group.map(({ row, status, key, attempts, name, amount, reference, age, known, advice }) => {
          const id = foundIds.get(row) ?? '';
          // The verdicts file accepts verdicts by these names.
          const advised = `${known}; ${rowRemedyText(advice, commandStepNames)}`;
          const about = [String(row), status, key ?? '', String(attempts), name, amount, reference, age];
          return [...about, advised, possibleVerdicts, '', id, ''];
        }),
      );
    }
    return await file.publish();
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** One record of either side in the lines. */
export interface LineRecord {
  readonly file: number;
  readonly row: number;
  readonly id: string | null;
  readonly reference: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly day: string | null;
  readonly status: string | null;
  /** Further details of the other side about the record; null if there are no details, or if the record is matched. */
  readonly words: RecordWords | null;
}

/** Details by which people recognise a record without an id or reference. */
export interface RecordWords {
  /** The other side's own number of the entry. */
  readonly number: string;
  readonly counterparty: string;
  readonly text: string;
}

/** One line of the breaks and pairs files. */
interface Line extends Pick<BreakLine, 'state' | 'differences' | 'evidence' | 'action'> {
  /** The number that the records of one group share. */
  readonly link: number | null;
  readonly here: LineRecord | null;
  readonly there: LineRecord | null;
}

const recordColumns = ['file', 'row', 'id', 'reference', 'amount', 'currency', 'date'] as const;

/** The columns of the breaks and pairs files. */
const lineColumns: readonly string[] = [
  'state',
  'group',
  ...recordColumns.map((column) => `here_${column}`),
  'here_status',
  ...recordColumns.map((column) => `there_${column}`),
  'differing_fields',
  'evidence',
  'age_in_days',
  'suggested_action',
  'there_number',
  'there_counterparty',
  'there_text',
];

const dayInMs = 86_400_000;

/** The files' names, by their numbers in records. */
interface SideNames {
  readonly here: readonly string[];
  readonly there: readonly string[];
}

/**
 * A line as CSV cells.
 * @param todayInMs the UTC day from which ages count
 */
function lineCells(line: Line, files: SideNames, todayInMs: number, words: Phrasebook): string[] {
  const { state, link, here, there, evidence, action } = line;
  const cells = [state, link === null ? '' : String(link)];
  addRecord(cells, here, files.here);
  cells.push(here?.status ?? '');
  addRecord(cells, there, files.there);
  const age = ageInDays(here?.day ?? there?.day ?? null, todayInMs);
  cells.push(differencesText(line), evidence, age, action === null ? '' : words.rowRemedy(action));
  const { number = '', counterparty = '', text = '' } = there?.words ?? {};
  cells.push(number, counterparty, text);
  return cells;
}

function addRecord(cells: string[], record: LineRecord | null, files: readonly string[]): void {
  if (record === null) {
    for (const _ of recordColumns) cells.push('');
    return;
  }
  const { file, row, id, reference, amount, currency, day } = record;
  cells.push(files[file] ?? '', String(row));
  for (const value of [id, reference, amount, currency, day]) cells.push(value ?? '');
}

function differencesText({ differences }: Line): string {
  if (differences.length === 0) return '';
  return differences.map(({ field, here, there }) => `${field}: ${here} / ${there}`).join('; ');
}

function ageInDays(day: string | null, todayInMs: number): string {
  if (day === null) return '';
  return String(Math.round((todayInMs - Date.parse(day)) / dayInMs));
}
