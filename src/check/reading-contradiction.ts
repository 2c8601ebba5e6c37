/* Refuses a file if its values, or its differences from the last file, show that its reading is wrong. */

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
import { createBirthDateCheck, isDateFormat, isYearFirstFormat } from '../kinds/fields/days.ts';
import { dayInWords } from '../kinds/fields/days-in-words.ts';
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

/** A number that all conventions read in the same way. */
const wholeNumber = /^[1-9]\d*$/;
/** One to three digits, which look the same with and without thousands separators. */
const belowThousand = /^[1-9]\d{0,2}$/;
/** Three digits after each point: either decimals, or groups of thousands. */
const pointBeforeThree = /^[1-9]\d{0,2}(?:\.\d{3})+$/;

/** The amounts of a column. */
class AmountProfile {
  readonly profile: ColumnProfile;
  /** Null after a value has shown what the point means, or if the mapping states it. */
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

  /** Values whose point may separate decimals or thousands, if no value of the column decides it. */
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

/** The date formats that people use: every usual order and separator; a year at the beginning has four digits. */
const dateFormats: readonly string[] = [
  ...['/', '.', '-'].flatMap((separator) =>
    ['D M YYYY', 'M D YYYY', 'YYYY M D', 'D M YY', 'M D YY'].map((order) => order.replaceAll(' ', separator)),
  ),
  ...['D MMM YYYY', 'D MMM YY'],
];

const yearDigits = 4;
const isoDay = /^\d{4}-\d\d-\d\d$/;

function dateProfile({ title, repairs }: MappedColumn, dateFormat: string, today: string): ColumnProfile {
  // If a day has one digit and the format declares two, this is a separate mistake, not evidence of another order.
  const loose = dateFormat.replace('DD', 'D').replace(/(?<!M)MM(?!M)/, 'M');
  const inForce = isDateFormat(loose) ? loose : dateFormat;
  // ISO 8601 dates are read with every declared format. If ISO is declared, another format would only add more dates.
  const isExtension = inForce === 'YYYY-M-D';
  const conventionOf = (format: string, example = format): Convention => {
    const check = createBirthDateCheck(format, today, format === inForce && repairs?.has('day_signs'));
    const sign = isYearFirstFormat(format) ? format.charAt(yearDigits) : undefined;
    // Year-first formats read all year-first dates, and all formats read days in words. A message names the file's format.
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
  /** The options that a person or a mapping stated for the reading. */
  readonly stated: MappingFile;
  readonly reading: ReadingRules;
  /** YYYY-MM-DD in UTC. */
  readonly today: string;
  /** The table's name in messages. */
  readonly place: string;
  /** The path of the file, as an argument for a command. */
  readonly path: string;
  /**
   * Whether these are corrected rows of a file whose reading is already decided. So few rows cannot decide an open
   * question.
   */
  readonly areSomeRows: boolean;
}

/** Examines the amounts and dates of a table row by row. */
export interface ReadingWatch {
  /** @param rows without the protecting apostrophes in cells  @param judged the results for the rows, in the same order */
  readonly take: (rows: readonly SourceRow[], judged: readonly StagedRow[]) => void;
  /** The reason to refuse the whole table, after its last row; null if its values fit the current reading. */
  readonly refusal: () => PaybatchError | null;
}

/**
 * Detects that another convention reads every value of a column, while the current one does not. The values that the
 * current convention does read are probably misread then, so no row of the file may be sent. Cells stored as numbers or
 * dates are ignored, since they do not show how texts are written. Only a few values are kept per column.
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
      profile: dateProfile(column, reading.dateFormat, today),
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

/** Returns the text of a column's cell as in the file; undefined if it has no text, or the mapping translates it. */
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

/* Refuses a file whose differences from the last file of its layout show that its mapping is wrong. */

/**
 * The refusal of a file whose values contradict the values that its columns had last time.
 * @returns null if nothing contradicts, or a person has accepted the differences for this content
 */
export function driftRefusal(
  inputTable: InputTable,
  { stops }: Pick<DriftResult, 'stops'>,
  place: string,
): PaybatchError | null {
  const { layout, path, mapping, table } = inputTable;
  if (stops.length === 0 || layout?.isAgreed === true) return null;
  // A new column with a field name of paybatch would be read as this field, so the mapping has to state its meaning.
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
