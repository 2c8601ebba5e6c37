/*
 * The source of a dialogue's readings, and the validator that tries them. The best reading is the one with which most
 * rows pass.
 */

import type { Kind } from '../../domain/batches/batch.ts';
import type { Repair } from '../../domain/tables/mapping.ts';
import type { FoundMark } from '../../domain/tables/row-marks.ts';
import type { MappingFile } from '../../read/mapping/mapping-schema.ts';
import type { DifferingTotal } from '../../read/rows/row-sums.ts';
import type { Use } from '../columns/column-use.ts';
import type { ValueTable } from '../columns/value-tables.ts';
import { type Decisions, type Proposing, refuseFile, totalsId } from '../decisions.ts';
import type { FieldOption, Forecast, RefusalReason } from '../question.ts';
import { rowsPoint } from '../questions/marked-rows.ts';
import type { Point } from '../questions/point.ts';
import { proposeReadings, type Reading } from '../reading/propose.ts';
import type { Grid } from '../sheet/grid.ts';
import type { Sheet } from '../sheet/sheet.ts';
import type { TriedRow } from './refused-groups.ts';
import { type RefusedPoint, refusedPoint } from './refused-point.ts';

/** A way to read a file, as a dialogue proposes it and asks about it. */
export interface ProposedReading {
  readonly sheet: Sheet;
  readonly uses: readonly Use[];
  readonly tables: readonly ValueTable[];
  readonly points: readonly Point[];
  /** The kind of the rows. */
  readonly about: string;
  /** The fields that a column may be. */
  readonly fields: readonly FieldOption[];
  /** The repairs that make a column's values readable, by the column's title. */
  readonly repairs: Readonly<Record<string, readonly Repair[]>>;
  readonly mapping: object;
  /** The mapping after a person agrees to a change that needs agreement. */
  readonly agreed?: ProposedReading['mapping'];
}

/** The source of a dialogue's readings. */
export interface ReadingSource<R extends ProposedReading> {
  /** The sheets of the file, with their rows as they are in it. */
  readonly grids: readonly Grid[];
  /** The possible readings of the file under the decisions, the likeliest first. */
  readonly propose: (decisions: Decisions) => Promise<readonly R[]>;
  /** The place of a reading's table; null if no other place can be chosen. */
  readonly placeOf: (reading: R) => TablePlace | null;
  /**
   * The next group of refused rows about which a person has to be asked; absent if no rows are asked about.
   * @param only the one column that is asked about
   */
  readonly refused?: (
    reading: R,
    rows: readonly TriedRow[],
    decisions: Decisions,
    only?: string,
  ) => (RefusedPoint & { readonly changes: readonly { readonly reading: R }[] }) | undefined;
  /**
   * The questions about rows that look different from others; absent if no rows are asked about.
   * @param found the marks that an import does not know under the reading
   */
  readonly marked?: (reading: R, found: readonly FoundMark[]) => readonly Point[];
  /** The source of readings for another table of the file. */
  readonly at: (place: TablePlace) => ReadingSource<R>;
}

/** The readings of a file of rows to import. */
export function rowsToImport(proposing: Proposing): ReadingSource<Reading> {
  return {
    grids: proposing.grids,
    propose: (decisions) => proposeReadings(proposing, decisions),
    placeOf: ({ sheet, assignment }) => ({
      sheet: sheet.grid.sheet,
      headerRows: sheet.header,
      kind: assignment.kind,
    }),
    refused: refusedPoint,
    marked: rowsPoint,
    at: ({ sheet, kind }) =>
      rowsToImport({
        ...proposing,
        stated: { ...proposing.stated, kind, ...(sheet === null ? {} : { sheet }) },
      }),
  };
}

/** The validator's result for a reading. */
export interface TrialResult {
  readonly forecast: Forecast;
  readonly reasons: readonly RefusalReason[];
  /** Totals that are none of the rows. An import refuses the file because of them; absent if there are none. */
  readonly differing?: readonly DifferingTotal[];
  /** Marks of rows that no answer is about. An import refuses the file because of them; absent if there are none. */
  readonly marked?: readonly FoundMark[];
}

/**
 * Validates the file's rows under a reading; nothing is stored. For a long file, readings are compared by a sample, and
 * the figures are scaled up to all rows. `whole` validates every row. `watch` is called once for each row.
 */
export type Trial<R extends ProposedReading = Reading> = (
  reading: R,
  rows: 'looked_at' | 'whole',
  watch?: (row: TriedRow) => void,
) => Promise<TrialResult>;

