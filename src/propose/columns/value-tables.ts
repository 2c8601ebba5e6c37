import type { Institution } from '../../domain/institution.ts';
import { currencyCodes } from '../../domain/money/money.ts';
import { foldWord } from '../../domain/tables/mapping.ts';
import { createNameSearch } from '../../domain/text/characters.ts';
import { isDittoMark } from '../../kinds/fields/cell-repairs.ts';
import { isEmptyWord } from '../../kinds/fields/empty-words.ts';
import { countryWritten, subdivisionNamed, subdivisionsIn } from '../../kinds/fields/places.ts';
import { vehicleSigns } from '../../kinds/fields/postal-codes.ts';
import { ruleOf } from '../../kinds/registry.ts';
import { hasMeanings, knownMeanings, meaningsIn } from '../../kinds/words-of-files.ts';
import { type Decisions, decidedValues, decidedWords } from '../decisions.ts';
import type { Column } from '../sheet/column.ts';
import { type Legend, legendFor } from '../sheet/explanations.ts';
import type { Sheet } from '../sheet/sheet.ts';
import type { Assignment } from './assignment.ts';
import { columnOfField, usesOfValues } from './column-use.ts';
import { currencyNamed } from './currencies.ts';
import { fillersOf, isMarkOf, marksIn } from './filler-words.ts';
import type { InstitutionMatcher } from './institution-names.ts';
import { type CountriesFound, countriesFound, type Places } from './places.ts';

/**
 * Translates the values of a column of few values into the API's words. A word from the API's specification is
 * proposed. Another one needs a person's decision, and its rows are refused until then.
 */

/** One value of a column and its meaning. */
interface MeaningLine {
  readonly value: string;
  readonly rows: number;
  /** The API's word, or an institution's name; `""` means nothing; null means that the rows are refused. */
  readonly meaning: string | null;
  /** Whether the value is read in this way without a translation in the mapping. */
  readonly isRead: boolean;
  /** Whether a person has decided it, or no other meaning is possible. */
  readonly isSure: boolean;
}

/** A column whose values are translated. */
export interface ValueTable {
  readonly column: Column;
  readonly field: string;
  readonly lines: readonly MeaningLine[];
  /** All possible meanings of a value, for a person to choose from. */
  readonly choices: (value: string) => readonly { readonly id: string | null; readonly label: string }[];
  /**
   * Only for a table of words that may mean nothing: whether the column is the whole field, or is joined with other
   * columns. If it is joined, such a word is left out.
   */
  readonly fillers?: 'whole_field' | 'part_of_field';
}

/** The institutions in the API's list, and the matcher that finds those that a text may mean. */
interface ListedInstitutions {
  readonly institutions: readonly Institution[];
  readonly matcher: InstitutionMatcher;
}

const mostValues = 250;

export function valueTables(
  sheet: Sheet,
  assignment: Assignment,
  places: Places,
  directory: ListedInstitutions,
  decisions: Decisions,
  legends: readonly Legend[] = [],
): readonly ValueTable[] {
  return usesOfValues(assignment.uses).flatMap(({ column, fields }): ValueTable[] => {
    const [field, another] = fields;
    if (field === undefined || another !== undefined) return [];
    const type = ruleOf(assignment.kind, field)?.type ?? 'text';
    const words = decidedWords(decisions, column.title);
    const marks = marksIn(column);
    const values = column.values.filter(
      ({ text }) =>
        !isEmptyWord(text, type) &&
        !isDittoMark(text) &&
        !isMarkOf(marks, text) &&
        !words.has(foldWord(text)),
    );
    const meaning =
      values.length > mostValues ? undefined : readerOf(field, column, sheet, assignment, places, directory);
    if (meaning === undefined) return fillerTable(column, field, sheet, assignment, decisions);
    const decided = decidedValues(decisions, column.title);
    const legend = legendFor(column, legends);
    const lines = values.map(({ text, rows }): MeaningLine => {
      const own = explained(text, legend, meaning);
      const said = decided.get(text);
      if (said === undefined) return { value: text, rows, ...own };
      return { value: text, rows, meaning: said, isRead: own.isRead && said === own.meaning, isSure: true };
    });
    return [{ column, field, lines, choices: meaning.choices }];
  });
}

/**
 * The words of a column that may mean nothing. Rows with such a word are refused until a person has said what it means.
 * If several columns are joined, the word is left out.
 */
