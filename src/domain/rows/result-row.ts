/* What result files say about a row: its status, and the facts about its object. */

import type { Attempt, Conclusion } from '../sending/outcome.ts';
import type { Message } from '../settings/message.ts';
import type { Finding } from './finding.ts';
import type { DecidedRow, NormalisedRecord } from './ledger-row.ts';
import type { ResultStatus, RowState } from './row-state.ts';

/** A field of an object, as a column of the file that lists the created objects. */
export interface FactColumn {
  /** The specification's name; nested fields with dots. */
  readonly name: string;
  /** Whether its values are markup, of which people want to read the text. */
  readonly isMarkup: boolean;
}

/** What the API answered about one object when it was created. */
export interface ObjectFacts {
  /** By column; markup as received. Fields that are missing or no text are absent. */
  readonly values: Readonly<Record<string, string>>;
  /** Notes, for example where the answer differs from the specification. */
  readonly notes: readonly string[];
}

/** A row whose object exists, with what the API answered about the object. */
export interface CreatedObject {
  readonly row: ResultRow;
  /** The row's own external id, label, client reference or account name; empty when it has none. */
  readonly reference: string;
  /** The values by which people know the row otherwise, in the order of the file's own columns. */
  readonly own: readonly string[];
  /** Null when the ledger has no answer about the object: it was rebuilt, or a person named the object. */
  readonly facts: ObjectFacts | null;
  /** Where the answer contradicts its request, whichever row sent it; null when nowhere. */
  readonly contradiction: string | null;
}

/** What a ledger keeps about the object of a row, whichever row created it. */
export interface KeptAnswer {
  readonly row: number;
  readonly record: NormalisedRecord;
  /** The name of the row's definition. */
  readonly resource: string;
  /** The answer's body; null when none was stored. */
  readonly answer: string | null;
  /** The message of the row that created the object about an answer that contradicts its request; null when it does not. */
  readonly contradiction: string | null;
}

/**
 * Why a created row's request is not sent again for the facts that the ledger lacks: an earlier answer to the row named
 * another object, nothing proves that the API created the object by this request, or its key must not be used.
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
 * Why the facts of an object are still missing: its request was not sent again, or the answer. `not_asked`: the
 * run was stopped, or an earlier answer showed that the API does not repeat its answers.
 */
export const missingFactsReasons = [
  ...factsObstacles,
  ...(['refused', 'no_answer', 'too_large', 'not_asked'] as const),
] as const;

export type MissingFactsReason = (typeof missingFactsReasons)[number];

/** The result for the rows whose objects had no answer in the ledger. */
export interface RefilledFacts {
  /** Rows whose objects have their facts again. */
  readonly filled: number;
  readonly missing: ReadonlyMap<MissingFactsReason, number>;
}

/** A created row for whose object the ledger has no answer, since it was rebuilt or a person named the object. */
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

/** The answer to the request of a created row that was sent again; the object is the row's, whichever the answer names. */
export interface RepeatedAnswer
  extends Pick<MissingResponse, 'row' | 'generation' | 'idempotencyKey' | 'objectId'> {
  readonly conclusion: Pick<Conclusion, 'attempts'>;
}

/** One input row in the result files: its own cells, and its outcome. */
export interface ResultRow {
  /** The row's number as a spreadsheet program shows it. */
  readonly row: number;
  /** The row's own cells as read, in the file's column order. */
  readonly cells: readonly string[];
  readonly status: ResultStatus;
  readonly objectId: string | null;
  readonly code: string | null;
  /** The column that the first finding is about, by the file's name. */
  readonly field: string | null;
  readonly message: string | null;
  readonly httpStatus: number | null;
  readonly attempts: number;
  readonly idempotencyKey: string | null;
  /** When the status last changed: ISO 8601, UTC. */
  readonly changedAt: string;
  readonly notes: readonly string[];
  /** Its amount as a plain decimal; absent where it has no readable amount. */
  readonly money?: { readonly currency: string; readonly amount: string };
  /** Its own external id, label, client reference or account name; absent where it has none, or it was not requested. */
  readonly reference?: string;
  /** All findings against it, in the order of the file's columns; absent where there are none. */
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

/** The parts of a row that show what is wrong with it, and where. */
export type FaultyRow = Pick<
  ResultRow,
  'row' | 'cells' | 'status' | 'objectId' | 'code' | 'field' | 'message' | 'notes' | 'findings'
>;

/** One thing that is wrong with a row: its column by the file's name, or null for the row as a whole. */
export interface Fault {
  readonly column: string | null;
  readonly code: string | null;
  readonly message: Message;
}

/** Everything that is wrong with a row: the findings of validation, or else what the API or the ledger said. */
export function faultsOf({ findings = [], code, field, message }: FaultyRow): readonly Fault[] {
  // A later decision about the row replaces its findings.
  if (findings.length > 0 && findings[0]?.code === code) {
    return findings.map((finding) => ({ ...finding, column: finding.column === '' ? null : finding.column }));
  }
  return message === null && code === null ? [] : [{ column: field, code, message: message ?? code ?? '' }];
}

/* The history of a row, one event after the other. */

/** A person's verdict about a row. */
export interface RowVerdict
  extends Pick<DecidedRow, 'verdict' | 'fromState' | 'objectId' | 'attempts' | 'note'> {
  readonly decidedBy: string;
}

/** An event of a row. A run is its number among the runs of its batch; null for a run of a lost ledger. */
export type RowEvent =
  | { readonly time: string; readonly event: 'staged' }
  | {
      readonly time: string;
      readonly event: 'request_written';
      readonly run: number | null;
      readonly idempotencyKey: string;
      readonly path: string;
    }
  | ({
      /** When it left; of earlier versions, when it was recorded. */
      readonly time: string;
      readonly event: 'attempt';
      readonly run: number | null;
      readonly attempt: number;
      readonly idempotencyKey: string | null;
    } & Omit<Attempt, 'number' | 'sentAfterMs'>)
  | ({ readonly time: string; readonly event: 'verdict' } & RowVerdict)
  | {
      readonly time: string;
      readonly event: 'late_answer';
      /** Of the object that the API created when the row was given up. */
      readonly objectId: string;
      readonly idempotencyKey: string;
    };

/** A request of a row with its answer, and the row's state, as a run log reports them. Times are ISO 8601. */
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
  /** Null where no request under the key is known; one may have been sent anyway. */
  readonly attempt: (Omit<Attempt, 'answer' | 'sentAfterMs'> & { readonly recordedAt: string }) | null;
}
