import type { NormalisedRecord } from './record.ts';
import type { ResultRow } from './result-row.ts';

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
