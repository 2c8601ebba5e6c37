/* Values in their canonical form: those of exports, as their columns are written, and those of paybatch's own rows. */

import type { Kind } from '../../domain/batches/batch.ts';
import {
  canonicalAmount,
  formatDecimal,
  fractionDigitsOf,
  isPlainDecimal,
  parseDecimal,
} from '../../domain/money/money.ts';
import type { NormalisedRecord } from '../../domain/rows/ledger-row.ts';
import { parsedJson } from '../../domain/sending/answer.ts';
import type { FieldType, ResourceDefinition } from '../../kinds/definition.ts';
import { isSignOf, splitCurrencySigns } from '../../kinds/fields/currency.ts';
import { fieldTypes } from '../../kinds/fields/field-types.ts';
import { definitionsOf, kindNamed, kinds, ruleOf } from '../../kinds/registry.ts';
import type { OwnRecord } from '../../ledger/after-sending/evidence.ts';
import type { MatchRecord } from '../matching/records.ts';
import type { ExportMapping } from './mapping.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An object's id in canonical form: UUIDs are case-insensitive, other ids are not. */
export function canonicalId(text: string): string {
  return uuid.test(text) ? text.toLowerCase() : text;
}

/**
 * A field's value in its canonical form: an IBAN, a phone or an account number without spaces and hyphens, a
 * customer's id in lower case. Other values stay unchanged.
 * @param kind the batch's kind; null for two files, whose fields are those of any kind
 */
export function canonicalValue(kind: Kind | null, field: string, text: string): string {
  const type = typeOf(kind, field);
  return type === undefined ? text : fieldTypes[type].canonical(text);
}

const types = new Map<string, FieldType | undefined>();

function typeOf(kind: Kind | null, field: string): FieldType | undefined {
  const name = `${kind ?? ''} ${field}`;
  if (!types.has(name)) {
    const rules = (kind === null ? kinds : [kind]).map((each) => ruleOf(each, field));
    types.set(name, rules.find((rule) => rule !== undefined)?.type);
  }
  return types.get(name);
}

/**
 * The natural key of a record as one text: the fields that a mapping names, else the natural key of the kind or payee
 * type without paybatch's reference, which is matched separately. Null when a part is empty that such records have.
 * @param values canonical values by field, and by role: `id`, `reference`, `amount`, `currency`, `date`
 */
export function naturalTextOf(
  values: NormalisedRecord,
  kind: Kind | null,
  naturalKey: readonly string[] | undefined,
): string | null {
  const referenceField = kind === null ? null : kindNamed(kind).referenceField;
  if (naturalKey !== undefined) {
    // An export has paybatch's reference by its role, whatever its column's title.
    return complete(
      naturalKey.map((field) => partOf(values, field === referenceField ? 'reference' : field)),
    );
  }
  if (kind === null) return null;
  const others = Object.fromEntries(Object.entries(values).filter(([field]) => field !== referenceField));
  const found = definitionsOf(kind).flatMap((definition) => ownKey(definition, others) ?? []);
  return found.length === 1 ? (found[0] ?? null) : null;
}

function partOf(values: NormalisedRecord, field: string): string {
  const value = values[field] ?? '';
  return field === 'amount' ? canonicalAmount(value) : value;
}

/**
 * The natural key by one definition, for recipients by one payee type. An export without a column of payee types
 * shows the type by its other columns. Parts that no row of the type has (the bank of an IBAN) are not required.
 */
function ownKey(definition: ResourceDefinition, values: NormalisedRecord): string | null {
  const { payeeType, naturalKey } = definition;
  const given = values['payee_type']?.toLowerCase();
  if (payeeType !== null && given !== undefined && given !== payeeType) return null;
  const key = naturalKey(payeeType === null ? values : { ...values, payee_type: payeeType });
  const possible = possibleParts(definition);
  return complete(key.filter((part, at) => part !== '' || possible[at] !== false));
}

const known = new Map<ResourceDefinition, readonly boolean[]>();

/** The parts of the natural key that a row can have. */
function possibleParts(definition: ResourceDefinition): readonly boolean[] {
  let parts = known.get(definition);
  if (parts === undefined) {
    const used = definition.rules.filter(({ presence }) => presence !== 'unused');
    const filled = Object.fromEntries(used.map(({ field }) => [field, field]));
    parts = definition.naturalKey(filled).map((part) => part !== '');
    known.set(definition, parts);
  }
  return parts;
}

function complete(parts: readonly string[]): string | null {
  return parts.length === 0 || parts.some((part) => part === '') ? null : JSON.stringify(parts);
}

const dayInMs = 86_400_000;
const isoMoment =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?)?$/;
const timeOfDay = String.raw`(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:Z|UTC)?)?`;

