/* Compares two names by their letters, initials, words and short forms, to decide whether they may belong to one payee. */

import { readFileSync } from 'node:fs';
import {
  areLikeNames,
  asItSounds,
  isTitle,
  isWithinDistance,
  nameWords,
  payeeName,
  writtenWords,
} from '../domain/text/payee-names.ts';

/*
 * Whether two names may belong to one payee, for a person to look at. One differing letter, an initial, a short form or a
 * joined word is enough. Names are compared so broadly only if one has taken the place of the other
 * (`watch/payee-watch.ts`).
 */

/** Legal forms of companies that consist of several words, and legal forms that may also occur in names of people. */
const legalPhrases =
  /\b(?:(?:open |public |closed )?joint stock co(?:mpany)?|limited liability co(?:mpany)?|gesellschaft mit beschrankter haftung|sp z o o)\b/g;

const legalWords: ReadonlySet<string> = new Set(
  `ltd limited plc inc incorporated llc llp lp corp corporation co company gmbh ag kg ohg kgaa aktiengesellschaft ug ev
   se sa sas sarl sasu srl spa bv nv oy ab as sl slu cia ltda lda pty pvt private jsc ojsc pjsc oao pao zao ooo the and und et y e`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** Particles with several spellings, each with one common spelling. */
const particles: ReadonlyMap<string, string> = new Map([
  ['el', 'al'],
  ['ul', 'al'],
  ['ben', 'bin'],
  ['ibn', 'bin'],
]);

/** A word of a name in its spelling and by its sound. */
interface Word {
  readonly spelled: string;
  readonly heard: string;
  readonly hasDigit: boolean;
  /** The first names of which it is a form, by their indexes in `first-names.json`; undefined for any other word. */
  readonly firstNames: readonly number[] | undefined;
}

/** A name with its words, which are determined once for many comparisons. */
interface ComparedName {
  readonly words: readonly Word[];
  /** The words as written, without blanks between them. */
  readonly joined: string;
  /** The numbers in the name, in alphabetical order. Numbers distinguish branches and funds. */
  readonly numbers: string;
  /** The words that distinguish payees, by sound, in alphabetical order. */
  readonly distinctive: string;
}

/** @param name the name as written */
export function comparedName(name: string): ComparedName {
  const written = writtenWords(name.toLowerCase()).join(' ').replace(/ +/g, ' ').trim();
  const all = written.replace(legalPhrases, ' ').split(' ');
  const kept = all.filter(
    (word) => word.length === 1 || (word !== '' && !isTitle(word) && !legalWords.has(word)),
  );
  const words = (kept.length > 0 ? kept : written.split(' ')).map((word): Word => {
    const spelled = particles.get(word) ?? word;
    const hasDigit = /\d/.test(spelled);
    return { spelled, heard: asItSounds(word), hasDigit, firstNames: groupsOf.get(spelled) };
  });
  const numbers = words.map(({ spelled }) => spelled).filter((word) => /^\d+$/.test(word));
  return {
    words,
    joined: words.map(({ spelled }) => spelled).join(''),
    numbers: numbers.sort().join(' '),
    distinctive: nameWords(payeeName(name)).join(' '),
  };
}

/** Whether two names may be written for one payee. */
export function mayBeOnePayee(one: ComparedName, other: ComparedName): boolean {
  if (one.words.length === 0 || other.words.length === 0 || one.numbers !== other.numbers) return false;
  return isJoined(one, other) || areAligned(one.words, other.words);
}

/** Whether two names have a word in common, such as a family name. */
export function shareAWord(one: ComparedName, other: ComparedName): boolean {
  return one.words.some(({ heard }) => other.words.some((word) => word.heard === heard));
}

/** Whether two similar names have different initials or numbers, so that they may belong to two payees. */
export function areNamesakes(one: ComparedName, other: ComparedName): boolean {
  if (one.numbers !== other.numbers) return true;
  const [initials, others] = [initialsIn(one), initialsIn(other)];
  return initials.length > 0 && others.length > 0 && !initials.some((initial) => others.includes(initial));
}

function initialsIn({ words }: ComparedName): readonly string[] {
  return words.map(({ spelled }) => spelled).filter((word) => word.length === 1);
}

/** Whether two spellings belong to one name, for rows that pay to one account. */
export function isSameName(one: string, other: string): boolean {
  const [left, right] = [comparedName(one), comparedName(other)];
  return (
    haveSameWords(left, right) || areLikeNames(payeeName(one), payeeName(other)) || mayBeOnePayee(left, right)
  );
}

/** Whether all words that distinguish payees are the same. */
export function haveSameWords(one: ComparedName, other: ComparedName): boolean {
  return one.distinctive === other.distinctive;
}

/** The length from which on a word, or a name without its blanks, may have one other letter, and the length for two. */
const [lettersForOne, lettersForTwo] = [3, 8];

/** Whether the names have the same letters with blanks at other places. In a long name one letter may differ. */
function isJoined(one: ComparedName, other: ComparedName): boolean {
  if (one.words.length === other.words.length) return false;
  const mostLetters = Math.min(one.joined.length, other.joined.length) >= lettersForTwo ? 1 : 0;
  return isWithinDistance(one.joined, other.joined, mostLetters);
}

/** The degrees of similarity of two words, in ascending order. */
const degrees = { other: 0, initial: 1, shortForm: 2, misspelt: 3, same: 4 } as const;
type Degree = (typeof degrees)[keyof typeof degrees];

function likenessOf(one: Word, other: Word): Degree {
  const [a, b] = one.spelled.length <= other.spelled.length ? [one, other] : [other, one];
  if (a.spelled === b.spelled || a.heard === b.heard) return degrees.same;
  const letters = a.spelled.length;
  if (letters === 1) return b.spelled.startsWith(a.spelled) ? degrees.initial : degrees.other;
  if (a.hasDigit || b.hasDigit) return degrees.other;
  const most =
    letters >= lettersForTwo && a.spelled[0] === b.spelled[0] ? 2 : letters >= lettersForOne ? 1 : 0;
  if (isWithinDistance(a.spelled, b.spelled, most)) return degrees.misspelt;
  if (areShortForms(a, b)) return degrees.shortForm;
  return letters >= lettersForOne && b.spelled.startsWith(a.spelled) ? degrees.shortForm : degrees.other;
}

/**
 * Whether each word of the shorter name has a similar word in the longer one. At least one whole word must be the same, and
 * only one or two may be written in another way. Two long misspelt words are accepted too. If one name has fewer words, the
 * conditions are stricter.
 */
function areAligned(left: readonly Word[], right: readonly Word[]): boolean {
  const [fewer, more] = left.length <= right.length ? [left, right] : [right, left];
  const found = align(fewer, more);
  if (found === null) return false;
  const count = (degree: Degree): number => found.filter((each) => each === degree).length;
  const same = found.filter((each, at) => each === degrees.same && isWhole(fewer[at])).length;
  const changed = count(degrees.misspelt) + count(degrees.shortForm);
  if (fewer.length === 1)
    return more.length === 1 && (same === 1 || (count(degrees.misspelt) === 1 && isLong(fewer[0])));
  if (more.length > fewer.length) {
    const hasInitial = found.some((each, at) => each === degrees.initial && !isWhole(fewer[at]));
    return same >= 2 ? changed <= 1 : same === 1 && changed === 0 && hasInitial;
  }
  if (same === 0)
    return fewer.length === 2 && count(degrees.misspelt) === 2 && [...fewer, ...more].every(isLong);
  return changed <= 2;
}

/** Whether a word is not an initial. */
function isWhole(word: Word | undefined): boolean {
  return word !== undefined && word.spelled.length > 1;
}

function isLong(word: Word | undefined): boolean {
  return word !== undefined && word.spelled.length >= 5;
}

/**
 * The similarity of each word of the shorter name to its counterpart in the longer one. The most similar words are paired
 * first. Null if a word has no counterpart, or if initials and short forms are in another order, because these are too short
 * to be recognised at any place.
 */
function align(fewer: readonly Word[], more: readonly Word[]): readonly Degree[] | null {
  const likeness: Degree[][] = [];
  for (const own of fewer) {
    const toEach = more.map((other) => likenessOf(own, other));
    // The comparison of most names ends here, at their first word.
    if (toEach.every((degree) => degree === degrees.other)) return null;
    likeness.push(toEach);
  }
  const left = new Set(more.keys());
  const found: Degree[] = fewer.map(() => degrees.other);
  const places: number[] = [];
  const open = new Set(fewer.keys());
  for (const wanted of [degrees.same, degrees.misspelt, degrees.shortForm, degrees.initial]) {
    for (const at of [...open]) {
      const match = [...left].find((place) => likeness[at]?.[place] === wanted);
      if (match === undefined) continue;
      found[at] = wanted;
      places[at] = match;
      left.delete(match);
      open.delete(at);
    }
  }
  const short = places.filter((_, at) => found[at] === degrees.shortForm || found[at] === degrees.initial);
  const areInOrder = short.every((place, at) => place > (short[at - 1] ?? -1));
  return open.size > 0 || !areInOrder ? null : found;
}

/* Short and long forms of first names, which people use instead of each other. */

/** One text for each name, with all its forms. Each form may be used instead of any other. */
const forms: readonly string[] = JSON.parse(
  readFileSync(new URL('./first-names.json', import.meta.url), 'utf8'),
);

const groupsOf = new Map<string, number[]>();
for (const [group, line] of forms.entries()) {
  for (const form of line.split(' ')) groupsOf.set(form, [...(groupsOf.get(form) ?? []), group]);
}

/** Whether two words are forms of one first name. */
function areShortForms(one: Word, other: Word): boolean {
  const { firstNames = none } = other;
  return one.firstNames?.some((name) => firstNames.includes(name)) === true;
}

const none: readonly number[] = [];