/** The position of a table in a file, and the kind of its rows. */
export interface TablePlace {
  /** Null for CSV. */
  readonly sheet: string | null;
  /** The row or the two rows of the header, as a spreadsheet program numbers them. */
  readonly headerRows: readonly [number] | readonly [number, number];
  readonly kind: Kind;
}

/** A sentence if a file has no such table; undefined if it has the table. */
export function missingTable({ sheet, headerRows }: TablePlace, grids: readonly Grid[]): string | undefined {
  const grid = grids.find((other) => other.sheet === sheet);
  if (grid === undefined) return 'there is no such sheet';
  const [first, second] = headerRows;
  const isThere = headerRows.every((number) => grid.rows.some((row) => row.number === number));
  return !isThere || (second !== undefined && second !== first + 1) ? 'there is no such row' : undefined;
}

/** A reading that was agreed to. */
export interface AgreedReading<Mapping = MappingFile> {
  readonly mapping: Mapping;
  readonly forecast: Forecast;
}

/** A reading with the validator's result. */
export interface TriedReading<R> {
  readonly reading: R;
  readonly result: TrialResult;
}

/** The readings of one source. Each is validated once, because a dialogue needs the same readings after each answer. */
export class TriedReadings<R extends ProposedReading> {
  readonly source: ReadingSource<R>;
  readonly #trial: Trial<R>;
  readonly #results = new Map<string, TrialResult>();

  constructor(source: ReadingSource<R>, trial: Trial<R>) {
    this.source = source;
    this.#trial = trial;
  }

  /** The readings of another table of the file. */
  at(place: TablePlace): TriedReadings<R> {
    return new TriedReadings(this.source.at(place), this.#trial);
  }

  /** The reading with which most rows pass under the decisions. */
  async best(decisions: Decisions): Promise<TriedReading<R>> {
    let best: (TriedReading<R> & { readonly passes: number }) | undefined;
    for (const reading of await this.source.propose(decisions)) {
      const result = await this.result(reading, decisions);
      const { agreed: mapping } = reading;
      // Rows that a single agreement would add count for the reading, but the change is made only after the agreement.
      const passes =
        mapping === undefined
          ? result.forecast.pass
          : (await this.result({ ...reading, mapping }, decisions)).forecast.pass;
      if (best === undefined || passes > best.passes) best = { reading, result, passes };
    }
    if (best === undefined) throw new Error('a file with rows has a reading');
    return best;
  }

  /** The validator's result for a reading under the decisions; by a sample of the rows, or by all of them. */
  async result(
    reading: R,
    decisions: Decisions,
    rows: 'looked_at' | 'whole' = 'looked_at',
  ): Promise<TrialResult> {
    const isWhole = rows === 'whole' && reading.sheet.grid.isCut;
    const key = `${isWhole ? 'whole ' : ''}${JSON.stringify(reading.mapping)}`;
    const result = this.#results.get(key) ?? (await this.#trial(reading, isWhole ? 'whole' : 'looked_at'));
    this.#results.set(key, result);
    return withTotalsDecided(result, decisions);
  }

  /** The rows of the sample under a reading, and the number of rows that pass. */
  async rows(
    reading: R,
    isMeant: (row: TriedRow) => boolean = () => true,
  ): Promise<{ readonly rows: readonly TriedRow[]; readonly passes: number }> {
    const rows: TriedRow[] = [];
    const { forecast } = await this.#trial(reading, 'looked_at', (row) => {
      if (isMeant(row)) rows.push(row);
    });
    return { rows, passes: forecast.pass };
  }

  /** A reading with the question about the marks that an import would refuse the file for. */
  withMarks(reading: R, { marked = [] }: TrialResult): R {
    const points = this.source.marked?.(reading, marked) ?? [];
    return points.length === 0 ? reading : { ...reading, points: [...points, ...reading.points] };
  }

  /**
   * The next group of refused rows about which a person has to be asked; undefined if none exists.
   * @param only the one column that is asked about
   */
  async refused(
    { reading, result }: TriedReading<R>,
    decisions: Decisions,
    only: string | undefined,
  ): Promise<ReturnType<NonNullable<ReadingSource<R>['refused']>>> {
    if (this.source.refused === undefined || result.forecast.refused === 0) return undefined;
    const { rows } = await this.rows(reading);
    return this.source.refused(reading, rows, decisions, only);
  }
}

/**
 * The result after a person's decision about totals. If the person says that the totals are right and the rows are not,
 * the file is refused.
 */
function withTotalsDecided(result: TrialResult, decisions: Decisions): TrialResult {
  if (result.differing === undefined || decisions.get(totalsId) !== refuseFile) return result;
  const { pass, refused, left_out } = result.forecast;
  return { ...result, forecast: { pass: 0, refused: pass + refused, left_out } };
}
