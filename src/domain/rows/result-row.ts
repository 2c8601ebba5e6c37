/* What result files tell about a row: its status, and the facts about its object. */

import type { Conclusion } from '../sending/conclusion.ts';
import type { Attempt, OutcomeKind } from '../sending/outcome.ts';
import type { Finding } from './finding.ts';
import type { DecidedRow, NormalisedRecord } from './ledger-row.ts';
import type { ResultStatus, RowState } from './row-state.ts';

/** A field of an object, as a column of the file that hands over what was created. */
export interface FactColumn {
  /** The specification's name; nested fields with dots. */
  readonly name: string;
  /** Whether its values are markup, of which people want to read the text. */
  readonly isMarkup: boolean;
}

/** What the API answered about one object when it was created. */
export interface ObjectFacts {
  /** By column; markup as it came. Fields that are missing or no text are absent. */
  readonly values: Readonly<Record<string, string>>;
  /** What is not as the specification has it, or worth knowing. */
  readonly notes: readonly string[];
}

/** A row whose object is there, with what the API answered about the object. */
export interface CreatedObject {
  readonly row: ResultRow;
  /** The row's own external id, label, client reference or account name; empty when it has none. */
  readonly reference: string;
  /** By what else people know the row, in the order of the file's own columns. */
  readonly own: readonly string[];
  /** Null when the ledger has no answer of the object: it was rebuilt, or a person named the object. */
  readonly facts: ObjectFacts | null;
  /** In what the answer contradicts its request, whichever row sent it; null when in nothing. */
  readonly contradiction: string | null;
}

/** What a ledger keeps about the object of a row, whichever row created it. */
export interface KeptAnswer {
  readonly row: number;
  readonly record: NormalisedRecord;
  /** The name of the row's definition. */
  readonly resource: string;
  /** The answer's body; null when none was kept. */
  readonly answer: string | null;
  /** What the row that created the object says of an answer that contradicts its request; null when it does not. */
  readonly contradiction: string | null;
}

/**
 * Why a created row's request is not sent again for the facts that the ledger lacks: an earlier row's answer named
 * another object, nothing proves that the API created the object by this request, or its key is not to be used.
 */
const factsObstacles = [
  'other_object',
  'not_proven',
  'other_credential',
  'lifetime_not_stated',
  'key_too_old',
] as const;

export type FactsObstacle = (typeof factsObstacles)[number];

/**
 * Why the facts of an object are still missing: its request was not sent again, or what was answered. `not_asked`: the
 * run was stopped, or an answer before it showed that the API does not repeat its answers.
 */
export const missingFactsReasons = [
  ...factsObstacles,
  ...(['refused', 'no_answer', 'too_large', 'not_asked'] as const),
] as const;

export type MissingFactsReason = (typeof missingFactsReasons)[number];

/** What became of the rows about whose objects the ledger had no answer. */
export interface RefilledFacts {
  /** Rows whose objects have their facts again. */
  readonly filled: number;
  readonly missing: ReadonlyMap<MissingFactsReason, number>;
}

/** A created row about whose object the ledger has no answer, since it was rebuilt or a person named the object. */
export interface MissingResponse {
  readonly row: number;
  readonly resource: string;
  readonly generation: number;
  readonly objectId: string;
  readonly idempotencyKey: string;
  readonly path: string;
  readonly body: Buffer;
  /** SHA-256 of the request as it was when it was written. */
  readonly fingerprint: Buffer;
  readonly attempts: number;
  /** How long, from this reading, the key may still be used. */
  readonly keyTimeLeftInMs: number;
  /** Null where the request may be sent again. */
  readonly obstacle: FactsObstacle | null;
}

/** What was answered to the request of a created row that was sent once more. */
export interface RepeatedAnswer {
  readonly row: number;
  readonly generation: number;
  readonly idempotencyKey: string;
  /** The row's object, whatever the answer names. */
  readonly objectId: string;
  readonly conclusion: Pick<Conclusion, 'attempts'>;
}

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

/** The cells of a row as its file shows them, which is not always how result files have them. */
export function shownCells({
  cells,
  findings = [],
}: Pick<ResultRow, 'cells' | 'findings'>): readonly string[] {
  if (!findings.some(({ shown }) => shown !== undefined)) return cells;
  const asShown = [...cells];
  for (const { shown } of findings) if (shown !== undefined) asShown[shown.place] = shown.text;
  return asShown;
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

/* What happened to a row, one event after the other. */

/** Something that happened to a row. A run is the place of one among the runs of its batch; null for a run of a lost ledger. */
export type RowEvent =
  | { readonly time: string; readonly event: 'staged' }
  | {
      readonly time: string;
      readonly event: 'request_written';
      readonly run: number | null;
      readonly idempotencyKey: string;
      readonly path: string;
    }
  | {
      /** When it left; of earlier versions, when it was recorded. */
      readonly time: string;
      readonly event: 'attempt';
      readonly run: number | null;
      readonly attempt: number;
      readonly idempotencyKey: string | null;
      readonly outcome: OutcomeKind;
      readonly reason: string | null;
      readonly httpStatus: number | null;
      readonly objectId: string | null;
      readonly durationInMs: number;
      /** The answer's body; null where none was kept. */
      readonly answer: string | null;
    }
  | {
      readonly time: string;
      readonly event: 'verdict';
      readonly verdict: DecidedRow['verdict'];
      readonly fromState: DecidedRow['fromState'];
      readonly objectId: string | null;
      /** How many requests of the row it was given about. */
      readonly attempts: number;
      readonly note: string;
      readonly decidedBy: string;
    }
  | {
      readonly time: string;
      readonly event: 'late_answer';
      /** Of the object that the API created when the row was given up. */
      readonly objectId: string;
      readonly idempotencyKey: string;
    };

/** A request of a row with its answer, and where the row stands, as a run log has to tell of them. Times are ISO 8601. */
export interface LoggableAnswer {
  readonly row: number;
  readonly state: RowState;
  readonly rowGeneration: number;
  readonly objectId: string | null;
  readonly code: string | null;
  readonly changedAt: string;
  readonly key: string;
  readonly generation: number;
  /** In hex. */
  readonly requestHash: string;
  readonly writtenAt: string;
  /** Null where nothing is known of a request under the key, which may have been sent anyway. */
  readonly attempt: (Omit<Attempt, 'answer' | 'sentAfterMs'> & { readonly recordedAt: string }) | null;
}
