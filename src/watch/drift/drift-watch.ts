/* Compares a file with the last ones of its layout while its rows are read, and says what differs. */

import { hash } from 'node:crypto';
import {
  type Drift,
  driftWhats,
  type EarlierProfile,
  type LayoutProfile,
} from '../../domain/batches/last-time.ts';
import type { StagedRow } from '../../domain/rows/ledger-row.ts';
import { unprotectCell } from '../../domain/tables/table.ts';
import { mask } from '../../domain/text/characters.ts';
import { shownAs } from '../../kinds/fields/field-types.ts';
import { shorten } from '../../kinds/fields/value-text.ts';
import { fieldForHeader, normaliseHeader } from '../../kinds/registry.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { readingRulesOf } from '../../read/mapping/mapping-file.ts';
import type { InputTable } from '../../read/rows/input-table.ts';
import { type Difference, type DriftColumn, driftColumnsOf, layoutKeyOf } from './columns.ts';
import { compareColumns } from './compare-columns.ts';
import { comparePeople, isReadAlike } from './compare-people.ts';
import { type PeopleFound, peopleFoundBy } from './people.ts';
import { type ColumnWatch, ProfileWatch, type RowMarks } from './profile.ts';
import { FillerWatch, TotalWatch } from './totals-and-fillers.ts';

/** How a file differs from last time. */
export interface DriftResult {
  readonly profile: LayoutProfile;
  /** All differences, including those that stop the sending. */
  readonly drift: readonly Drift[];
  /** The differences that a person has to look at before anything is sent. */
  readonly stops: readonly Drift[];
}

type DriftPort = Pick<LedgerVerbs, 'findEarlierRows'>;

/** The file that is read now. */
interface ComparedFile {
  readonly columns: readonly DriftColumn[];
  /** Titles that the mapping does not know; their columns are left out. */
  readonly newTitles: ReadonlySet<string>;
  readonly kind: InputTable['mapping']['kind'];
}

/** Follows the rows of one table. Holds the profile and a few dozen people of each earlier file, and no rows. */
export class DriftWatch {
  readonly #file: ComparedFile;
  readonly #port: DriftPort;
  readonly #watch: ProfileWatch;
  readonly #earlier: readonly EarlierFile[];
  readonly #totals = new TotalWatch();
  readonly #fillers: FillerWatch;

  constructor(file: ComparedFile, earlier: readonly EarlierProfile[], port: DriftPort) {
    this.#file = file;
    this.#port = port;
    this.#watch = new ProfileWatch(file.columns);
    this.#fillers = new FillerWatch(file.columns);
    this.#earlier = earlier.map((each) => new EarlierFile(each, file.columns));
  }

  /** Passes the groups on after their rows were counted. After the last group the result is ready. */
  async *follow(groups: AsyncIterable<StagedRow[]>): AsyncGenerator<StagedRow[]> {
    for await (const group of groups) {
      for (const row of group) {
        const marks = this.#watch.take(row);
        for (const earlier of this.#earlier) earlier.take(row, marks);
        this.#totals.take(row);
        this.#fillers.take(row);
      }
      yield group;
    }
  }

  /**
   * The result of the comparison with the earlier file that has the fewest differences. Call it once the file is read
   * to its end.
   */
  async result(): Promise<DriftResult> {
    const profile = this.#watch.result();
    const found = this.#earlier.map((earlier) => ({
      earlier,
      differences: onePerColumn(earlier.differences(this.#watch)),
    }));
    const [closest] = found.sort(
      (one, other) =>
        stopsIn(one.differences) - stopsIn(other.differences) ||
        one.differences.length - other.differences.length,
    );
    const differences = closest?.differences ?? [];
    const shown = await Promise.all(
      differences.map(async (difference) => ({
        stops: difference.stops,
        drift: await this.#shown(difference, closest?.earlier),
      })),
    );
    const fillers = this.#fillers.result(this.#earlier).map((drift) => ({ stops: true, drift }));
    const all = [...this.#newColumns(), ...shown, ...this.#totalRows(), ...fillers];
    return {
      profile,
      drift: all.map((each) => each.drift),
      stops: all.filter(({ stops }) => stops).map((each) => each.drift),
    };
  }

  #newColumns(): { readonly stops: boolean; readonly drift: Drift }[] {
    const { kind, newTitles } = this.#file;
    return this.#watch.columns.flatMap((watch) => {
      const { title } = watch.column;
      if (!newTitles.has(title) || this.#earlier.some((each) => each.hadValues(title))) return [];
      const isOwnName = fieldForHeader(kind, title) !== undefined;
      // A column without a value says nothing yet. It is new in the month in which it has values.
      if (watch.filled === 0 && !isOwnName) return [];
      const stops = mayMeanSomething(watch, this.#watch.rows, isOwnName);
      const now =
        watch.filled === 0
          ? 'an empty column'
          : `${watch.samples.map((text) => shownOf(watch.column, text)).join(', ')} (${watch.filled} of ${this.#watch.rows} cells are filled)`;
      return [{ stops, drift: { column: title, what: 'new_column', before: '', now } }];
    });
  }

