import { countryOfCurrency } from '../../resources/check/currency.ts';
import { readNationalPhone } from '../../resources/check/national-phone.ts';
import { createCountryCheck } from '../../resources/check/place.ts';
import { countriesWithSubdivisions, subdivisionNamed } from '../../resources/check/place-names.ts';
import { noOtherValues } from '../../resources/check/row-values.ts';
import { passedValue } from '../../resources/check/value-result.ts';
import { shorten } from '../../resources/check/wording.ts';
import {
  exceptions,
  type FieldColumn,
  fieldColumns,
  type Guess,
  nothingToSay,
  propose,
  question,
  readBy,
  type Sampled,
  type SampleReading,
  together,
} from './proposed-reading.ts';
import { areMost, mostOf, shareOf } from './value-look.ts';

const countryNamed = createCountryCheck('names');
const fewestStates = 3;

function codeOf(text: string): string | undefined {
  return passedValue(countryNamed(text, undefined, noOtherValues));
}

/** Countries and states that stand in the file by their names, and the country of states where no column has it. */
export function placeWriting(table: Sampled): Guess {
  const columns = fieldColumns(table);
  const names = columns
    .filter(({ type }) => type === 'country')
    .flatMap(({ values }) => readBy(values, codeOf).filter(isAnotherWord));
  const states = columns.find(({ type }) => type === 'state');
  const country = states === undefined ? undefined : countryOfStates(states, columns);
  const inCountry =
    states === undefined || country === undefined
      ? []
      : readBy(states.values, (value) => subdivisionNamed(value, country));
  const samples = [...names.slice(0, 2), ...inCountry.filter(isAnotherWord)];
  const named =
    samples.length === 0
      ? nothingToSay
      : propose('Countries and states are read by their names.', { places: 'names' }, samples);
  const hasCountry = columns.some(({ field }) => field === 'country');
  if (hasCountry || states === undefined || country === undefined) return named;
  const constant = propose(
    `All addresses are in ${country}, where the values of ${shorten(states.title)} are.`,
    {
      constants: { country },
    },
  );
  return together([named, constant]);
}

function isAnotherWord({ before, after }: SampleReading): boolean {
  return before.toUpperCase() !== after;
}

/** The country that has most of the states, or the only one that the file names. */
function countryOfStates({ values }: FieldColumn, columns: readonly FieldColumn[]): string | undefined {
  const [only, second] = countriesIn(columns);
  if (only !== undefined && second === undefined) return only;
  if (values.length < fewestStates) return undefined;
  const shares = countriesWithSubdivisions()
    .map((code) => ({ code, share: shareOf(values, (value) => subdivisionNamed(value, code) !== undefined) }))
    .sort((left, right) => right.share - left.share);
  const [best, next] = shares;
  return best !== undefined && best.share >= mostOf && best.share > (next?.share ?? 0)
    ? best.code
    : undefined;
}

/** The countries that the file's own columns name. */
function countriesIn(columns: readonly FieldColumn[]): readonly string[] {
  const named = columns
    .filter(({ type }) => type === 'country')
    .flatMap(({ values }) => values.flatMap((value) => codeOf(value) ?? []));
  return [...new Set(named)];
}

/** The country of phone numbers that have no `+`: that of each row's column, else the only one that the file tells. */
export function phoneWriting(table: Sampled, currencies: readonly string[]): Guess {
  const columns = fieldColumns(table);
  const phones = columns.filter(isOfPhones);
  const national = phones.flatMap(({ values }) => values.filter((value) => !value.trim().startsWith('+')));
  const [phone] = phones;
  if (phone === undefined || national.length === 0) return nothingToSay;
  const place = shorten(phone.title);
  const byRow = columns.find(
    ({ type, values }) => type === 'country' && new Set(values.map(codeOf)).size > 1,
  );
  if (byRow !== undefined && areMost(byRow.values, (value) => codeOf(value) !== undefined)) {
    const countries = countriesIn([byRow]);
    const samples = readBy(national, (value) => numberIn(value, countries));
    return propose(
      `Phone numbers in ${place} without + are read by the country in ${shorten(byRow.title)}.`,
      { phoneCountry: { column: byRow.title } },
      samples,
    );
  }
  const told = [
    ...countriesIn(columns),
    ...currencies.flatMap((code) => countryOfCurrency(code) ?? []),
    ...(currencies.includes('USD') ? ['US'] : []),
    ...statesCountry(columns),
  ];
  const readable = [...new Set(told)].filter((country) => areMost(national, readableIn(country)));
  const [country] = readable;
  if (country === undefined || readable.length > 1) {
    if (!areMost(national, (value) => /^[\d\s().-]{7,}$/.test(value))) return nothingToSay;
    return question(
      `${place}: of which country are the numbers without +? State it as "phoneCountry": "KE".`,
    );
  }
  const samples = readBy(national, (value) => numberIn(value, [country]));
  const fitting = national.filter(readableIn(country)).length;
  const text = `Phone numbers in ${place} without + are numbers of ${country}.${exceptions(national.length, fitting)}`;
  return propose(text, { phoneCountry: country }, samples);
}

function statesCountry(columns: readonly FieldColumn[]): readonly string[] {
  const states = columns.find(({ type }) => type === 'state');
  const country = states === undefined ? undefined : countryOfStates(states, columns);
  return country === undefined ? [] : [country];
}

/** Phones stand in their own column, or among account numbers where mobile money is paid out too. */
function isOfPhones({ type }: FieldColumn): boolean {
  return type === 'phone';
}

function readableIn(country: string): (value: string) => boolean {
  return (value) => numberIn(value, [country]) !== undefined;
}

/** A phone number as a person of the first country that has it writes it, in international form. */
export function numberIn(text: string, countries: readonly string[]): string | undefined {
  const readings = countries.map((country) => readNationalPhone(text, country));
  return readings.find((reading) => typeof reading === 'object')?.e164;
}
