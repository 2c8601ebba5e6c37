/* Tries a reading: which rows an import would create, and for which reasons it would refuse the whole file. */

import type { CallContext } from '../../call/context.ts';
import { judgeInputTable } from '../../check/judging.ts';
import type { CheckAccess } from '../../check/judging-access.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { Finding } from '../../domain/rows/finding.ts';
import type { StagedRow } from '../../domain/rows/ledger-row.ts';
import { joined, type Message, say } from '../../domain/settings/message.ts';
import { type FoundMark, MarkTally } from '../../domain/tables/row-marks.ts';
import type { SourceRow, SourceTable } from '../../domain/tables/table.ts';
import { isOfCells, sheetColumn, titlesNamed } from '../../read/mapping/titles.ts';
import type { InputFile } from '../../read/rows/input-table.ts';
import type { DifferingTotal } from '../../read/rows/row-sums.ts';
import { inputTableFrom } from '../../read/sources/input-of-table.ts';
import type { Trial, TrialResult } from '../dialogue/reading-source.ts';
import type { RefusalReason } from '../question.ts';
import type { Reading } from '../reading/propose.ts';
import { type GridRow, sheetOfRow } from '../sheet/grid.ts';

const reasonsShown = 12;

/**
 * Validates a file's rows under a reading with the validator of imports. The rows that pass are those that an import
 * would create or find existing.
 * @param file the opened file, for its name
 */
export function trialOf(app: CallContext, file: InputFile, access: CheckAccess): Trial {
  return async (reading, rows, watch) => {
    const isWhole = rows === 'whole';
    const tally = new Tally(reading, isWhole);
    let marked: readonly FoundMark[] = [];
    try {
      const { hidden } = reading.mapping;
      const settings = {
        ...app.settings,
        controls: { ...app.settings.controls, maxInvalid: undefined },
        reading: {
          ...app.settings.reading,
          hidden: hidden ?? app.settings.reading.hidden ?? ('include' as const),
        },
      };
      marked = await newMarksIn(file, reading, isWhole, settings.reading);
      const table = isWhole ? await wholeTable(file, reading) : tableOf(reading, rowsOf(reading));
      const inputTable = await inputTableFrom(
        { file, table, mapping: reading.mapping, kind: reading.assignment.kind },
        settings.reading,
        { onDiffering: (total) => tally.differs(total) },
      );
      for await (const group of judgeInputTable({ ...app, settings }, access, inputTable))
        tally.add(group, watch);
      return { ...tally.result(), ...(marked.length === 0 ? {} : { marked }) };
    } catch (error) {
      if (!(error instanceof PaybatchError)) throw error;
      return { ...tally.refused(error), ...(marked.length === 0 ? {} : { marked }) };
    }
  };
}

/**
 * The marks of rows because of which an import would refuse the file under a reading. They are found as in an import:
 * sheet by sheet, and in the lines that it takes for rows. If the reading is not complete yet, the rows are those of
 * the proposal.
 * @param isWhole whether all rows are read, or only the sampled rows
 */
export async function newMarksIn(
  file: InputFile,
  reading: Reading,
  isWhole: boolean,
  profile: Parameters<typeof inputTableFrom>[1],
): Promise<readonly FoundMark[]> {
  const { sheet, mapping, assignment } = reading;
  const hasMarks =
    (sheet.grid.marks?.size ?? 0) > 0 || sheet.grid.rows.some(({ look }) => look !== undefined);
  if (!hasMarks) return [];
  const found = new Map<string, FoundMark>();
  const weight = isWhole ? 1 : sheet.weight;
  const add = (fresh: readonly FoundMark[]): void => {
    for (const { mark, rows, first } of fresh) {
      const before = found.get(mark) ?? { mark, rows: 0, first: [] };
      found.set(mark, {
        mark,
        rows: before.rows + Math.round(rows * weight),
        first: [...before.first, ...first],
      });
    }
  };
  const tables = isWhole
    ? [await wholeTable(file, reading)]
    : sheetsOf(reading, rowsOf(reading)).map((rows) => tableOf(reading, rows));
  try {
    for (const table of tables) {
      let fresh: readonly FoundMark[] = [];
      const own = { file, table, mapping, kind: assignment.kind };
      const { table: read } = await inputTableFrom(own, profile, {
        // Rows are counted even if totals differ.
        onDiffering: () => undefined,
        onNewMarks: (marks) => {
          fresh = marks;
        },
      });
      for await (const _ of read.rows());
      add(fresh);
    }
  } catch (error) {
    if (!(error instanceof PaybatchError)) throw error;
    found.clear();
    for (const rows of sheetsOf(reading, sheet.rows)) {
      const tally = new MarkTally(new Set(Object.keys(mapping.markedRows ?? {})));
      for (const row of rows) tally.add(row);
      add(tally.found());
    }
  }
  return [...found.values()];
}

/** The table with all its rows, in the form in which an import opens it. */
async function wholeTable({ tables }: InputFile, { sheet }: Reading): Promise<SourceTable> {
  const own = tables.find((table) => table.sheet === sheet.grid.sheet);
  if (own === undefined) throw new Error('a sheet is read that the file does not have');
  return own.below(sheet.header);
}

/** The rows below the header. Totals between the rows of a sample are left out, because they are sums of other rows. */
function rowsOf({ sheet: { grid, header, rows } }: Reading): readonly GridRow[] {
  const last = header.at(-1) ?? 1;
  return grid.isCut ? rows : grid.rows.filter(({ number }) => number > last);
}