  #totalRows(): { readonly stops: boolean; readonly drift: Drift }[] {
    const amount = this.#file.columns.find(({ role }) => role === 'amount');
    if (amount === undefined || this.#earlier.length === 0) return [];
    return this.#totals.result().map((total) => ({
      stops: true,
      drift: {
        column: amount.title,
        what: 'total_row',
        before: '',
        now: `row ${total.row} has ${total.amount}, the sum of the other rows`,
      },
    }));
  }

  async #shown(
    { column, what, earlier, now, remark = {} }: Difference,
    file: EarlierFile | undefined,
  ): Promise<Drift> {
    const own = this.#file.columns[column];
    if (own === undefined) throw new Error('a difference is of no column');
    const textsBefore =
      earlier === null || file === undefined ? [] : await this.#cellsOf(file, earlier.rows, earlier.column);
    const said = (texts: readonly string[], more: string | undefined): string => {
      const samples = texts.map((text) => (text === '' ? 'empty' : shownOf(own, text))).join(', ');
      if (more === undefined) return samples;
      return samples === '' ? more : `${samples} (${more})`;
    };
    return { column: own.title, what, before: said(textsBefore, remark.before), now: said(now, remark.now) };
  }

  /** Reads the cells of a column in rows of an earlier file from the ledger. */
  async #cellsOf(
    { batch, profile }: EarlierProfile,
    rows: readonly number[],
    place: number,
  ): Promise<string[]> {
    const found = await this.#port.findEarlierRows(batch, [...rows]);
    const index = profile.columns[place]?.index ?? -1;
    return rows.flatMap((row) => {
      const cell = found.get(row)?.cells[index];
      return cell === undefined ? [] : [unprotectCell(cell).trim()];
    });
  }
}

/** An earlier file, and the comparison of its people. */
class EarlierFile implements EarlierProfile {
  readonly batch: string;
  readonly profile: LayoutProfile;
  readonly #columns: readonly DriftColumn[];
  /** By current column: its place in the profile; -1 for a new one. */
  readonly #placeBefore: readonly number[];
  readonly #people: readonly PeopleFound[];

  constructor({ batch, profile }: EarlierProfile, columns: readonly DriftColumn[]) {
    this.batch = batch;
    this.profile = profile;
    this.#columns = columns;
    const titles = profile.columns.map(({ title }) => normaliseHeader(title));
    this.#placeBefore = columns.map(({ title }) => titles.indexOf(normaliseHeader(title)));
    this.#people = peopleFoundBy(profile, columns, this.#placeBefore);
  }

