/* The repairs that would help a column, such as restored zeros and rewritten texts, with its values before and after. */

import { eachInTurn, mapInTurns } from '../../domain/machine/map-in-turns.ts';
import type { Repair } from '../../domain/tables/mapping.ts';
import { isWrittenOtherwise } from '../../domain/text/characters.ts';
import { withoutTextMark } from '../../domain/text/text-marks.ts';
import type { FieldType } from '../../kinds/definition.ts';
import { accountNumberLength, checkRoutingNumber } from '../../kinds/fields/bank-numbers.ts';
import { isDittoMark } from '../../kinds/fields/cell-repairs.ts';
import { isEmptyWord } from '../../kinds/fields/empty-words.ts';
import { fieldTypes } from '../../kinds/fields/field-types.ts';
import { PhonesOfColumn, phoneWithZero, readNationalPhone } from '../../kinds/fields/phone.ts';
import { countryWritten, subdivisionNamed } from '../../kinds/fields/places.ts';
import { withLostZeros } from '../../kinds/fields/postal-codes.ts';
import {
  byAddress,
  rewrittenText,
  type TextRepair,
  typesOfTextRepair,
} from '../../kinds/fields/text-repairs.ts';
import { ruleOf } from '../../kinds/registry.ts';
import { type Decisions, decidedValues } from '../decisions.ts';
import type { RepairSample } from '../question.ts';
import type { Column } from '../sheet/column.ts';
import type { Assignment } from './assignment.ts';
import { columnOfField, type Use } from './column-use.ts';
import { areDivided } from './divided-cells.ts';
import type { Places } from './places.ts';

/** A repair that would help a column. */
export interface RepairOffer {
  readonly name: Repair;
  readonly column: Column;
  /** The number of cells that it changes. */
  readonly cells: number;
  readonly samples: readonly RepairSample[];
  /** Whether it only changes how existing content is read. Other repairs need a person's consent. */
  readonly isHarmless: boolean;
}

const samplesShown = 3;

/** An offer to repair these cells; empty if there are no cells. */
export function offerOf(
  column: Column,
  name: Repair,
  isHarmless: boolean,
  found: readonly RepairSample[],
): readonly RepairOffer[] {
  if (found.length === 0) return [];
  return [{ name, column, isHarmless, cells: found.length, samples: found.slice(0, samplesShown) }];
}

/** The repairs that would help a column. */
export async function offersFor(
  use: Use,
  assignment: Assignment,
  places: Places,
  decisions: Decisions,
): Promise<readonly RepairOffer[]> {
  const { column, fields } = use;
  // Values with a sign between them are repaired only as the text of their cell.
  const [field = ''] = areDivided(fields) ? [] : fields;
  const type = areDivided(fields) ? 'text' : ruleOf(assignment.kind, field)?.type;
  if (type === undefined) return [];
  const offer = (name: Repair, isHarmless: boolean, found: readonly RepairSample[]) =>
    offerOf(column, name, isHarmless, found);
  const isIdentifier = fieldTypes[type].isIdentifier;
  const phoneCountry = typeof places.phoneCountry === 'string' ? places.phoneCountry : null;
  const all = column.cells;
  // A line break separates the parts of an address.
  const broken = fields.length > 1 && fields.includes('city') ? [] : all;
  const numbers = isIdentifier ? all.filter(({ isNumber, text }) => isNumber && /^\d{1,15}$/.test(text)) : [];
  const same = numbers.map(({ row, text }) => ({ row, before: text, after: text }));
  const short = isIdentifier
    ? (
        await mapInTurns(
          // A program that takes zeros away takes all of them.
          all.filter(({ text }) => /^[1-9]\d{1,11}$/.test(text)),
          ({ row, text, isNumber }) => {
            const after = withZeros(text, field, row, assignment, places, decisions);
            return after === undefined ? [] : [{ row, before: text, after, isNumber }];
          },
        )
      ).flat()
    : [];
  const isPhone = type === 'phone' || (field === 'account_number' && phoneCountry !== null);
  const local =
    !isPhone || phoneCountry === null
      ? []
      : await mapInTurns(all, ({ row, text }): RepairSample[] => {
          const reading = text.startsWith('+') ? 'not_a_number' : readNationalPhone(text, phoneCountry);
          return typeof reading === 'object' ? [{ row, before: text, after: reading.e164 }] : [];
        });
  const rewritten = await textRepairsIn(column, type, {
    ofPhones: phoneCountry,
    ofRow: (row) => countryOfRow(row, assignment, places, decisions),
  });
  return [
    ...offer(
      'empty_words',
      true,
      all
        .filter(({ text }) => isEmptyWord(text, type))
        .map(({ row, text }) => ({ row, before: text, after: '' })),
    ),
    ...offer('other_digits', true, all.flatMap(writtenIf(isWrittenOtherwise))),
    ...offer('text_marks', true, all.flatMap(writtenIf((text) => withoutTextMark(text) !== text))),
    ...offer('number_cells', true, same),
    ...(type === 'phone' ? offer('local_phone', true, local.flat()) : []),
    ...offer(
      'line_breaks',
      false,
      broken
        .filter(({ text }) => /[\r\n\t]/.test(text))
        .map(({ row, text }) => ({ row, before: text, after: text.replace(/\s+/g, ' ') })),
    ),
    ...offer(
      'lost_zeros',
      false,
      short
        .filter(
          ({ isNumber }) => isNumber || !(field === 'account_number' && keepsZeros(column, short.length)),
        )
        .map(({ row, before, after }) => ({ row, before, after })),
    ),
    ...offer('ditto', false, dittoOf(column)),
    ...rewritten.flatMap(({ name, isHarmless, found }) => offer(name, isHarmless, found)),
  ];
}