/** How an export writes amounts. */
export interface AmountWriting {
  readonly decimal?: '.' | ',' | undefined;
  readonly thousands?: '' | ',' | '.' | ' ' | "'" | undefined;
  /** Whether a currency sign or code may come before or after an amount. */
  readonly currencySigns?: 'refuse' | 'accept' | undefined;
  /** Whether amounts are whole numbers of the smallest unit of their currency. */
  readonly minorUnits?: boolean | undefined;
}

/** The characters of a separator: spaces of any width, apostrophes of any form. */
const separatorPatterns: Readonly<Record<string, string>> = {
  '.': String.raw`\.`,
  ',': ',',
  ' ': String.raw`[ \u00a0\u2009\u202f]`,
  "'": String.raw`['\u2019]`,
};

const forms = new Map<string, { readonly whole: RegExp; readonly separators: RegExp | null }>();

/** The pattern of amounts in a writing: a thousands separator is followed by groups of three. */
function formOf({ decimal = '.', thousands = '' }: AmountWriting): {
  readonly whole: RegExp;
  readonly separators: RegExp | null;
} {
  const name = `${decimal}${thousands}`;
  let form = forms.get(name);
  if (form === undefined) {
    const separator = separatorPatterns[thousands] ?? '';
    const grouped = thousands === '' ? '' : String.raw`|[1-9]\d{0,2}(?:${separator}\d{3})+`;
    form = {
      whole: new RegExp(String.raw`^[+-]?(?:0|[1-9]\d*${grouped})(?:${separatorPatterns[decimal]}\d+)?$`),
      separators: thousands === '' ? null : new RegExp(separator, 'g'),
    };
    forms.set(name, form);
  }
  return form;
}

/**
 * An amount in plain form, negative ones included; null for text that is not an amount in the export's writing.
 * Brackets or a trailing minus make an amount negative in any writing.
 * @param currency of its record, which decides the number of decimals
 */
export function amountOf(text: string, writing: AmountWriting, currency?: string): string | null {
  const amount = numberOf(text, writing) ?? dressedNumberOf(text, writing, currency);
  return amount === null || writing.minorUnits !== true ? amount : fromMinorUnits(amount, currency);
}

function numberOf(text: string, writing: AmountWriting): string | null {
  const { whole, separators } = formOf(writing);
  if (!whole.test(text)) return null;
  if (writing.decimal !== ',' && !text.startsWith('-') && isPlainDecimal(text)) return text;
  const ungrouped = separators === null ? text : text.replaceAll(separators, '');
  const value = parseDecimal(ungrouped.replace(',', '.').replace(/^\+/, ''));
  return value === undefined ? null : formatDecimal(value);
}

/** A number with brackets, a trailing minus, or currency marks where these are accepted. */
function dressedNumberOf(text: string, writing: AmountWriting, currency: string | undefined): string | null {
  const bracketed = /^\((.+)\)$/.exec(text)?.[1];
  const ending = /^(.+\d)-$/.exec(text)?.[1];
  const inner = (bracketed ?? ending)?.trim();
  if (inner !== undefined) {
    const amount = amountOf(inner, { ...writing, minorUnits: false }, currency);
    if (amount === null || amount.startsWith('-')) return null;
    return /[1-9]/.test(amount) ? `-${amount}` : amount;
  }
  if (writing.currencySigns !== 'accept') return null;
  // A minus may be before or after the currency mark.
  const [, mark, behind] = /^([^\d-]+?)\s?-\s?(\d.*)$/u.exec(text) ?? [];
  const [, sign = '', rest = ''] =
    /^([-+]?)\s?(.*)$/s.exec(mark === undefined ? text : `-${mark}${behind}`) ?? [];
  const { signs, number } = splitCurrencySigns(rest);
  const areKnown = signs.every((each) => currency === undefined || isSignOf(each, currency));
  return signs.length > 0 && areKnown ? numberOf(`${sign}${number}`, writing) : null;
}

/** A whole number of the smallest unit as an amount; null for one that is not whole, or without a known currency. */
function fromMinorUnits(amount: string, currency: string | undefined): string | null {
  const digits = currency === undefined ? undefined : fractionDigitsOf(currency);
  const [, sign = '', whole = ''] = /^(-?)(\d+)(?:\.0*)?$/.exec(amount) ?? [];
  if (digits === undefined || whole === '') return null;
  if (digits === 0) return `${sign}${whole}`;
  const padded = whole.padStart(digits + 1, '0');
  return `${sign}${padded.slice(0, -digits)}.${padded.slice(-digits)}`;
}

/**
 * The UTC day of a date or moment, `YYYY-MM-DD`. A moment with an offset is converted to UTC; one without is taken as
 * UTC. Null for text that is not a date.
 */
export function dayOf(
  text: string,
  { dateFormat }: { readonly dateFormat?: string | undefined },
): string | null {
  const name = `${dateFormat ?? ''}|${text}`;
  const known = knownDays.get(name);
  if (known !== undefined) return known;
  const day = dateFormat === undefined ? isoDay(text) : formattedDay(text, dateFormat);
  if (knownDays.size >= daysRemembered) knownDays.clear();
  knownDays.set(name, day);
  return day;
}

