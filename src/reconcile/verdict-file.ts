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

/** A verdict out of a file, and the key of the row that its writer looked at, where the file names it. */
export interface FiledVerdict extends GivenVerdict {
  readonly key: string | null;
}

const problemsShown = 20;

/**
 * The verdicts of a file; lines whose verdict is empty are passed over.
 * @throws Failure (exit 3) that lists every line that cannot be read as a verdict
 */
export function readVerdicts(
  name: string,
  header: readonly string[],
  lines: readonly VerdictLine[],
): FiledVerdict[] {
  const titles = header.map((title) => unprotectCell(title).trim().toLowerCase());
  for (const needed of ['row', 'verdict']) {
    if (!titles.includes(needed)) throw refused(name, `it has no column "${needed}"`);
  }
  const problems: string[] = [];
  const found = new Map<number, FiledVerdict>();
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
  if (problems.length > 0) throw refused(name, listed(problems));
  return [...found.values()];
}

/**
 * A file that was written before its rows moved on, or for another batch, must not decide about them.
 * @param keys each row's idempotency key as it is now
 * @throws Failure (exit 3) that lists the rows
 */
export function requireSameKeys(
  name: string,
  filed: readonly FiledVerdict[],
  keys: ReadonlyMap<number, string | null>,
): void {
  const stale = filed.filter(({ row, key }) => key !== null && keys.has(row) && keys.get(row) !== key);
  if (stale.length === 0) return;
  const problems = stale.map(({ row }) => `row ${row}: its key is another one by now`);
  throw refused(name, listed(problems));
}

function listed(problems: readonly string[]): string {
  const rest = problems.length - problemsShown;
  return problems.slice(0, problemsShown).join('; ') + (rest > 0 ? `; and ${rest} more` : '');
}

function refused(name: string, problem: string): Failure {
  return new Failure(
    exitCodes.fileRefused,
    'verdict_refused',
    `${name} cannot be used as a file of verdicts: ${problem}. Nothing was changed.`,
    'fill in the verdicts file that paybatch reconcile writes',
  );
}
