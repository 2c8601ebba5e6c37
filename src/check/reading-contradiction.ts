/* Refuses a file whose values, or whose difference from last time, its reading cannot be right for. */

import type { Drift } from '../domain/batches/last-time.ts';
import type { RefusalCode } from '../domain/failures/error-codes.ts';
import { PaybatchError, type Remedies, remediesOf } from '../domain/failures/paybatch-error.ts';
import { fractionDigitsOf } from '../domain/money/money.ts';
import type { StagedRow } from '../domain/rows/ledger-row.ts';
import {
  type MappedColumn,
  plainReadingRules,
  type ReadingRules,
  type TableMapping,
} from '../domain/tables/mapping.ts';
import type { SourceRow } from '../domain/tables/table.ts';
import { checkAmountInCurrency, createAmountCheck } from '../kinds/fields/amount.ts';
import { treatText } from '../kinds/fields/cell-repairs.ts';
import {
  ColumnProfile,
  type Convention,
  misreadingText,
  type NumberStyle,
  namedValues,
  numberStyles,
  proofsNamed,
  type RivalReading,
  type Seen,
} from '../kinds/fields/column-profile.ts';
import { splitCurrencySigns } from '../kinds/fields/currency.ts';
import { createBirthDateCheck, dayInWords, isYearFirstFormat } from '../kinds/fields/days.ts';
import {
  createTranslation,
  eitherOf,
  noOtherValues,
  passedValue,
  shorten,
} from '../kinds/fields/value-text.ts';
import { fieldForHeader, ruleOf } from '../kinds/registry.ts';
import type { MappingFile } from '../read/mapping/mapping-schema.ts';
import type { InputTable } from '../read/rows/input-table.ts';
import { noLongerFits } from '../read/sources/remembered-mappings.ts';
import { driftText } from '../watch/drift/columns.ts';
import { acceptanceOf, type DriftResult } from '../watch/drift/drift-watch.ts';

/** Every convention reads it, in the same way. */
const wholeNumber = /^[1-9]\d*$/;

/** One to three digits: they look the same with or without a thousands separator. */
const belowThousand = /^[1-9]\d{0,2}$/;

/** Three digits after each point: decimals, or groups of thousands. */
const pointBeforeThree = /^[1-9]\d{0,2}(?:\.\d{3})+$/;

/** The amounts of a column. */
class AmountProfile {
  readonly profile: ColumnProfile;
  /** Null once a value has shown what the point means, or where the mapping states it. */
  #ambiguous: readonly Seen[] | null;
  readonly #acceptsSigns: boolean;

  constructor({ title, repairs }: MappedColumn, reading: ReadingRules, isStated: boolean) {
    const { decimal, thousands } = reading;
    const others = numberStyles.filter((style) => style.decimal !== decimal || style.thousands !== thousands);
    const own = { decimal, thousands };
    this.profile = new ColumnProfile(
      title,
      amountConvention(own, own),
      others.map((style) => amountConvention(style, own)),
    );
    this.#ambiguous = isStated ? null : [];
    this.#acceptsSigns = reading.currencySigns === 'accept' || repairs?.has('amount_marks') === true;
  }

  get isSettled(): boolean {
    return this.#ambiguous === null && this.profile.isSettled;
  }