function fillerTable(
  column: Column,
  field: string,
  { columns }: Sheet,
  assignment: Assignment,
  decisions: Decisions,
): ValueTable[] {
  const type = ruleOf(assignment.kind, field)?.type ?? 'text';
  if (field === 'institution_name' || followsFromOthers(field, assignment)) return [];
  const isJoined = assignment.uses.some((use) => use.column !== column && use.fields.includes(field));
  const decided = decidedValues(decisions, column.title);
  const known = decidedWords(decisions, column.title);
  const lines = fillersOf(column, { field, type, columns, decisions })
    .filter(({ text }) => !known.has(foldWord(text)))
    .map(({ text, rows }): MeaningLine => {
      const [said, unsaid] = [decided.get(text), isJoined ? '' : null];
      const meaning = said === undefined ? unsaid : said;
      return { value: text, rows, meaning, isRead: false, isSure: said !== undefined };
    });
  if (lines.length === 0) return [];
  const choices: ValueTable['choices'] = (value) => [
    { id: '', label: 'nothing, as an empty cell' },
    { id: value, label: `${value}, as the file has it` },
    ...(isJoined ? [] : [{ id: null, label: 'wrong: refuse the rows with it' }]),
  ];
  return [{ column, field, lines, choices, fillers: isJoined ? 'part_of_field' : 'whole_field' }];
}

/** The reading of a value. For a code that a legend explains, its meaning is read, and a person confirms it. */
function explained(text: string, legend: Legend | undefined, { read }: Reader): ReturnType<Reader['read']> {
  const own = read(text);
  const named = own.isSure || own.meaning !== null ? undefined : legend?.get(foldWord(text));
  return named === undefined ? own : toDecide(read(named).meaning);
}

interface Reader extends Pick<ValueTable, 'choices'> {
  readonly read: (text: string) => Omit<MeaningLine, 'value' | 'rows'>;
}

/**
 * The words that a field can have: words of the API's specification, and other usual words.
 * @param possible the words that the specification shows
 */
export function wordsToChoose(
  field: string,
  possible: readonly string[],
): readonly { readonly id: string; readonly label: string }[] {
  return [...new Set([...possible, ...knownMeanings(field)])].map((word) => ({
    id: word,
    label: possible.includes(word)
      ? word
      : `${word} (not shown in the API's specification: the API may refuse it)`,
  }));
}

/** Whether no payee type sends a field, so that its values change nothing. */
function followsFromOthers(field: string, { definitions }: Assignment): boolean {
  const uses = definitions.flatMap(({ rules }) => rules.filter((rule) => rule.field === field));
  return uses.every(({ presence }) => presence === 'not_sent' || presence === 'unused');
}

const refusal = { id: null, label: 'no counterpart: refuse the rows with it' };

function asTheyAre(meanings: ReadonlySet<string>): ReturnType<Reader['choices']> {
  return [...meanings].map((meaning) => ({ id: meaning, label: meaning }));
}

/** A value that needs no translation. */
function readAsItIs(meaning: string): ReturnType<Reader['read']> {
  return { meaning, isRead: true, isSure: true };
}

/** A value about which a person decides; null if no meaning is likely. */
function toDecide(meaning: string | null): ReturnType<Reader['read']> {
  return { meaning, isRead: false, isSure: false };
}

function readerOf(
  field: string,
  column: Column,
  sheet: Sheet,
  assignment: Assignment,
  places: Places,
  { institutions, matcher }: ListedInstitutions,
): Reader | undefined {
  const rule = ruleOf(assignment.kind, field);
  if (rule === undefined || followsFromOthers(field, assignment)) return undefined;
  if (field === 'institution_name')
    return institutions.length === 0 ? undefined : institutionReader(institutions, matcher);
  if (rule.type === 'currency') return currencyReader(column);
  if (rule.type === 'country') return countryReader(countriesFound(sheet.columns, column));
  if (rule.type === 'state') return stateReader(column, assignment, places);
  if (!hasMeanings(field) || column.values.length > 40) return undefined;
  const { seen = [], allowed } = rule;
  const isOptional = rule.presence !== 'required' || rule.whenEmpty !== undefined;
  const texts = column.values.map(({ text }) => text);
  const meaningOf = meaningsIn(field, texts);
  const possible = allowed ?? (field === 'payee_type' ? knownMeanings(field) : seen);
  return {
    read: (text) => {
      if (possible.includes(text)) return readAsItIs(text);
      const known = meaningOf(text);
      return known !== undefined && possible.includes(known)
        ? { meaning: known, isRead: false, isSure: true }
        : toDecide(null);
    },
    choices: (value) => [
      ...wordsToChoose(field, possible),
      ...(possible.includes(value) || knownMeanings(field).includes(value)
        ? []
        : [{ id: value, label: `${value}, as the file has it` }]),
      ...(isOptional ? [{ id: '', label: 'leave it empty' }] : []),
      refusal,
    ],
  };
}