/** The size of a cache, since exports have few dates and many records. It limits memory for dates with times. */
const daysRemembered = 10_000;
const knownDays = new Map<string, string | null>();

function isoDay(text: string): string | null {
  const [whole, year = '', month = '', day = '', hours, minutes, , offset = 'Z'] = isoMoment.exec(text) ?? [];
  if (whole === undefined || !isCalendarDay(year, month, day)) return null;
  if (hours === undefined) return `${year}-${month}-${day}`;
  const [, sign, offsetHours = '0', offsetMinutes = '0'] = /^([+-])(\d{2}):?(\d{2})$/.exec(offset) ?? [];
  const offsetInMinutes = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -1 : 1);
  const localInMinutes = Number(hours) * 60 + Number(minutes);
  const utc =
    Date.UTC(Number(year), Number(month) - 1, Number(day)) + (localInMinutes - offsetInMinutes) * 60_000;
  return new Date(Math.floor(utc / dayInMs) * dayInMs).toISOString().slice(0, 10);
}

function formattedDay(text: string, format: string): string | null {
  const pattern = format
    .replaceAll(/[./ -]/g, String.raw`\$&`)
    .replace('YYYY', String.raw`(?<year>\d{4})`)
    .replace('YY', String.raw`(?<year>\d{2})`)
    .replace('MM', String.raw`(?<month>\d{1,2})`)
    .replace('DD', String.raw`(?<day>\d{1,2})`);
  const parts = new RegExp(`^${pattern}${timeOfDay}$`).exec(text)?.groups;
  if (parts === undefined) return null;
  const { year: written = '', month = '', day = '' } = parts;
  // Payment exports are from this century.
  const year = written.length === 2 ? `20${written}` : written;
  const [paddedMonth, paddedDay] = [month.padStart(2, '0'), day.padStart(2, '0')];
  return isCalendarDay(year, paddedMonth, paddedDay) ? `${year}-${paddedMonth}-${paddedDay}` : null;
}

function isCalendarDay(year: string, month: string, day: string): boolean {
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === `${year}-${month}-${day}`;
}

/* paybatch's own rows in the form for a comparison: ids, references and canonical values. */

/** An own row that exists, or may exist, at the API, whatever its payee type. */
type OwnRow = Omit<OwnRecord, 'resource'>;

/** An own row: its id and reference, and its canonical values. */
interface OwnValues {
  readonly id: string | null;
  readonly reference: string | null;
  readonly values: NormalisedRecord;
  readonly day: string | null;
}

/** The values that were sent for a row, and the row's other values. */
export function ownValuesOf({ record, body, objectId, day }: OwnRow, kind: Kind): OwnValues {
  const { referenceField } = kindNamed(kind);
  const values = canonicalValues(kind, { ...record, ...sentValues(body) });
  const reference = referenceField === null ? null : (values[referenceField] ?? null);
  return { id: objectId === null ? null : canonicalId(objectId), reference, values, day };
}

/** Own rows in the form for comparing with an export: the sent values, and the row's other values. */
export async function* ownMatchRecords(
  groups: AsyncIterable<readonly OwnRow[]>,
  kind: Kind,
  mapping: ExportMapping,
  comparedFields: readonly string[],
): AsyncGenerator<readonly MatchRecord[]> {
  for await (const group of groups) {
    yield group.map((own): MatchRecord => {
      const { id, reference, values } = ownValuesOf(own, kind);
      const named: NormalisedRecord = {
        ...values,
        ...(id === null ? {} : { id }),
        ...(reference === null ? {} : { reference }),
        ...(own.day === null ? {} : { date: own.day }),
      };
      return {
        file: 0,
        row: own.row,
        id,
        reference,
        natural: naturalTextOf(named, kind, mapping.naturalKey),
        group: mapping.ourGroup === undefined ? null : (named[mapping.ourGroup] ?? null),
        amount: values['amount'] ?? null,
        currency: values['currency'] ?? null,
        day: own.day,
        fields: comparedFields.map((field) => values[field] ?? null),
        entry: null,
        text: null,
        counterparty: null,
        status: own.state === 'sending' ? 'unknown' : own.state,
        leftOut: null,
      };
    });
  }
}

function canonicalValues(kind: Kind, values: NormalisedRecord): NormalisedRecord {
  return Object.fromEntries(
    Object.entries(values).map(([field, value]) => [
      field,
      // Own amounts are already plain, and are shown as sent.
      field === 'amount' ? value : canonicalValue(kind, field, value),
    ]),
  );
}

/** The values of a request by name, including those of nested objects. */
function sentValues(body: Buffer | null): Record<string, string> {
  const values: Record<string, string> = {};
  const collect = (value: unknown, name: string): void => {
    if (typeof value === 'string') values[name] = value;
    else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [inner, content] of Object.entries(value)) collect(content, inner);
    }
  };
  if (body !== null) collect(parsedJson(body.toString('utf8')), '');
  return values;
}
