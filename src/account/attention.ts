/* Why rows of a batch are not created: each reason with its rows. */

import type { Attention, AttentionGroup, ReportPlace } from '../domain/batches/account.ts';
import { unmasked } from '../domain/rows/finding.ts';
import { type Fault, type FaultyRow, faultsOf, type ResultRow } from '../domain/rows/result-row.ts';
import type { ResultStatus } from '../domain/rows/row-state.ts';
import { answerDiffers } from '../domain/sending/outcome.ts';
import { inWords, type Message, plainText, plainWords } from '../domain/settings/message.ts';

/** The maximum number of values shown for a reason, and of row ranges shown for each value. */
const SHOWN_VALUES = 30;

const SHOWN_RANGES = 40;

const VALUE_CHARACTERS = 60;

/** Row numbers, with consecutive ones as a range; the number of ranges is limited. */
class RowRanges {
  readonly #ranges: { first: number; last: number }[] = [];
  #count = 0;
  #beyond = 0;

  get count(): number {
    return this.#count;
  }

  add(row: number): void {
    const last = this.#ranges.at(-1);
    if (last?.last === row && this.#beyond === 0) return;
    this.#count += 1;
    if (last !== undefined && last.last === row - 1 && this.#beyond === 0) last.last = row;
    else if (this.#ranges.length < SHOWN_RANGES) this.#ranges.push({ first: row, last: row });
    else this.#beyond += 1;
  }

  get text(): string {
    const shown = this.#ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`));
    return `${shown.join(', ')}${this.#beyond === 0 ? '' : ` and ${this.#beyond.toLocaleString('en-US')} more`}`;
  }
}

/** The rows to which a reason applies, grouped by the text of their cell. */
class ReportPlaces {
  readonly #byValue = new Map<string, RowRanges>();
  readonly #others = new RowRanges();

  add(row: number, value: string): void {
    const characters = Array.from(value);
    const shown =
      characters.length > VALUE_CHARACTERS ? `${characters.slice(0, VALUE_CHARACTERS - 1).join('')}…` : value;
    const own = this.#byValue.get(shown);
    if (own !== undefined) own.add(row);
    else if (this.#byValue.size >= SHOWN_VALUES) this.#others.add(row);
    else {
      const ranges = new RowRanges();
      ranges.add(row);
      this.#byValue.set(shown, ranges);
    }
  }

  /** The values in order of appearance. The last entry, whose value is null, collects those beyond the limit. */
  result(): ReportPlace[] {
    const shown = [...this.#byValue].map(([value, ranges]) => ({
      value,
      rowCount: ranges.count,
      rows: ranges.text,
    }));
    if (this.#others.count === 0) return shown;
    return [...shown, { value: null, rowCount: this.#others.count, rows: this.#others.text }];
  }
}

const LISTED_GROUPS = 200;

/**
 * The maximum number of reasons kept. The API's messages come from outside: if every row has its own message, the rows
 * beyond this limit share one group without a message.
 */
const KEPT_GROUPS = 1000;

/** A value that occurs in fewer rows than this may be personal data. */
const rowsOfOneValue = 3;

/**
 * Whether a reason concerns few values of one column, so that one question about their meaning covers all of its rows.
 */
export function hasFewValues({ column, rows, places }: AttentionGroup): boolean {
  const areListed = places.every(({ value }) => value !== null);
  return column !== null && areListed && rows >= places.length * rowsOfOneValue;
}

/** The title of the column with few values for which the API refused most rows; null if there is no such column. */
export function valuesRefusedIn({ groups }: Pick<Attention, 'groups'>): string | null {
  return groups.find((group) => group.status === 'rejected' && hasFewValues(group))?.column ?? null;
}

/** Whether the answer that created a row contradicts its request. */
function isContradicted({ status, code }: Pick<ResultRow, 'status' | 'code'>): boolean {
  return status === 'created' && code === answerDiffers;
}

interface GrowingGroup {
  readonly status: ResultStatus;
  readonly code: string | null;
  readonly column: string | null;
  /** The message of the first row in full. `message` is the same text without the value. */
  readonly firstMessage: string | null;
  readonly message: string | null;
  readonly example: string | null;
  readonly places: ReportPlaces;
  rows: number;
  lastRow: number;
}

/**
 * Collects the rows that need attention while all rows are written into the result files. Memory grows with the number of
 * different reasons, not of rows.
 */
export class AttentionCollector {
  readonly #groups = new Map<string, GrowingGroup>();
  readonly #columns: ReadonlyMap<string, number>;
  #rows = 0;
  #contradicted = 0;

  /** @param header the input's header cells, in the order of its rows' cells */
  constructor(header: readonly string[]) {
    this.#columns = new Map(header.map((title, index) => [title, index]));
  }

  /** Reads one row. */
  add(row: FaultyRow): void {
    const contradicted = isContradicted(row);
    if (!contradicted && (row.status === 'created' || row.status === 'existing')) return;
    this.#rows += 1;
    if (contradicted) this.#contradicted += 1;
    const faults = faultsOf(row);
    if (faults.length === 0) this.#addFault(row, { column: null, code: null, message: '' });
    for (const fault of faults) this.#addFault(row, fault);
  }

  result(): Attention {
    const sizes = new Map<ResultStatus, number>();
    const all = [...this.#groups.values()];
    for (const { status, rows } of all) sizes.set(status, Math.max(sizes.get(status) ?? 0, rows));
    all.sort(
      (left, right) =>
        Number(isContradicted(right)) - Number(isContradicted(left)) ||
        (left.status === right.status ? 0 : (sizes.get(right.status) ?? 0) - (sizes.get(left.status) ?? 0)) ||
        left.status.localeCompare(right.status) ||
        right.rows - left.rows,
    );
    return {
      rows: this.#rows,
      contradicted: this.#contradicted,
      groups: all.slice(0, LISTED_GROUPS).map(shownGroup),
      groupsLeftOut: Math.max(all.length - LISTED_GROUPS, 0),
    };
  }

  #addFault(row: FaultyRow, { column, code, message }: Fault): void {
    const value = column === null ? '' : (row.cells[this.#columns.get(column) ?? -1]?.trim() ?? '');
    const general = (code === null ? undefined : withoutOtherRow[code]) ?? generalised(message, value);
    const full = JSON.stringify([row.status, code, column, general]);
    const isKept = this.#groups.has(full) || this.#groups.size < KEPT_GROUPS;
    const key = isKept ? full : JSON.stringify([row.status]);
    const group = this.#groups.get(key) ?? {
      status: row.status,
      code: isKept ? code : null,
      column: isKept ? column : null,
      firstMessage: isKept && message !== '' ? plainText(unmasked(message, value)) : null,
      message: isKept && message !== '' ? general : null,
      example: isKept && message !== '' ? plainText(message) : null,
      places: new ReportPlaces(),
      rows: 0,
      lastRow: 0,
    };
    this.#groups.set(key, group);
    // A row may have the same message twice for one column. It counts once.
    if (group.lastRow === row.row) return;
    group.lastRow = row.row;
    group.rows += 1;
    group.places.add(row.row, isKept ? value || (row.objectId ?? '') : '');
  }
}

function shownGroup({ firstMessage, message, lastRow: _, ...group }: GrowingGroup): AttentionGroup {
  const places = group.places.result();
  const namesRow = group.code !== null && group.code in withoutOtherRow;
  const isOfAll = namesRow ? group.rows === 1 : places.length === 1;
  return { ...group, message: isOfAll ? firstMessage : message, places };
}

/**
 * Texts, by code, for reasons whose messages name another row. The texts fit all rows of a reason: without them each
 * row would be a reason of its own.
 */
const withoutOtherRow: Readonly<Record<string, string>> = {
  payee_details_changed: 'The payee had other account details before.',
  account_shared: 'The account belongs to another payee too.',
  unknown_elsewhere: 'The same object may exist already: another row was sent and has no conclusive answer.',
  sent_elsewhere: 'The same object is about to be created by another row: let its batch finish first.',
  corrects_created: 'It corrects a row that is created already.',
  corrects_in_doubt:
    'It corrects a row that may be created already, and goes on once that one is refused or found not created.',
  differs_from_created: 'Another row created the same object with other values.',
};

/**
 * A message without its value, so that messages that differ only in the value are equal.
 * @param value the text of the cell: the API's messages come from outside and may quote it
 */
function generalised(message: Message, value: string): string {
  if (typeof message !== 'string')
    return inWords(message, {
      ...plainWords,
      value: ({ value: shown }) => (shown.startsWith('“') ? '“…”' : '…'),
    });
  if (value === '') return message;
  const general = message.replaceAll(`“${value}”`, '“…”');
  return general.startsWith(`${value} `) ? `…${general.slice(value.length)}` : general;
}
