/* Whether two names may be one payee's, by their letters, initials, words and short forms. */

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
 * Whether two names may be one payee's, for a person to look at: one letter, an initial, a short form or a joined word is
 * enough. Only names of which one has taken the place of the other are compared so broadly (`watch/payee-watch.ts`).
 */

/** Legal forms of companies that are written in several words, and those that names of people may contain. */
const legalPhrases =
  /\b(?:(?:open |public |closed )?joint stock co(?:mpany)?|limited liability co(?:mpany)?|gesellschaft mit beschrankter haftung|sp z o o)\b/g;

const legalWords: ReadonlySet<string> = new Set(
  `ltd limited plc inc incorporated llc llp lp corp corporation co company gmbh ag kg ohg kgaa aktiengesellschaft ug ev
   se sa sas sarl sasu srl spa bv nv oy ab as sl slu cia ltda lda pty pvt private jsc ojsc pjsc oao pao zao ooo the and und et y e`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** Particles that are written differently, and one of these spellings. */
const particles: ReadonlyMap<string, string> = new Map([
  ['el', 'al'],
  ['ul', 'al'],
  ['ben', 'bin'],
  ['ibn', 'bin'],
]);

/** A word of a name: as it is written and as it sounds. */
interface Word {
  readonly spelled: string;
  readonly heard: string;
  readonly hasDigit: boolean;
  /** The first names whose forms it is one of, by their places in `first-names.json`; undefined for any other word. */
  readonly firstNames: readonly number[] | undefined;
}

/** A name whose words are found once, to be compared with many others. */
interface ComparedName {
  readonly words: readonly Word[];
  /** The words as they are written, without the blanks between them. */
  readonly joined: string;
  /** Numbers distinguish branches and funds: those of the name in alphabetical order. */
  readonly numbers: string;
  /** The words that tell payees from each other, as they sound, in alphabetical order. */
  readonly distinctive: string;
}

/** @param name as it is written */
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

/** Whether two names have a word in common, as a family has its name. */
export function shareAWord(one: ComparedName, other: ComparedName): boolean {
  return one.words.some(({ heard }) => other.words.some((word) => word.heard === heard));
}

/** Whether two names that are alike have different initials or numbers: their payees may be two. */
export function areNamesakes(one: ComparedName, other: ComparedName): boolean {
  if (one.numbers !== other.numbers) return true;
  const [initials, others] = [initialsIn(one), initialsIn(other)];
  return initials.length > 0 && others.length > 0 && !initials.some((initial) => others.includes(initial));
}

function initialsIn({ words }: ComparedName): readonly string[] {
  return words.map(({ spelled }) => spelled).filter((word) => word.length === 1);
}

/** Whether two spellings are of one name, for rows that pay one account. */
export function isSameName(one: string, other: string): boolean {
  const [left, right] = [comparedName(one), comparedName(other)];
  return (
    haveSameWords(left, right) || areLikeNames(payeeName(one), payeeName(other)) || mayBeOnePayee(left, right)
  );
}

/** Whether all words that tell payees from each other are the same. */
export function haveSameWords(one: ComparedName, other: ComparedName): boolean {
  return one.distinctive === other.distinctive;
}

/** Letters from which on a word, or a name without its blanks, may have one other letter, or two. */
const [lettersForOne, lettersForTwo] = [3, 8];

/** The same letters with blanks in other places; in a long name one of them may differ. */
function isJoined(one: ComparedName, other: ComparedName): boolean {
  if (one.words.length === other.words.length) return false;
  const mostLetters = Math.min(one.joined.length, other.joined.length) >= lettersForTwo ? 1 : 0;
  return isWithinDistance(one.joined, other.joined, mostLetters);
}

/** How alike two words are: the greater, the better. */
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
 * Whether each word of the shorter name has its word in the longer one. At least one pair of them is the same, and one is
 * written in another way; of a name that is shortened by words, all others are the same.
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

/** No initial. */
function isWhole(word: Word | undefined): boolean {
  return word !== undefined && word.spelled.length > 1;
}

function isLong(word: Word | undefined): boolean {
  return word !== undefined && word.spelled.length >= 5;
}

/**
 * The likeness of each word of the shorter name to its word in the longer one; the most alike are paired first. Null where
 * a word has none, or where initials and short forms stand in another order: these are too short to be known in any place.
 */
function align(fewer: readonly Word[], more: readonly Word[]): readonly Degree[] | null {
  const likeness: Degree[][] = [];
  for (const own of fewer) {
    const toEach = more.map((other) => likenessOf(own, other));
    // Most names end here, at their first word.
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

/* Short and long forms of first names, which people use for each other. */

/** A text for each name: its forms, of which each may stand for each other. */
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
