import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { isVerdict, verdicts } from '../../domain/rows/ledger-row.ts';
import { unprotectCell } from '../../domain/tables/table.ts';
import type { GivenVerdict } from './decision.ts';

/** The columns of a file of verdicts, as `reconcile` writes it for a person to fill in. */
const verdictColumns = [
  'row',
  'status',
  'key',
  'attempts',
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

/** What one line says: a verdict, what is wrong with it, or nothing where its verdict is empty. */
export type ReadLine = { readonly verdict: GivenVerdict } | { readonly problem: string } | null;

/**
 * Reads the lines of a file of verdicts one by one. Lines that are wrong are told of, and not thrown: whether
 * the others suit their rows is to be told with them, in one go.
 * @throws PaybatchError (`file_refused`) where a column is missing
 */
export function verdictReader(name: string, header: readonly string[]): (line: VerdictLine) => ReadLine {
  const titles = header.map((title) => unprotectCell(title).trim().toLowerCase());
  for (const needed of ['row', 'verdict']) {
    if (!titles.includes(needed)) throw refused(name, `it has no column "${needed}"`);
  }
  return (line) => {
    const cell = (column: (typeof verdictColumns)[number]): string =>
      unprotectCell(line.cells[titles.indexOf(column)] ?? '').trim();
    const verdict = cell('verdict').toLowerCase().replaceAll(/[_ ]/g, '-');
    if (verdict === '') return null;
    const row = /^\d{1,9}$/.test(cell('row')) ? Number(cell('row')) : null;
    if (row === null) return { problem: `line ${line.number}: "row" is no row number` };
    if (!isVerdict(verdict)) {
      return { problem: `row ${row}: the verdict is none of ${verdicts.join(', ')}` };
    }
    if (!/^\d{0,9}$/.test(cell('attempts'))) return { problem: `row ${row}: "attempts" is no number` };
    const [id = null, key = null, attempts = null] = [cell('id'), cell('key'), cell('attempts')].map(
      (text) => (text === '' ? null : text),
    );
    const known = attempts === null ? null : Number(attempts);
    return { verdict: { row, verdict, id, note: cell('note'), key, attempts: known } };
  };
}

function refused(name: string, problem: string): PaybatchError {
  return new PaybatchError(
    'verdict_refused',
    `${name} cannot be used as a file of verdicts: ${problem}. Nothing was changed.`,
    'fill in the verdicts file that a reconciliation writes',
  );
}