function institutionReader(institutions: readonly Institution[], matcher: InstitutionMatcher): Reader {
  const names = new Map<string, number>();
  for (const { name } of institutions) names.set(name, (names.get(name) ?? 0) + 1);
  return {
    read: (text) => {
      if (names.get(text) === 1) return readAsItIs(text);
      const found = matcher.match(text)?.name;
      // Two institutions with the same name cannot be distinguished by the name.
      return toDecide(found === undefined || (names.get(found) ?? 0) > 1 ? null : found);
    },
    choices: (value) => [...asTheyAre(new Set(matcher.suggestions(value).map(({ name }) => name))), refusal],
  };
}

/**
 * Reads names of currencies beside codes of the same currencies: `euro` in a column of `EUR`. A name may mean another
 * currency if no row has its code. A person is then asked once its rows are refused.
 */
function currencyReader({ values }: Column): Reader | undefined {
  const codes = new Set(values.map(({ text }) => text).filter((text) => currencyCodes.includes(text)));
  const meaningOf = (text: string): string | undefined => {
    const named = codes.has(text) ? undefined : currencyNamed(text);
    return named !== undefined && codes.has(named) ? named : undefined;
  };
  if (!values.some(({ text }) => meaningOf(text) !== undefined)) return undefined;
  return {
    read: (text) => {
      const named = meaningOf(text);
      return { meaning: named ?? text, isRead: named === undefined, isSure: true };
    },
    choices: () => [...asTheyAre(codes), refusal],
  };
}

/** @param found the countries in other columns: a code that they never have may abbreviate another country's name */
function countryReader(found: CountriesFound): Reader {
  return {
    read: (text) => {
      const code = countryWritten(text);
      const other = found.of(text);
      const isStrange =
        code !== undefined && code !== other && /^[A-Z]{2}$/i.test(text.trim()) && !found.isSaid(code);
      // Only a person decides between the value in the cell and the country that the rest of the file shows.
      const meant = code === undefined ? vehicleSigns[text.toUpperCase()] : undefined;
      const isUnknown = code === undefined && meant === undefined;
      if ((isStrange || isUnknown) && other !== undefined) return toDecide(null);
      return code === undefined ? toDecide(meant ?? null) : readAsItIs(code);
    },
    choices: (value) => {
      const [code, other] = [countryWritten(value), found.of(value)];
      return [
        ...(other === undefined ? [] : [{ id: other, label: `${other}, as the other columns say` }]),
        ...(code === undefined || code === other ? [] : [{ id: code, label: `${code}, as the file has it` }]),
        refusal,
      ];
    },
  };
}

function stateReader(column: Column, { uses }: Assignment, places: Places): Reader | undefined {
  const countries = columnOfField(uses, 'country')?.values.map(({ text }) => countryWritten(text));
  const codes = countries ?? [places.constants['country']];
  const own = [...new Set(codes.flatMap((code) => code || []))];
  if (own.length === 0 || column.values.length > 120) return undefined;
  const possible = own.flatMap(subdivisionsIn);
  const nearest = createNameSearch(possible.map(({ name }) => name));
  return {
    read: (text) =>
      own.some((code) => subdivisionNamed(text, code) !== undefined) ? readAsItIs(text) : toDecide(null),
    choices: (value) => {
      const first = nearest(value, nearestStates);
      const near = first.flatMap((name) => possible.filter((one) => one.name === name));
      const others = possible.length > mostStates ? [] : possible.filter((one) => !first.includes(one.name));
      const states = [...near, ...others].map(({ code, name }) => ({ id: code, label: `${name} (${code})` }));
      return [...states, refusal];
    },
  };
}

/** The number of states offered first: those with names most similar to a value. */
const nearestStates = 5;
/** With more states, a list is too long to choose from. Only the most similar names are offered. */
const mostStates = 300;
