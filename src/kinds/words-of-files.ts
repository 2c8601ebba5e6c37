/*
 * The words in other people's files, by language: their names for paybatch's columns, and their words in columns with few
 * different values. Case, accents and signs do not count.
 */

import { readFileSync } from 'node:fs';

/*
 * The names of columns, read from `column-names.json`. Spaces do not count either (`A/C No.`, `a c no`), and `#` is read as
 * `no`. A name may belong to several columns. Then the values of the column, the other columns of the file, or a person
 * decide.
 */

/** The languages of the names of columns. Norwegian is listed with Danish, and Chinese has both of its scripts. */
export const languages = [
  ...['bg', 'cs', 'da', 'de', 'el', 'en', 'es', 'et', 'fi', 'fr', 'hr', 'hu', 'id', 'it', 'ja', 'ko'],
  ...['lt', 'lv', 'nl', 'pl', 'pt', 'ro', 'ru', 'sk', 'sl', 'sv', 'sw', 'tl', 'tr', 'uk', 'vi', 'zh'],
] as const;

type Language = (typeof languages)[number];

/** The names of one column, by language. A language without a name of its own is omitted. */
export type Synonyms = Readonly<Partial<Record<Language, readonly string[]>>>;

/** Names of columns in the form of data files: by language, separated by semicolons. */
export type NameTable = Readonly<Partial<Record<Language, string>>>;

/** The content of `column-names.json`. */
export type ColumnNames = Readonly<Record<string, NameTable>>;

/** The names in a list of a data file. They are separated by semicolons, which keeps a table readable. */
export function namesIn(list: string): readonly string[] {
  return list.split(';').map((name) => name.trim());
}

/** The names of a table, language by language. */
export function synonymsOf(table: NameTable): Synonyms {
  return Object.fromEntries(Object.entries(table).map(([language, names]) => [language, namesIn(names)]));
}

const columnNames: ColumnNames = JSON.parse(
  readFileSync(new URL('./column-names.json', import.meta.url), 'utf8'),
);

const namesByColumn = new Map(
  Object.entries(columnNames).map(([column, table]) => [column, synonymsOf(table)] as const),
);

/** The names of a column, by its line in the table. @throws Error for a column that has no line */
export function namesOf(column: string): Synonyms {
  const names = namesByColumn.get(column);
  if (names === undefined) throw new Error(`column-names.json has no "${column}"`);
  return names;
}

/*
 * Legal forms of businesses, by their short names, and the type of owner that they mean. Source: the list of Entity Legal
 * Forms of ISO 20275 (GLEIF, version 1.5, 2023-09-28). If the list has only the full name of a form, the short name comes
 * from the country's law. A sole trader is a person.
 */

/** The type of owner that a legal form means. */
type Owner = 'business' | 'individual';

/** The legal forms of each country by the type of owner, separated by semicolons. */
export type LegalForms = Readonly<Record<Owner, Readonly<Record<string, string>>>>;

const forms: LegalForms = JSON.parse(readFileSync(new URL('./legal-forms.json', import.meta.url), 'utf8'));

/** The letters and digits of a text in lower case: `Sp. z o.o.` becomes `spzoo`. */
function lettersOf(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** By legal form: its meaning in each country that has it. */
const byForm = new Map<string, Map<string, Owner>>();
for (const owner of ['business', 'individual'] as const) {
  for (const [country, list] of Object.entries(forms[owner])) {
    for (const form of list.split('; ').map(lettersOf))
      byForm.set(form, (byForm.get(form) ?? new Map<string, Owner>()).set(country, owner));
  }
}

/**
 * The type of owner for legal forms. `e.V.` is an association in Germany, and `e.v.` is a sole trader in Hungary. Other
 * forms in the same column show the country.
 * @param beside the other values of the column
 * @returns undefined for a text that is no legal form, and if the country is not certain
 */
function ownersOfForms(beside: readonly string[]): (form: string) => Owner | undefined {
  const counts = new Map<string, number>();
  for (const form of new Set(beside.map(lettersOf))) {
    for (const country of byForm.get(form)?.keys() ?? []) counts.set(country, (counts.get(country) ?? 0) + 1);
  }
  return (form) => {
    const said = [...(byForm.get(lettersOf(form)) ?? [])];
    const most = Math.max(...said.map(([country]) => counts.get(country) ?? 0));
    const likely = said.filter(([country]) => (counts.get(country) ?? 0) === most);
    const owners = new Set(likely.map(([, owner]) => owner));
    return owners.size === 1 ? likely[0]?.[1] : undefined;
  };
}

/*
 * The words in columns with few different values. They are evidence for a proposal. A word that the API's specification does
 * not contain is sent only after a person has confirmed it.
 */

/** Fields with the same words, and the words for each meaning. */
export interface FieldMeanings {
  readonly fields: readonly string[];
  readonly meanings: Readonly<Record<string, readonly string[]>>;
}

const tables: readonly FieldMeanings[] = JSON.parse(
  readFileSync(new URL('./value-meanings.json', import.meta.url), 'utf8'),
);

const meaningsByField = new Map(
  tables.flatMap(({ fields, meanings }) => {
    const meaningByWord: ReadonlyMap<string, string> = new Map(
      Object.entries(meanings).flatMap(([meaning, words]) =>
        [meaning, ...words].map((word): [string, string] => [lettersOf(word), meaning]),
      ),
    );
    return fields.map((field) => [field, meaningByWord] as const);
  }),
);

/** Fields that state whether an owner is a person or a business, which a legal form states too. */
const ofOwners: ReadonlySet<string> = new Set(
  tables.flatMap(({ fields, meanings }) => ('business' in meanings ? fields : [])),
);

/** Whether a field's values are a small set, closed or by convention. */
export function hasMeanings(field: string): boolean {
  return meaningsByField.has(field);
}

/** The word of the API that a value of a field means; undefined if it is not known. */
export function meaningOf(field: string, value: string): string | undefined {
  return meaningsIn(field, [value])(value);
}

/**
 * The same for the values of one column, in which one value explains another. `M` is a woman next to `H` (hombre, mujer),
 * and may be either next to `V` (varón, mujer; man, vrouw), unless an `F` shows that it is a man. Legal forms show their
 * country. Other codes of one letter are either all known, or none is used: `C` and `S` are checking and savings, but may
 * mean anything next to `L`.
 */
export function meaningsIn(field: string, values: readonly string[]): (value: string) => string | undefined {
  const letters = new Set(values.map(lettersOf).filter((value) => value.length === 1));
  const isWomanM = field === 'gender' && letters.has('h') && letters.has('m') && !letters.has('f');
  const isUnclear = field === 'gender' && letters.has('v') && letters.has('m') && !letters.has('f');
  const known = meaningsByField.get(field);
  const isOtherScheme = field !== 'gender' && [...letters].some((letter) => known?.get(letter) === undefined);
  const ownerOf = ofOwners.has(field) ? ownersOfForms(values) : () => undefined;
  return (value) => {
    const letters = lettersOf(value);
    if (isUnclear && (letters === 'm' || letters === 'v')) return undefined;
    if (isOtherScheme && letters.length === 1) return undefined;
    return isWomanM && letters === 'm' ? 'female' : (known?.get(letters) ?? ownerOf(value));
  };
}

/** The words that the values of a field may mean, whether or not the API's specification contains them. */
export function knownMeanings(field: string): readonly string[] {
  return tables.flatMap(({ fields, meanings }) => (fields.includes(field) ? Object.keys(meanings) : []));
}
