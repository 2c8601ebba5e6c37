/* The institutions that a column names by their names, their codes or a BIC, and the country of these institutions. */

import { readFileSync } from 'node:fs';
import type { Institution } from '../../domain/institution.ts';
import { isCountryCode } from '../../kinds/fields/places.ts';
import {
  branchCodeDigits,
  countriesWithInstitutions,
  institutionNames,
} from '../../kinds/institutions/directory.ts';
import { synonymsOf } from '../../kinds/words-of-files.ts';
import type { Column } from '../sheet/column.ts';
import { lowerTitle, wordsOf } from '../sheet/title-words.ts';

/**
 * Finds the country whose banks and mobile money providers a column names: Capitec and Nedbank exist only in South
 * Africa. Names that several countries have prove nothing.
 */

const mostValues = 80;
/** The share of rows that must name institutions of the country. */
const fewest = 0.5;
/** The minimum lead of this share over the share of any other country. */
const ahead = 0.15;

const namesByCountry = new Map<string, ReadonlySet<string>>();

function namesOf(country: string): ReadonlySet<string> {
  const known = namesByCountry.get(country);
  if (known !== undefined) return known;
  const names = new Set(institutionNames(country).flatMap((one) => one.names.map(plainName)));
  namesByCountry.set(country, names);
  return names;
}

/**
 * The only country whose institutions most rows name, by name or BIC; undefined if no country or several countries fit.
 */
export function countryOfInstitutions(
  { values }: Column,
  isPossible: (country: string) => boolean = () => true,
): string | undefined {
  if (values.length === 0 || values.length > mostValues) return undefined;
  const all = values.reduce((sum, { rows }) => sum + rows, 0);
  const named = values.map(({ text, rows }) => ({ name: plainName(text), bicOf: bicCountry(text), rows }));
  const shares = countriesWithInstitutions
    .filter(isPossible)
    .map((country) => {
      const names = namesOf(country);
      const found = named.filter(({ name, bicOf }) => names.has(name) || bicOf === country);
      return { country, share: found.reduce((sum, { rows }) => sum + rows, 0) / all };
    })
    .sort((left, right) => right.share - left.share);
  const [first, second] = shares;
  if (first === undefined || first.share < fewest || first.share < (second?.share ?? 0) + ahead)
    return undefined;
  return first.country;
}

/** The share of cells that name an institution, from 0 to 1; 0 for a column with many distinct values. */
export function institutionShare(
  { values }: Column,
  match: (text: string) => Institution | false | undefined,
): number {
  if (values.length === 0 || values.length > mostValues) return 0;
  const found = values.filter(({ text }) => typeof match(text) === 'object');
  const rowsOf = (some: Column['values']): number => some.reduce((sum, { rows }) => sum + rows, 0);
  return rowsOf(found) / rowsOf(values);
}

/**
 * Finds the institution in the API's list for another name in a file: a short name, a former name, an acronym or a
 * code. A proposal is made only if exactly one institution fits.
 */

/** Words that many institutions have, and that therefore identify none of them. */
const commonWords: ReadonlySet<string> = new Set(
  'bank banque banco banca bancorp plc ltd limited sa sarl nv ag the of for and de du la le les et y e group company co corporation corp holdings account money mobile momo wallet mfs'.split(
    ' ',
  ),
);
const legalForms: ReadonlySet<string> = new Set('plc ltd limited sa sarl nv ag inc the'.split(' '));

