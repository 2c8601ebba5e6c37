/*
 * Words in a column of names or other words that may stand for nothing: `none`, `x`, `wala`. Only a person knows whether
 * such a word is a value, so none is sent before a person has said so.
 */

import type { FieldType } from '../kinds/definition.ts';
import { type Decisions, saidToMeanNothing } from './decisions.ts';
import type { Column } from './evidence.ts';
import { isEmptyWord, meansNothingSomewhere } from './title-words.ts';

/** Types whose values are words, of which any may be one. All others refuse or empty such a word by themselves. */
const ofWords: ReadonlySet<FieldType> = new Set<FieldType>(['text', 'identifier']);
const namesOfPeople: ReadonlySet<string> = new Set([
  'account_name',
  'first_name',
  'middle_name',
  'last_name',
]);

/** One short word in small letters, as nobody writes a full name beside names with capitals. */
const smallWord = /^\p{Ll}{1,10}$/u;
/** The share of rows with a capital in the name from which a word without one is no name. */
const most = 0.8;
/** So many rows have a filler elsewhere; a single one may be the same mistake twice. */
const fewestElsewhere = 2;
const mostFillers = 12;

/** What the values of a column are compared with. */
interface Beside {
  readonly field: string;
  readonly type: FieldType;
  /** All columns of the sheet. */
  readonly columns: readonly Column[];
  readonly decisions: Decisions;
}

/** The values of a column that may stand for nothing, the most frequent first. */
export function fillersOf(
  column: Column,
  { field, type, columns, decisions }: Beside,
): readonly { readonly text: string; readonly rows: number }[] {
  if (!ofWords.has(type)) return [];
  const others = columns.filter((other) => other !== column);
  const said = saidToMeanNothing(decisions);
  const isAmongCapitals = namesOfPeople.has(field) && capitalShare(column) >= most;
  const mayBeNothing = (text: string): boolean => {
    const isKnown = meansNothingSomewhere(text) || said.has(text.toLowerCase());
    if (isKnown) return !isWrittenAsName(text) || rowsWith(others, text.toLowerCase(), folded) > 0;
    return isAmongCapitals && smallWord.test(text) && rowsWith(others, text, asItIs) >= fewestElsewhere;
  };
  return column.values
    .filter(({ text }) => !isEmptyWord(text, type) && mayBeNothing(text))
    .slice(0, mostFillers);
}

/** `Na`, as the name of a family; `NA`, `na` and `?` are written in another way than names. */
function isWrittenAsName(text: string): boolean {
  return /^\p{Lu}\p{Ll}+$/u.test(text);
}

function capitalShare({ cells }: Column): number {
  const capital = cells.filter(({ text }) => /\p{Lu}/u.test(text)).length;
  return cells.length === 0 ? 0 : capital / cells.length;
}

const folded = (text: string): string => text.toLowerCase();
const asItIs = (text: string): string => text;

/** The rows of other columns that have a text, after each text has been put in the form in which it is compared. */
function rowsWith(columns: readonly Column[], text: string, formOf: (text: string) => string): number {
  return columns
    .flatMap(({ values }) => values)
    .reduce((sum, value) => (formOf(value.text) === text ? sum + value.rows : sum), 0);
}
