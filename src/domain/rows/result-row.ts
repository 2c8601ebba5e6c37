import type { Finding } from './finding.ts';
import type { ResultStatus } from './row-state.ts';

/** One input row as it stands in the result files: its own cells, and what became of it. */
export interface ResultRow {
  /** The row's number as a spreadsheet program shows it. */
  readonly row: number;
  /** The row's own cells as they came, in the file's column order. */
  readonly cells: readonly string[];
  readonly status: ResultStatus;
  readonly objectId: string | null;
  readonly code: string | null;
  /** The column that the first finding is about, as the file calls it. */
  readonly field: string | null;
  readonly message: string | null;
  readonly httpStatus: number | null;
  readonly attempts: number;
  readonly idempotencyKey: string | null;
  /** When the status last changed: ISO 8601, UTC. */
  readonly changedAt: string;
  readonly notes: readonly string[];
  /** What it is about, as a plain decimal; absent where it has no amount, or none that can be read. */
  readonly money?: { readonly currency: string; readonly amount: string };
  /** Its own external id, label, client reference or account name; absent where it has none, or nobody asked for it. */
  readonly reference?: string;
  /** Everything that was found against it, in the order of the file's columns; absent where nothing was. */
  readonly findings?: readonly Finding[];
  /** The earlier row of the same file that this one repeats; absent when it repeats none. */
  readonly sameAs?: number;
}

/** A row as far as it tells what is wrong with it, and where. */
export type FaultyRow = Pick<
  ResultRow,
  'row' | 'cells' | 'status' | 'objectId' | 'code' | 'field' | 'message' | 'notes' | 'findings'
>;

/** Something that is wrong with a row: its column as the file calls it, or null for the row as a whole. */
export interface Fault {
  readonly column: string | null;
  readonly code: string | null;
  readonly message: string;
}

/** Everything that is wrong with a row: what was found here, or else what the API or the ledger said. */
export function faultsOf({ findings = [], code, field, message }: FaultyRow): readonly Fault[] {
  // What was decided about the row since has taken the place of what was found in it.
  if (findings.length > 0 && findings[0]?.code === code) {
    return findings.map((finding) => ({ ...finding, column: finding.column === '' ? null : finding.column }));
  }
  return message === null && code === null ? [] : [{ column: field, code, message: message ?? code ?? '' }];
}
