import { exitCodes } from '../domain/exit-code.ts';
import { Failure } from '../domain/failure.ts';
import { unprotectCell } from '../domain/formula-cell.ts';
import { type GivenVerdict, isVerdict, verdicts } from './verdict.ts';

/** The columns of a file of verdicts, as `reconcile` writes it for a person to fill in. */
export const verdictColumns = [
  'row',
  'status',
  'key',
  'age',
  'what is known',
  'verdict',
  'id',
  'note',
] as const;

/** One line of a file of verdicts, with the number that a spreadsheet program shows for it. */
export interface VerdictLine {
  readonly number: number;
  readonly cells: readonly string[];
}

/** What a file of verdicts says. */
export interface FiledVerdicts {
  readonly verdicts: readonly GivenVerdict[];
  /** A sentence for each line that cannot be read as a verdict. */
  readonly problems: readonly string[];
}

/**
 * The verdicts of a file; lines whose verdict is empty are passed over. Lines that are wrong are told of, and
 * not thrown: whether the others suit their rows is to be told with them, in one go.
 * @throws Failure (exit 3) where a column is missing
 */
export function readVerdicts(
  name: string,
  header: readonly string[],
  lines: readonly VerdictLine[],
): FiledVerdicts {
  const titles = header.map((title) => unprotectCell(title).trim().toLowerCase());
  for (const needed of ['row', 'verdict']) {
    if (!titles.includes(needed)) throw refused(name, `it has no column "${needed}"`);
  }
  const problems: string[] = [];
  const found = new Map<number, GivenVerdict>();
  for (const line of lines) {
    const cell = (column: (typeof verdictColumns)[number]): string =>
      unprotectCell(line.cells[titles.indexOf(column)] ?? '').trim();
    const verdict = cell('verdict').toLowerCase().replaceAll(/[_ ]/g, '-');
    if (verdict === '') continue;
    const row = /^\d{1,9}$/.test(cell('row')) ? Number(cell('row')) : null;
    if (row === null) problems.push(`line ${line.number}: "row" is no row number`);
    else if (!isVerdict(verdict)) problems.push(`row ${row}: the verdict is none of ${verdicts.join(', ')}`);
    else if (found.has(row)) problems.push(`row ${row}: it has two verdicts`);
    else {
      const [id, key] = [cell('id'), cell('key')].map((text) => (text === '' ? null : text));
      found.set(row, { row, verdict, id: id ?? null, note: cell('note'), key: key ?? null });
    }
  }
  return { verdicts: [...found.values()], problems };
}

function refused(name: string, problem: string): Failure {
  return new Failure(
    exitCodes.fileRefused,
    'verdict_refused',
    `${name} cannot be used as a file of verdicts: ${problem}. Nothing was changed.`,
    'fill in the verdicts file that paybatch reconcile writes',
  );
}
