/* The parts of a full name, for columns that a person has agreed to split. */

import { readAs } from '../../domain/rows/finding.ts';
import { fieldName } from '../../domain/settings/message.ts';
import type { NameOrder, NamePart, NameSplit } from '../../domain/tables/mapping.ts';
import { type CellCheck, shorten, type ValueRefusal } from './value-text.ts';

/** The check of one part of a full name in such a column. */
export function createNameCheck(
  check: CellCheck,
  { part, into, order }: NameSplit,
  title: string,
): CellCheck {
  const hasMiddle = into.includes('middle_name');
  return (raw, kind, earlier, row) => {
    const text = raw.normalize('NFC').trim();
    if (text === '' || kind === 'error' || kind === 'formula_without_value') {
      return check(raw, kind, earlier, row);
    }
    const names = splitName(text, order, hasMiddle);
    if (names === undefined) return { ...refuseSplit(title, 'has several commas'), isOfCell: true };
    if (names[part] === '' && part !== 'middle_name') {
      return refuseSplit(title, `has a single name, and no ${fieldName(part)} with it`);
    }
    const result = check(names[part], undefined, undefined, row);
    if (typeof result !== 'string' || result === '') return result;
    return { value: result, notes: [readAs(result)] };
  };
}

function refuseSplit(title: string, problem: string): ValueRefusal {
  return { code: 'required', message: `${problem}: write the first and the last name in ${shorten(title)}` };
}

/** Words that belong to the name after them, in Portuguese, Spanish, French, Dutch, German, Arabic and other names. */
const particles: ReadonlySet<string> = new Set(
  [
    'da das de del della dello der den des di do dos du e el la las le les lo los y',
    'van vande vander von vom zu zum zur ter ten te af av auf',
    'al ad ar as ash at az bin bint binti ibn ben bat abd abu ap ould wa wad st st. san santa',
  ]
    .join(' ')
    .split(' '),
);

/** The parts of a full name; a missing part is an empty text. */
type SplitName = Readonly<Record<NamePart, string>>;

/**
 * Splits a full name. All parts together are the whole name. A comma shows that the last name comes first, and so do capitals
 * at the beginning or the end of a name show the last name: `DUPONT Jean`, `Jean DUPONT`.
 * @param hasMiddle whether the words between the first and the last name are a separate part
 * @returns undefined for several commas, which do not show which part is which
 */
export function splitName(text: string, order: NameOrder, hasMiddle: boolean): SplitName | undefined {
  const sides = text.split(',').map((side) => side.trim());
  if (sides.length > 2) return undefined;
  const [left = '', right] = sides;
  if (right !== undefined) {
    const [first, middle] = hasMiddle ? firstOf(namesIn(right)) : [right, ''];
    return { first_name: first, middle_name: middle, last_name: left };
  }
  const names = namesIn(left);
  if (names.length < 2) {
    const only = names.join(' ');
    return order === 'first_last'
      ? { first_name: only, middle_name: '', last_name: '' }
      : { first_name: '', middle_name: '', last_name: only };
  }
  if ((lastNameInCapitals(names) ?? order) === 'last_first') {
    const [last = '', ...others] = names;
    const [first, middle] = hasMiddle ? firstOf(others) : [others.join(' '), ''];
    return { first_name: first, middle_name: middle, last_name: last };
  }
  const [first = '', ...others] = names;
  if (!hasMiddle) return { first_name: first, middle_name: '', last_name: others.join(' ') };
  return { first_name: first, middle_name: others.slice(0, -1).join(' '), last_name: others.at(-1) ?? '' };
}

const fewestCapitals = 4;
const wordInCapitals = /^[\p{Lu}'’-]+$/u;
const romanNumber = /^[IVX]+$/;
/** Titles and short forms of first names, which are in capitals for another reason. */
const otherCapitals: ReadonlySet<string> = new Set(
  'MISS MLLE FRAU HERR PROF SISTER PASTOR FATHER CHIEF MOHD MUHD MOHAMED MOHAMMED MUHAMMAD MARIA'.split(' '),
);

/** The order of a name in which only its first or only its last word is in capitals; undefined for another name. */
function lastNameInCapitals(names: readonly string[]): NameOrder | undefined {
  const words = names.map((name) => name.split(' ').at(-1) ?? '');
  const areLast = words.map(
    (word) =>
      word.length >= fewestCapitals &&
      wordInCapitals.test(word) &&
      !romanNumber.test(word) &&
      !otherCapitals.has(word),
  );
  const [first, last] = [areLast[0] === true, areLast.at(-1) === true];
  const hasOthers = words.some((word) => /\p{Lu}\p{Ll}/u.test(word));
  if (first === last || !hasOthers || areLast.filter(Boolean).length > 1) return undefined;
  return first ? 'last_first' : 'first_last';
}

function firstOf([first = '', ...others]: readonly string[]): readonly [first: string, others: string] {
  return [first, others.join(' ')];
}

/** Names with the particles before them: `Ana`, `dos Santos`. Two words without a particle are two names: `Ben Otieno`. */
function namesIn(text: string): readonly string[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const names: string[] = [];
  let open: string[] = [];
  for (const word of words) {
    open.push(word);
    if (particles.has(word.toLowerCase())) continue;
    names.push(open.join(' '));
    open = [];
  }
  if (open.length > 0) names.push(open.join(' '));
  const [first = ''] = names;
  if (names.length > 1 || words.length < 2) return names;
  return [words[0] ?? '', first.slice((words[0] ?? '').length).trim()];
}