  take({ row, text }: Seen, currency: string | undefined): void {
    const number = this.#acceptsSigns ? splitCurrencySigns(text).number : text;
    if (wholeNumber.test(number)) {
      if (!belowThousand.test(number)) this.#ambiguous = null;
      this.profile.takeNeutral();
      return;
    }
    const isRead = this.profile.take({ row, text: number }, currency);
    if (this.#ambiguous === null || !isRead) return;
    if (!pointBeforeThree.test(number)) this.#ambiguous = null;
    else if ((fractionDigitsOf(currency ?? '') ?? 0) < 3 && this.#ambiguous.length < proofsNamed) {
      this.#ambiguous = [...this.#ambiguous, { row, text: number }];
    }
  }

  /** Values whose point may separate decimals or thousands, where no value of the column decides it. */
  get ambiguous(): readonly Seen[] {
    return this.#ambiguous ?? [];
  }
}

function amountConvention(style: NumberStyle, inForce: NumberStyle): Convention {
  const { decimal, thousands } = style;
  const check = createAmountCheck({ ...plainReadingRules, ...style });
  return {
    example: `1${thousands}234${decimal}50`,
    isExtension: decimal === inForce.decimal && inForce.thousands === '' && thousands !== '',
    read: (text, currency) => {
      const amount = passedValue(check(text, undefined, noOtherValues));
      if (amount === undefined || currency === undefined) return amount;
      return passedValue(checkAmountInCurrency(amount, currency));
    },
  };
}

/** The formats that people write: every usual order and separator; where the year is first, it has four digits. */
const dateFormats: readonly string[] = [
  ...['/', '.', '-'].flatMap((separator) =>
    ['D M YYYY', 'M D YYYY', 'YYYY M D', 'D M YY', 'M D YY'].map((order) => order.replaceAll(' ', separator)),
  ),
  ...['D MMM YYYY', 'D MMM YY'],
];

const yearDigits = 4;
const isoDay = /^\d{4}-\d\d-\d\d$/;

function dateProfile(title: string, dateFormat: string, today: string): ColumnProfile {
  // A day of one digit where two are declared is a separate mistake, and no evidence of another order.
  const inForce = dateFormat.replace('DD', 'D').replace(/(?<!M)MM(?!M)/, 'M');
  // Dates of ISO 8601 are read besides every declared format, so any other format only adds to what is read.
  const isExtension = inForce === 'YYYY-M-D';
  const conventionOf = (format: string, example = format): Convention => {
    const check = createBirthDateCheck(format, today);
    const sign = isYearFirstFormat(format) ? format.charAt(yearDigits) : undefined;
    // Each format with the year first reads all such days, and each one days in words. A message names the one of the file.
    const isOfAnother = (text: string): boolean =>
      format !== inForce &&
      !isoDay.test(text) &&
      ((sign !== undefined && !text.includes(sign)) ||
        (!format.includes('MMM') && dayInWords(text) !== undefined));
    return {
      example,
      isExtension,
      read: (text) => (isOfAnother(text) ? undefined : passedValue(check(text, undefined, noOtherValues))),
    };
  };
  const others = dateFormats.filter((format) => format !== inForce);
  return new ColumnProfile(
    title,
    conventionOf(inForce, dateFormat),
    others.map((format) => conventionOf(format)),
  );
}

/** The table whose values are examined, and how they are read. */
interface WatchedTable {
  readonly mapping: TableMapping;
  /** What a person or a mapping stated about the reading. */
  readonly stated: MappingFile;
  readonly reading: ReadingRules;
  /** YYYY-MM-DD in UTC. */
  readonly today: string;
  /** Its name in messages. */
  readonly place: string;
  /** The file as a command takes it. */
  readonly path: string;
  /**
   * Whether these are corrected rows of a file whose reading is decided: these few rows cannot decide an open
   * question.
   */
  readonly areSomeRows: boolean;
}

/** Examines the amounts and dates of a table row by row. */
export interface ReadingWatch {
  /** @param rows with guards removed from their cells  @param judged the results for the rows, in the same order */
  readonly take: (rows: readonly SourceRow[], judged: readonly StagedRow[]) => void;
  /** Why the whole table is refused, after its last row; null where its values fit the reading in force. */
  readonly refusal: () => PaybatchError | null;
}

/**
 * Detects that another convention reads every value of a column while the one in force does not: then the values that the
 * one in force does read are probably misread too, and nothing of the file may be sent. Cells stored as numbers or dates
 * show nothing about how texts are written. A few values are kept for each column, for any number of rows.
 */
export function watchReading(watched: WatchedTable): ReadingWatch {
  const { mapping, stated, reading, today } = watched;
  const isStated = stated.decimal !== undefined || (stated.thousands ?? '') !== '' || watched.areSomeRows;
  const typeOf = ({ field }: MappedColumn) => ruleOf(mapping.kind, field)?.type;
  const amounts = mapping.columns
    .filter((column) => typeOf(column) === 'amount')
    .map((column) => ({ valueIn: readerOf(column), profile: new AmountProfile(column, reading, isStated) }));
  const days = mapping.columns
    .filter((column) => typeOf(column) === 'birth_date')
    .map((column) => ({
      valueIn: readerOf(column),
      profile: dateProfile(column.title, reading.dateFormat, today),
    }));
  const columns = [...amounts, ...days];
  return {
    take: (rows, judged) => {
      for (const { valueIn, profile } of columns) {
        for (let at = 0; at < rows.length && !profile.isSettled; at += 1) {
          const seen = valueIn(rows[at]);
          if (seen !== undefined) profile.take(seen, judged[at]?.record['currency']);
        }
      }
    },
    refusal: () => {
      for (const { profile } of amounts) {
        if (profile.ambiguous.length > 0) return ambiguousAmounts(profile, watched);
      }
      for (const profile of [
        ...amounts.map((amount) => amount.profile.profile),
        ...days.map((day) => day.profile),
      ]) {
        const [rival, ...others] = profile.contradictedBy(watched.areSomeRows);
        if (rival !== undefined) return contradicted(profile, rival, others, watched);
      }
      return null;
    },
  };
}

/** Returns the text of a column's cell as in the file; undefined where there is none, or the mapping translates it. */
function readerOf(column: MappedColumn): (row: SourceRow | undefined) => Seen | undefined {
  const { index } = column;
  const translate = createTranslation(column.values);
  return (row) => {
    if (row === undefined || index === null || row.kinds?.has(index)) return undefined;
    const text = treatText(row.cells[index] ?? '', column).text.trim();
    return text === '' || translate(text) !== undefined ? undefined : { row: row.number, text };
  };
}

function ambiguousAmounts({ profile, ambiguous }: AmountProfile, watched: WatchedTable): PaybatchError {
  return refused(
    'ambiguous_amounts',
    `${watched.place}: every amount in ${shorten(profile.title)} has three digits behind a point (${namedValues(ambiguous)}), so nothing tells whether points stand before decimals or between thousands.`,
    watched,
    '"decimal" in a mapping says it',
  );
}

function contradicted(
  { title, inForce, proofs }: ColumnProfile,
  rival: RivalReading,
  others: readonly RivalReading[],
  watched: WatchedTable,
): PaybatchError {
  const examples = eitherOf([rival, ...others].map(({ example }) => example));
  return refused(
    'reading_contradicted',
    `${watched.place}: ${shorten(title)} is read like ${inForce.example}, but its values are written like ${examples}: ${namedValues(proofs)}.${misreadingText(rival)}`,
    watched,
  );
}

function refused(
  code: RefusalCode,
  message: string,
  { path }: WatchedTable,
  advice: Remedies = [],
): PaybatchError {
  return new PaybatchError(code, message, [
    ...remediesOf(advice),
    { action: 'mapping', file: path, effect: 'asks how its values are written' },
  ]);
}

/* Refuses a file that differs from the last one of its layout in a way that its mapping cannot be right for. */

/**
 * The refusal of a file whose values contradict what its columns held last time.
 * @returns null where nothing does, or a person has accepted it for this content
 */
export function driftRefusal(
  inputTable: InputTable,
  { stops }: Pick<DriftResult, 'stops'>,
  place: string,
): PaybatchError | null {
  const { layout, path, mapping, table } = inputTable;
  if (stops.length === 0 || layout?.isAgreed === true) return null;
  // Our own names of columns are read where no mapping leaves them out, so the mapping has to say what they mean.
  const isOurs = ({ what, column }: Drift): boolean =>
    what === 'new_column' && fieldForHeader(mapping.kind, column) !== undefined;
  if (layout?.remembered != null && stops.some(isOurs))
    return noLongerFits(table.header, layout.remembered, place, path);
  const code = acceptanceOf(inputTable, stops);
  if (layout?.accepted.includes(code) === true) return null;
  return new PaybatchError(
    'reading_drifted',
    `${place}: it differs from the last file that was read like this, so nothing of it is sent. ${stops.map((drift) => `${driftText(drift)}.`).join(' ')}`,
    [
      { action: 'mapping', file: path, effect: 'asks how it is read' },
      {
        action: 'set',
        oneOf: [{ setting: 'acceptDrift', value: code }],
        effect: 'takes this file as it is, if it is right',
      },
    ],
  );
}