/** The rows grouped by sheet, if several sheets are read together. */
function sheetsOf({ sheet }: Reading, rows: readonly GridRow[]): readonly (readonly GridRow[])[] {
  const { laterSheets = [] } = sheet.grid;
  return [0, ...laterSheets].map((start, at) =>
    rows.filter(({ number }) => number >= start && number < (laterSheets[at] ?? Number.POSITIVE_INFINITY)),
  );
}

/** A new copy of the rows below the header, because reading may change them. */
function tableOf({ sheet, mapping }: Reading, rows: readonly GridRow[]): SourceTable {
  const { grid, header } = sheet;
  const last = header.at(-1) ?? 1;
  const titles = sheet.titles.filter(isOfCells);
  const width = titles.length;
  // The rows of several sheets are tried as one table, so the names of their sheets are in cells of it.
  const isSheetRead = grid.sheets !== undefined && titlesNamed(titles, mapping).includes(sheetColumn);
  const above = grid.rows.filter(({ number }) => number < header[0]);
  return {
    sheet: grid.sheet,
    ...(grid.isHidden ? { isHidden: true } : {}),
    header: isSheetRead ? [...titles, sheetColumn] : titles,
    headerRow: last,
    ...(above.length === 0 ? {} : { above }),
    notes: [],
    rows: async function* () {
      for (let start = 0; start < rows.length; start += 1_000) {
        yield rows.slice(start, start + 1_000).map(({ cells, ...row }): SourceRow => {
          const own = padded(cells, width);
          return { ...row, cells: isSheetRead ? own.toSpliced(width, 0, sheetOfRow(grid, row)) : own };
        });
      }
    },
  };
}

function padded(cells: readonly string[], width: number): readonly string[] {
  return cells.length >= width ? [...cells] : [...cells, ...Array<string>(width - cells.length).fill('')];
}

/** Counts the rows by result, and the reasons of refused rows. */
class Tally {
  readonly #lines: number;
  /** The number of the file's rows that each row represents. */
  readonly #weight: number;
  /** Rows that pass. Later rows may repeat them. */
  readonly #passed = new Set<number>();
  /** Differing totals by row, because a table is read more than once. */
  readonly #differing = new Map<number, DifferingTotal>();
  readonly #reasons = new Map<string, { reason: RefusalReason; rows: number }>();
  #read = 0;
  #pass = 0;

  constructor({ sheet }: Reading, isWhole: boolean) {
    const last = sheet.header.at(-1) ?? 1;
    const above = sheet.grid.rows.filter(({ number }) => number <= last).length;
    this.#lines = sheet.grid.allRows - above;
    this.#weight = isWhole ? 1 : sheet.weight;
  }

  add(group: readonly StagedRow[], watch?: Parameters<Trial>[2]): void {
    for (const row of group) {
      const { state, sameAs } = row;
      this.#read += 1;
      const isPassed =
        state === 'staged' ||
        state === 'existing' ||
        (state === 'duplicate' && sameAs !== null && this.#passed.has(sameAs));
      if (isPassed) {
        this.#pass += 1;
        this.#passed.add(row.row);
      }
      if (state === 'invalid' || state === 'held') this.#note(row);
      const { record, findings } = row;
      watch?.({ row: row.row, isPassed, record, findings });
    }
  }

  result(): TrialResult {
    const ofFile = (rows: number): number => Math.round(rows * this.#weight);
    const read = Math.min(this.#lines, ofFile(this.#read));
    const pass = Math.min(read, ofFile(this.#pass));
    const reasons = [...this.#reasons.values()]
      .sort((left, right) => right.rows - left.rows)
      .slice(0, reasonsShown);
    return {
      forecast: { pass, refused: read - pass, left_out: this.#lines - read },
      reasons: reasons.map(({ reason, rows }) => ({ ...reason, rows: ofFile(rows) })),
      ...(this.#differing.size === 0 ? {} : { differing: [...this.#differing.values()] }),
    };
  }

  /** A total that is none of the rows. A person is asked about it, so the rows are counted anyway. */
  differs(total: DifferingTotal): void {
    this.#differing.set(total.row, total);
  }

  /** The file as a whole is refused, so none of its rows passes. */
  refused({ code, message }: PaybatchError): TrialResult {
    const rows = this.#lines;
    return {
      forecast: { pass: 0, refused: rows, left_out: 0 },
      reasons: [{ code, column: null, rows, example_row: 0, message }],
    };
  }

  #note({ row, reason, findings }: StagedRow): void {
    if (reason === null) return;
    const key = `${reason.code} ${reason.field ?? ''}`;
    const known = this.#reasons.get(key);
    if (known !== undefined) known.rows += 1;
    else {
      const { code, field } = reason;
      const message = findings.length === 0 ? reason.message : messageOf(findings);
      this.#reasons.set(key, {
        rows: 1,
        reason: { code, column: field, rows: 1, example_row: row, message },
      });
    }
  }
}

/** The faults of a row. The column of the first finding is the column of the reason, and is shown before the text. */
function messageOf(findings: readonly Finding[]): Message {
  const said = findings.map(({ field, column, message }, at) => {
    if (at === 0 || column === '') return message;
    return say`${column === field ? { field } : column}: ${message}`;
  });
  return joined(said, '; ');
}
