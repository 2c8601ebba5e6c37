/* The country and the currency of the rows, from institutions, currencies, phone numbers and states. */

import { checkIban } from '../../kinds/fields/bank-numbers.ts';
import { countryOfCurrency, currencyOfCountry, isCurrencyOf } from '../../kinds/fields/currency.ts';
import { countryWritten } from '../../kinds/fields/places.ts';
import { passedValue } from '../../kinds/fields/value-text.ts';
import { columnsOf } from '../../kinds/registry.ts';
import { type Decisions, decidedText } from '../decisions.ts';
import { type Column, share } from '../sheet/column.ts';
import type { Sheet } from '../sheet/sheet.ts';
import type { Assignment } from './assignment.ts';
import { columnOfField } from './column-use.ts';
import { currencyCountry, currencyFound } from './currencies.ts';
import { stateShare } from './evidence.ts';
import { bicCountry, countryOfInstitutions } from './institution-names.ts';
import { countryOfPhone, type PhonePlaces, phoneCountryFound, phonesOf } from './phone-countries.ts';

/** The currency and country of the rows, as far as they are known. */
export interface Places extends PhonePlaces {
  /** The currency of all rows; null if a column has it, or if it is unknown. */
  readonly currency: string | null;
  /** The country of the institutions; null if it is unknown. */
  readonly country: string | null;
  /** Values that are the same for all rows and in no column. */
  readonly constants: Readonly<Record<string, string>>;
}

export function placesOf(sheet: Sheet, assignment: Assignment, decisions: Decisions): Places {
  const { kind, definitions, uses } = assignment;
  const fields = new Set(columnsOf(kind));
  const columnFor = (field: string): Column | undefined => columnOfField(uses, field);
  const decided = (field: string): string | undefined =>
    decidedText(decisions.get(`constant:${field}`))?.trim() || undefined;
  const constants: Record<string, string> = {};

  const ofOneType = definitions.length === 1 ? definitions[0] : undefined;
  const hasCurrency = columnFor('currency') !== undefined;
  const ofAmounts =
    decided('currency')?.toUpperCase() ??
    ofOneType?.onlyCurrency ??
    currencyFound(sheet, columnFor('amount'));
  const institutions = columnFor('institution_name');
  const ofInstitutions =
    institutions === undefined
      ? undefined
      : countryOfInstitutions(institutions, (code) => ofAmounts === null || isCurrencyOf(ofAmounts, code));
  const ofThese = ofInstitutions === undefined ? undefined : currencyOfCountry(ofInstitutions);
  const currency = hasCurrency ? null : (ofAmounts ?? ofThese ?? null);
  if (fields.has('currency') && currency !== null) constants['currency'] = currency;

  const countries = columnFor('country');
  const states = columnFor('state');
  const ofAllPhones = kind === 'customers' && countries === undefined ? phoneCountryFound(sheet) : null;
  const ofPayeeType = ofOneType?.onlyCountry;
  const ofStates =
    states === undefined || countries !== undefined
      ? undefined
      : stateCountry(states, ofAllPhones ?? countryOfCurrency(currency ?? '') ?? ofPayeeType);
  const ofCurrencies = currencyCountry(currency, columnFor('currency'));
  const ofPhones = currency === null ? null : phoneCountryFound(sheet);
  const ofUnion =
    ofPhones !== null && currency !== null && isCurrencyOf(currency, ofPhones) ? ofPhones : undefined;
  const country =
    decided('institution_country')?.toUpperCase() ??
    decided('country')?.toUpperCase() ??
    ofCurrencies ??
    ofUnion ??
    ofInstitutions ??
    ofStates ??
    ofPayeeType ??
    ofAllPhones ??
    null;

  const hasAddress = uses.some(({ fields: own }) =>
    own.some((field) => ['address_line1', 'city', 'postal_code', 'state'].includes(field)),
  );
  const stated = decided('country');
  const addressCountry =
    (stated === undefined ? undefined : countryWritten(stated)) ?? ofStates ?? ofPayeeType;
  const hasCountry = uses.some(({ fields: own }) => own.includes('country'));
  if (fields.has('country') && !hasCountry && hasAddress && addressCountry !== undefined)
    constants['country'] = addressCountry;
  if (kind === 'collections' && countries === undefined && country !== null) constants['country'] = country;
  const namesInstitution =
    columnFor('institution_name') !== undefined || columnFor('institution_id') !== undefined;
  if (
    fields.has('institution_country') &&
    namesInstitution &&
    country !== null &&
    columnFor('institution_country') === undefined
  )
    constants['institution_country'] = country;

  return {
    currency,
    country,
    constants,
    ...phonesOf(assignment, countries, country ?? addressCountry ?? null, decisions),
  };
}

const fewestStates = 0.7;

/** The minimum share for a country that is also known from other data. */
const fewestOfHome = 0.5;

/** @param home the country that is known from other data */
function stateCountry(states: Column, home: string | undefined): string | undefined {
  if (home !== undefined && stateShare(states, [home]).share >= fewestOfHome) return home;
  const { country, share } = stateShare(states);
  return share >= fewestStates ? country : undefined;
}

/* The country that the other columns of a file show for rows with the same value in its column of countries. */

/** Returns the country of a value whose form contains one. */
type CountryOf = (text: string) => string | undefined;

const forms: readonly CountryOf[] = [
  (text) => passedValue(checkIban(text))?.slice(0, 2),
  bicCountry,
  countryOfPhone,
];

/** The share of values that must have the form, because words in capitals look like BICs. */
const leastOfForm = 0.5;
/** The minimum number of rows, because a single row may be an account abroad. */
const fewestRows = 2;

/** The countries that the other columns show for the values of a column of countries. */
export interface CountriesFound {
  /**
   * The only country of all rows with a value; undefined if too few rows show a country, or if they show different
   * countries.
   */
  readonly of: (value: string) => string | undefined;
  /** Whether any row of the file shows this country. */
  readonly isSaid: (code: string) => boolean;
}

export function countriesFound(columns: readonly Column[], countries: Column): CountriesFound {
  const byRow = new Map<number, string | null>();
  for (const column of columns) {
    const form = column === countries ? undefined : formOf(column);
    if (form === undefined) continue;
    const known = new Map(column.values.map(({ text }) => [text, form(text)]));
    for (const { row, text } of column.cells) {
      const code = known.get(text);
      if (code === undefined) continue;
      // If the account and the phone of a row are of two countries, the row shows neither.
      byRow.set(row, (byRow.get(row) ?? code) === code ? code : null);
    }
  }
  const said = new Set(byRow.values());
  const byValue = new Map<string, string[]>();
  for (const { row, text } of countries.cells) {
    const code = byRow.get(row);
    if (code === undefined || code === null) continue;
    const codes = byValue.get(text) ?? [];
    codes.push(code);
    byValue.set(text, codes);
  }
  return {
    of: (value) => {
      const [first, ...others] = byValue.get(value) ?? [];
      return others.length + 1 >= fewestRows && others.every((code) => code === first) ? first : undefined;
    },
    isSaid: (code) => said.has(code),
  };
}

function formOf(column: Column): CountryOf | undefined {
  if (column.cells.length < fewestRows) return undefined;
  return forms.find((form) => share(column, (text) => form(text) !== undefined) >= leastOfForm);
}