  take(row: StagedRow, marks: RowMarks): void {
    for (const each of this.#people) each.take(row, marks, this.#columns);
  }

  hadValues(title: string): boolean {
    const wanted = normaliseHeader(title);
    return this.profile.columns.some(
      (column) => normaliseHeader(column.title) === wanted && column.filled > 0,
    );
  }

  differences(watch: ProfileWatch): Difference[] {
    const isAlike = (column: number): boolean => isReadAlike(this.#people, column);
    return [
      ...comparePeople(this.profile, this.#columns, this.#placeBefore, this.#people),
      ...compareColumns(this.profile, watch, this.#placeBefore, isAlike),
    ];
  }
}

function stopsIn(differences: readonly Difference[]): number {
  return differences.filter(({ stops }) => stops).length;
}

function onePerColumn(differences: readonly Difference[]): Difference[] {
  const rank = ({ stops, what }: Difference): number =>
    (stops ? 0 : driftWhats.length) + driftWhats.indexOf(what);
  const first = new Map<number, Difference>();
  for (const difference of [...differences].sort((one, other) => rank(one) - rank(other))) {
    if (!first.has(difference.column)) first.set(difference.column, difference);
  }
  return [...first.values()].sort((one, other) => one.column - other.column);
}

const mostDigitsShown = 5;

/** A cell as people are shown it. It is masked where it identifies an account, or may do so in an unknown column. */
function shownOf({ type }: DriftColumn, text: string): string {
  if (type !== undefined) return shownAs(type, text).value;
  return text.replace(/\D/g, '').length > mostDigitsShown ? mask(text) : shorten(text);
}

/* Judges a column that the remembered mapping does not know: whether it could mean something. */

const meaningfulShare = 0.3;
const half = 0.5;
const longText = 16;
const fewValues = 12;

/**
 * Whether a new column may say something about whom or what its rows pay: amounts, days, accounts, names, or a few words
 * again and again. Sentences and empty columns do not.
 * @param isOwnName whether its title is a name of one of our fields
 */
function mayMeanSomething(
  { filled, classes, names, fullNames, characters, values }: ColumnWatch,
  rows: number,
  isOwnName: boolean,
): boolean {
  if (filled === 0) return false;
  if (isOwnName) return true;
  const ofClass = (name: string): number => classes.counts.get(name)?.rows ?? 0;
  if (filled - ofClass('words') - ofClass('mixed') >= meaningfulShare * filled) return true;
  // A remark may be one word with a capital. Where nearly every row has one, they are names.
  if (fullNames >= meaningfulShare * filled || (names >= half * filled && filled >= half * rows)) return true;
  const isSentences = characters / filled >= longText;
  return !isSentences && values !== null && values.size <= fewValues && filled >= 2 * values.size;
}

/* Finding the files that a table is compared with, and what a person accepts. */

/** Finds the files that a table is compared with; undefined where the table is of no known layout. */
export type FindDrift = (inputTable: InputTable) => Promise<DriftWatch | undefined>;

/** The last files of layouts, within one environment. */
export function driftIn(
  verbs: Pick<LedgerVerbs, 'findEarlierProfiles' | 'findEarlierRows'>,
  environmentId: number,
): FindDrift {
  return async ({ layout, contentHash, mapping, reading, table: { header } }) => {
    if (layout === undefined) return undefined;
    const layoutKey = layoutKeyOf(header, mapping);
    const earlier = await verbs.findEarlierProfiles({ environmentId, contentHash, layoutKey });
    const columns = driftColumnsOf(header, mapping, readingRulesOf(reading));
    const newTitles = new Set(layout.remembered?.newTitles);
    return new DriftWatch({ columns, newTitles, kind: mapping.kind }, earlier, verbs);
  };
}

const codeLength = 8;

/** What a person names to accept these differences, for this content and nothing else. */
export function acceptanceOf(
  { contentHash, table: { sheet } }: Pick<InputTable, 'contentHash' | 'table'>,
  stops: readonly Drift[],
): string {
  const found = stops.map(({ column, what }) => [column, what]);
  return hash('sha256', JSON.stringify([contentHash, sheet, found]), 'hex').slice(0, codeLength);
}
