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

/**
 * A line as CSV cells.
 * @param today the UTC day from which ages count
 */
export function lineCells(
  line: Line,
  files: { readonly here: readonly string[]; readonly there: readonly string[] },
  today: string,
): string[] {
  const { state, link, here, there, differences, evidence, action } = line;
  return [
    state,
    link === null ? '' : String(link),
    ...recordCells(here, files.here),
    here?.status ?? '',
    ...recordCells(there, files.there),
    differences.map(({ field, here: own, there: theirs }) => `${field}: ${own} / ${theirs}`).join('; '),
    evidence,
    ageInDays(here?.day ?? there?.day ?? null, today),
    action,
  ];
}

function recordCells(record: LineRecord | null, files: readonly string[]): string[] {
  if (record === null) return recordColumns.map(() => '');
  const { file, row, id, reference, amount, currency, day } = record;
  return [files[file] ?? '', String(row), id ?? '', reference ?? '', amount ?? '', currency ?? '', day ?? ''];
}

function ageInDays(day: string | null, today: string): string {
  if (day === null) return '';
  return String(Math.round((Date.parse(today) - Date.parse(day)) / dayInMs));
}