function nameWords(name: string): readonly string[] {
  return name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/['’.]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** A name in the form for comparing: without case, accents, signs and legal forms. */
function plainName(name: string): string {
  return nameWords(name)
    .filter((word) => !legalForms.has(word))
    .join('');
}

/** The comparable forms of a name, computed once for each institution of a list. */
interface Known {
  readonly institution: Institution;
  readonly plain: string;
  readonly distinctive: readonly string[];
  readonly acronyms: ReadonlySet<string>;
  readonly aliases: ReadonlySet<string>;
}

/** Finds the institutions that a text may mean, for one country's list. */
export interface InstitutionMatcher {
  /** The only institution that fits, by its name or its code; undefined if none or several fit. */
  readonly match: (text: string) => Institution | undefined;
  /** The only institution with this national code, branch code or BIC; undefined if none or several have it. */
  readonly matchCode: (text: string) => Institution | undefined;
  /** The choices for a person: similar institutions first, then all. */
  readonly suggestions: (text: string) => readonly Institution[];
}

export function createInstitutionMatcher(
  country: string,
  institutions: readonly Institution[],
): InstitutionMatcher {
  const named = country === '' ? '' : (new Intl.DisplayNames(['en'], { type: 'region' }).of(country) ?? '');
  const places = new Set([...nameWords(named), country.toLowerCase()]);
  const known = institutions.map((institution): Known => {
    const words = nameWords(institution.name);
    const distinctive = words.filter((word) => !commonWords.has(word) && !places.has(word));
    return {
      institution,
      plain: plainName(institution.name),
      distinctive: distinctive.length === 0 ? words : distinctive,
      acronyms: acronymsOf(words, places),
      aliases: aliasesOf(country, institution.name, places),
    };
  });
  const only = (found: readonly Pick<Known, 'institution'>[]): Institution | undefined => {
    const ids = new Map(found.map(({ institution }) => [institution.id, institution]));
    return ids.size === 1 ? [...ids.values()][0] : undefined;
  };
  const codes = createBankCodes(
    country,
    institutions.flatMap((institution) =>
      entriesOf(country, institution.name, places).map((entry) => ({ institution, ...entry })),
    ),
  );
  const matchCode = (text: string): Institution | undefined => only(codes(text));
  const match = (text: string): Institution | undefined => {
    const own = plainName(text);
    if (own === '') return undefined;
    const named = known.filter((one) => one.plain === own);
    if (named.length > 0) return only(named);
    const called = known.filter(
      ({ aliases }) => aliases.has(own) || aliases.has(withoutPlaceNames(text, places)),
    );
    if (called.length > 0) return only(called);
    const coded = matchCode(text);
    if (coded !== undefined) return coded;
    const words = nameWords(text).filter((word) => !legalForms.has(word));
    const distinctive = words.filter((word) => !commonWords.has(word) && !places.has(word));
    if (distinctive.length === 0) return undefined;
    const acronym = distinctive.join('');
    const byAcronym =
      distinctive.length === 1 && acronym.length >= 2
        ? known.filter(({ acronyms }) => acronyms.has(acronym))
        : [];
    if (byAcronym.length > 0) return only(byAcronym);
    return only(known.filter((one) => isSame(distinctive, one.distinctive)));
  };
  const suggestions = (text: string): readonly Institution[] => {
    const words = nameWords(text);
    const common = ({ distinctive }: Known): number =>
      distinctive.filter((word) => words.includes(word)).length;
    return [...known]
      .sort((left, right) => common(right) - common(left))
      .map(({ institution }) => institution);
  };
  return { match, matchCode, suggestions };
}

/** The entries of the country's table with this name. */
function entriesOf(country: string, name: string, places: ReadonlySet<string>) {
  const wanted = new Set([plainName(name), withoutPlaceNames(name, places)]);
  return institutionNames(country).filter(({ names }) =>
    names.some(
      (own, index) =>
        wanted.has(plainName(own)) || (index === 0 && wanted.has(withoutPlaceNames(own, places))),
    ),
  );
}

/** The other names of an institution. */
function aliasesOf(country: string, name: string, places: ReadonlySet<string>): ReadonlySet<string> {
  const called = entriesOf(country, name, places).flatMap(({ names }) => [
    ...names.map(plainName),
    ...names.map((own) => withoutPlaceNames(own, places)),
  ]);
  return new Set(called);
}

/** A name without the name of its country, which people often leave out. */
function withoutPlaceNames(name: string, places: ReadonlySet<string>): string {
  return nameWords(name)
    .filter((word) => !legalForms.has(word) && !places.has(word))
    .join('');
}

/** Whether the name has all distinctive words of the text, in any order, and the same first word. */
function isSame(text: readonly string[], name: readonly string[]): boolean {
  return text[0] === name[0] && text.every((word) => name.includes(word));
}

/**
 * `UBA` for United Bank for Africa, `GTB` for Guaranty Trust Bank. Forms with and without the country's name are
 * included.
 */
function acronymsOf(words: readonly string[], places: ReadonlySet<string>): ReadonlySet<string> {
  const small = new Set('of for and de du la le les et y e the'.split(' '));
  const initials = (from: readonly string[]): string => from.map((word) => word[0]).join('');
  const main = words.filter((word) => !small.has(word) && !legalForms.has(word));
  const home = main.filter((word) => !places.has(word));
  const found = [initials(main), initials(home)].filter((acronym) => acronym.length >= 3);
  return new Set(found);
}

/* Finds the bank that a code means: a national bank code, a branch code that begins with the bank's code, or a BIC. */

const titles = synonymsOf(
  JSON.parse(readFileSync(new URL('./bank-code-titles.json', import.meta.url), 'utf8')),
);
const plainTitle = (title: string): string => wordsOf(title).join('');
const codeTitles = new Set(Object.values(titles).flat().map(plainTitle));

/** Whether the title of a column says that it has codes of banks. Numbers without such a title prove nothing. */
export function namesBankCode(title: string): boolean {
  return codeTitles.has(plainTitle(lowerTitle(title)));
}

/** A BIC of ISO 9362: four letters of the institution, the country, a place, and perhaps a branch. */
const bicForm = /^([A-Z]{4})([A-Z]{2})[A-Z\d]{2}(?:[A-Z\d]{3})?$/;

/** The country of a BIC in capitals; undefined for another text. Many words of eight letters have the form of a BIC. */
export function bicCountry(text: string): string | undefined {
  const code = bicForm.exec(text.trim())?.[2];
  return code !== undefined && isCountryCode(code) ? code : undefined;
}

/** The codes of a bank. */
interface Coded {
  readonly codes: readonly string[];
  readonly bic: string | null;
}

/**
 * The maximum number of leading zeros that a spreadsheet removes from a branch code while a part of the bank's code is
 * left.
 */
const mostLostZeros = 2;

/**
 * Finds all banks of one country that a text may mean: `11` may be `011` without its zero, or `000011`. The caller
 * takes an answer only if it is the only bank.
 */
export function createBankCodes<Bank extends Coded>(
  country: string,
  banks: readonly Bank[],
): (text: string) => readonly Bank[] {
  const whole = branchCodeDigits(country);
  const withCode = (fits: (code: string) => boolean): readonly Bank[] =>
    banks.filter(({ codes }) => codes.some(fits));
  return (text) => {
    const plain = text.trim().toUpperCase();
    const [, letters = /^[A-Z]{4}$/.test(plain) ? plain : undefined, place = country] =
      bicForm.exec(plain) ?? [];
    const byBic =
      place === country && letters !== undefined ? banks.filter(({ bic }) => bic === letters) : [];
    if (byBic.length > 0) return byBic;
    const code = plain.replace(/[\s./-]/g, '').replace(new RegExp(`^${country}(?=\\d)`), '');
    const same = withCode((own) => own === code);
    if (same.length > 0 || !/^\d+$/.test(code)) return same;
    const zerosLost = code.startsWith('0') ? [] : withCode((own) => own.replace(/^0+/, '') === code);
    const isBranch = whole !== undefined && code.length <= whole && code.length >= whole - mostLostZeros;
    if (!isBranch || (code.startsWith('0') && code.length < whole)) return zerosLost;
    const full = code.padStart(whole, '0');
    const begun = withCode((own) => own.length < whole && full.startsWith(own));
    return [...new Set([...zerosLost, ...begun])];
  };
}
