/* The content of result files about a row: its status, and the facts about its object. */

import type { Attempt, Conclusion } from '../sending/outcome.ts';
import type { Message } from '../settings/message.ts';
import type { Finding } from './finding.ts';
import type { DecidedRow, NormalisedRecord } from './ledger-row.ts';
import type { ResultStatus, RowState } from './row-state.ts';

/** A field of an object, as a column of the file that lists the created objects. */
export interface FactColumn {
  /** The name in the API's specification; nested fields with dots. */
  readonly name: string;
  /** Whether its values are markup. People want to read only the text of it. */
  readonly isMarkup: boolean;
}

/** The API's answer about one object when it was created. */
export interface ObjectFacts {
  /** By column; markup as received. Fields that are missing or not text are absent. */
  readonly values: Readonly<Record<string, string>>;
  /** Notes, for example if the answer differs from the specification. */
  readonly notes: readonly string[];
}

/** A row whose object exists, with the API's answer about the object. */
export interface CreatedObject {
  readonly row: ResultRow;
  /** The row's own external id, label, client reference or account name; empty if it has none. */
  readonly reference: string;
  /** Other values by which people recognise the row, in the order of the file's own columns. */
  readonly own: readonly string[];
  /** Null if the ledger has no answer about the object, because it was rebuilt, or because a person named the object. */
  readonly facts: ObjectFacts | null;
  /** How the answer contradicts its request, whichever row sent the request; null if it does not. */
  readonly contradiction: string | null;
}

/** The ledger's data about the object of a row, whichever row created the object. */
export interface KeptAnswer {
  readonly row: number;
  readonly record: NormalisedRecord;
  /** The name of the row's definition. */
  readonly resource: string;
  /** The body of the answer; null if none was stored. */
  readonly answer: string | null;
  /**
   * The message about an answer that contradicts its request, from the row that created the object; null if there is none.
   */
  readonly contradiction: string | null;
}

/**
 * The reasons why a created row's request is not sent again to get the facts that the ledger lacks. An earlier answer to the
 * row named another object, or nothing proves that the API created the object by this request, or its key must not be used.
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
 * The reasons why the facts of an object are still missing: its request was not sent again, or the answer could not be used.
 * `not_asked`: the run was stopped, or an earlier answer showed that the API does not repeat its answers.
 */
export const missingFactsReasons = [
  ...factsObstacles,
  ...(['refused', 'no_answer', 'too_large', 'not_asked'] as const),
] as const;

export type MissingFactsReason = (typeof missingFactsReasons)[number];

/** The result for the rows whose objects had no answer in the ledger. */
export interface RefilledFacts {
  /** Rows for whose objects the ledger now has the facts. */
  readonly filled: number;
  readonly missing: ReadonlyMap<MissingFactsReason, number>;
}

/** A created row without a stored answer about its object, because the ledger was rebuilt or a person named the object. */
export interface MissingResponse {
  readonly row: number;
  readonly resource: string;
  readonly generation: number;
  readonly objectId: string;
  readonly idempotencyKey: string;
  readonly path: string;
  readonly body: Buffer;
  /** SHA-256 of the request from the time when it was written. */
  readonly fingerprint: Buffer;
  readonly attempts: number;
  /** How long the key may still be used, counted from this reading. */
  readonly keyTimeLeftInMs: number;
  /** Null if the request may be sent again. */
  readonly obstacle: FactsObstacle | null;
}

/**
 * The answer to the request of a created row that was sent again. The object is the row's object, whichever one the answer
 * names.
 */
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
  /** The column of the first finding, by its title in the file. */
  readonly field: string | null;
  readonly message: string | null;
  readonly httpStatus: number | null;
  readonly attempts: number;
  readonly idempotencyKey: string | null;
  /** When the status last changed: ISO 8601, UTC. */
  readonly changedAt: string;
  readonly notes: readonly string[];
  /** Its amount as a plain decimal; absent if it has no readable amount. */
  readonly money?: { readonly currency: string; readonly amount: string };
  /** Its own external id, label, client reference or account name; absent if it has none, or if it was not requested. */
  readonly reference?: string;
  /** All findings about it, in the order of the file's columns; absent if there are none. */
  readonly findings?: readonly Finding[];
  /** The earlier row of the same file that this row repeats; absent if it repeats none. */
  readonly sameAs?: number;
}

/** The cells of a row as its file shows them. Result files may have another form. */
export function shownCells({
  cells,
  findings = [],
}: Pick<ResultRow, 'cells' | 'findings'>): readonly string[] {
  if (!findings.some(({ shown }) => shown !== undefined)) return cells;
  const asShown = [...cells];
  for (const { shown } of findings) if (shown !== undefined) asShown[shown.place] = shown.text;
  return asShown;
}

/** The parts of a row that show its faults and their columns. */
export type FaultyRow = Pick<
  ResultRow,
  'row' | 'cells' | 'status' | 'objectId' | 'code' | 'field' | 'message' | 'notes' | 'findings'
>;

/** One fault of a row, with its column by the title in the file, or null for the row as a whole. */
export interface Fault {
  readonly column: string | null;
  readonly code: string | null;
  readonly message: Message;
}

/** All faults of a row: the findings of validation, or else the message of the API or of the ledger. */
export function faultsOf({ findings = [], code, field, message }: FaultyRow): readonly Fault[] {
  // A later decision about the row replaces its findings.
  if (findings.length > 0 && findings[0]?.code === code) {
    return findings.map((finding) => ({ ...finding, column: finding.column === '' ? null : finding.column }));
  }
  return message === null && code === null ? [] : [{ column: field, code, message: message ?? code ?? '' }];
}

/* The history of a row as a sequence of events. */

/** A person's verdict about a row. */
export interface RowVerdict
  extends Pick<DecidedRow, 'verdict' | 'fromState' | 'objectId' | 'attempts' | 'note'> {
  readonly decidedBy: string;
}

/** An event of a row. A run is identified by its number among the batch's runs; null for a run of a lost ledger. */
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
      /** When the request was sent; for requests of earlier versions, when it was recorded. */
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
      /** The id of the object that the API created after the row had been given up. */
      readonly objectId: string;
      readonly idempotencyKey: string;
    };

/** A request of a row with its answer, and the row's state, in the form for a run log. Times are ISO 8601. */
export interface LoggableAnswer {
  readonly row: number;
  readonly state: RowState;
  readonly rowGeneration: number;
  readonly objectId: string | null;
  readonly code: string | null;
  readonly changedAt: string;
  readonly key: string;
  readonly generation: number;
  /** The hash in hex. */
  readonly requestHash: string;
  readonly writtenAt: string;
  /** Null if no request under the key is known. A request may have been sent anyway. */
  readonly attempt: (Omit<Attempt, 'answer' | 'sentAfterMs'> & { readonly recordedAt: string }) | null;
}
