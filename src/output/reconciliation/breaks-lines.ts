/** One record of either side as the lines show it. */
export interface LineRecord {
  readonly file: number;
  readonly row: number;
  readonly id: string | null;
  readonly reference: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly day: string | null;
  readonly status: string | null;
}

/** One line of the breaks and pairs files. */
export interface Line {
  readonly state: string;
  /** The number that the records of one group share. */
  readonly link: number | null;
  readonly here: LineRecord | null;
  readonly there: LineRecord | null;
  readonly differences: readonly { readonly field: string; readonly here: string; readonly there: string }[];
  readonly evidence: string;
  readonly action: string;
}

const recordColumns = ['file', 'row', 'id', 'reference', 'amount', 'currency', 'date'] as const;

/** The columns of the breaks and pairs files. */
export const lineColumns: readonly string[] = [
  'state',
  'group',
  ...recordColumns.map((column) => `here_${column}`),
  'here_status',
  ...recordColumns.map((column) => `there_${column}`),
  'differing_fields',
  'evidence',
  'age_in_days',
  'suggested_action',
];

const dayInMs = 86_400_000;

/** The files' names, by the numbers that records have for them. */
export interface SideNames {
  readonly here: readonly string[];
  readonly there: readonly string[];
}

/**
 * A line as CSV cells.
 * @param todayInMs the UTC day from which ages count
 */
export function lineCells(line: Line, files: SideNames, todayInMs: number): string[] {
  const { state, link, here, there, evidence, action } = line;
  const cells = [state, link === null ? '' : String(link)];
  addRecord(cells, here, files.here);
  cells.push(here?.status ?? '');
  addRecord(cells, there, files.there);
  cells.push(differencesText(line), evidence, ageInDays(here?.day ?? there?.day ?? null, todayInMs), action);
  return cells;
}

function addRecord(cells: string[], record: LineRecord | null, files: readonly string[]): void {
  if (record === null) {
    for (const _ of recordColumns) cells.push('');
    return;
  }
  const { file, row, id, reference, amount, currency, day } = record;
  cells.push(
    files[file] ?? '',
    String(row),
    id ?? '',
    reference ?? '',
    amount ?? '',
    currency ?? '',
    day ?? '',
  );
}

function differencesText({ differences }: Line): string {
  if (differences.length === 0) return '';
  return differences.map(({ field, here, there }) => `${field}: ${here} / ${there}`).join('; ');
}

function ageInDays(day: string | null, todayInMs: number): string {
  if (day === null) return '';
  return String(Math.round((todayInMs - Date.parse(day)) / dayInMs));
}