/** Finds cells that the file writes in another form, if their text is of a certain sort. */
function writtenIf(isMeant: (text: string) => boolean): (cell: Column['cells'][number]) => RepairSample[] {
  return ({ row, text, written }) =>
    written !== undefined && isMeant(written) ? [{ row, before: written, after: text }] : [];
}

/**
 * Whether texts of a column have kept their zeros in front more often than others seem to have lost one: then the others
 * are too short for another reason.
 */
function keepsZeros({ cells }: Column, short: number): boolean {
  return cells.filter(({ isNumber, text }) => !isNumber && /^0\d+$/.test(text)).length > short;
}

function dittoOf({ cells }: Column): readonly RepairSample[] {
  let above = '';
  return cells.flatMap(({ row, text }): RepairSample[] => {
    if (!isDittoMark(text)) above = text;
    return isDittoMark(text) && above !== '' ? [{ row, before: text, after: above }] : [];
  });
}

/* Values with the leading zeros that a spreadsheet has removed, and the country of a row. */

/**
 * The value with its lost zeros restored, if its required length shows how many are lost. Validation confirms each
 * value.
 */
function withZeros(
  text: string,
  field: string,
  row: number,
  assignment: Assignment,
  places: Places,
  decisions: Decisions,
): string | undefined {
  if (field === 'routing_number') {
    const whole = text.padStart(9, '0');
    return text.length < 9 && text.length >= 7 && checkRoutingNumber(whole) === whole ? whole : undefined;
  }
  if (field === 'postal_code') {
    const country = countryOfRow(row, assignment, places, decisions);
    const state = columnOfField(assignment.uses, 'state');
    const named = country === undefined ? undefined : state?.cells.find((cell) => cell.row === row)?.text;
    const code = named === undefined ? undefined : subdivisionNamed(named, country ?? '');
    return country === undefined ? undefined : withLostZeros(text, country, code);
  }
  if ((field === 'phone_number' || field === 'phone') && typeof places.phoneCountry === 'string')
    return phoneWithZero(text, places.phoneCountry);
  if (field === 'account_number' && accountNumberLength(places.country ?? '') === text.length + 1)
    return `0${text}`;
  return undefined;
}

/** The country of a row, if its value can be read or a person has decided what it means. */
function countryOfRow(
  row: number,
  { uses }: Assignment,
  places: Places,
  decisions: Decisions,
): string | undefined {
  const column = columnOfField(uses, 'country');
  if (column === undefined) return places.constants['country'];
  const text = column.cells.find((cell) => cell.row === row)?.text;
  if (text === undefined) return undefined;
  return decidedValues(decisions, column.title).get(text) ?? countryWritten(text);
}

/* The values of a column that are read in another form once a person has agreed, before and after the change. */

interface FoundTexts {
  readonly name: TextRepair;
  readonly found: readonly RepairSample[];
  /** Whether the rest of the file proves the form. If not, a person is asked. */
  readonly isHarmless: boolean;
}

/** The countries by which values are read. */
interface Countries {
  /** The country of the column's phone numbers; null if not all rows have the same country. */
  readonly ofPhones: string | null;
  readonly ofRow: (row: number) => string | undefined;
}

/** Repairs whose new form follows from the rest of the file. */
const certain: readonly TextRepair[] = ['phones_of_country', 'country_prefix'];

/** The values of a column that a repair of its type would read in another form, for each such repair. */
async function textRepairsIn(
  column: Column,
  type: FieldType,
  { ofPhones, ofRow }: Countries,
): Promise<readonly FoundTexts[]> {
  const all = Object.keys(typesOfTextRepair) as readonly TextRepair[];
  // Which of several phones is the right one is asked about where most rows have one, as of values that are refused.
  const names = all.filter((name) => name !== 'first_phone' && typesOfTextRepair[name].includes(type));
  const found = await eachInTurn(names, async (name): Promise<FoundTexts[]> => {
    if (name === 'phones_of_country' && !(await isOfOneCountry(column, type, ofPhones))) return [];
    const samples = await mapInTurns(column.cells, ({ row, text }): RepairSample[] => {
      const country = (): string | undefined =>
        byAddress.includes(name) || ofPhones === null ? ofRow(row) : ofPhones;
      const after = rewrittenText(name, text, country, type);
      return after === undefined ? [] : [{ row, before: text, after }];
    });
    return [{ name, isHarmless: certain.includes(name), found: samples.flat() }];
  });
  return found.flat();
}

/** Whether the other numbers of the column show that a number which could also be of another country is of this one. */
async function isOfOneCountry({ cells }: Column, type: FieldType, country: string | null): Promise<boolean> {
  if (country === null) return false;
  const phones = new PhonesOfColumn(country, type === 'phone');
  await mapInTurns(cells, ({ text }) => phones.add(text));
  return phones.isOfCountry;
}
