/* Compares the names of payees as different people write them. */

import { editDistance } from './characters.ts';

/** Titles that people write next to a name, but that are not part of it. */
const titles: ReadonlySet<string> = new Set(
  `mr mrs ms miss mister dr doctor prof professor eng ing engr herr frau hr fr sr sra srta senor senora monsieur madame
   mme mlle m don dona dom chief alhaji alhaja hajia hon rev pastor sir madam dipl mag bsc msc phd jr junior snr`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** Whether a word is a title, and so not part of a name. */
export function isTitle(word: string): boolean {
  return titles.has(word);
}

/** Endings that show the legal form of a company. */
const companyForms: ReadonlySet<string> = new Set(
  `ltd limited plc inc incorporated llc llp corp corporation co company gmbh ag kg ohg ug ev sa sas sarl sasu srl spa bv
   nv oy ab as sl slu cia ltda lda eireli me pty pvt private and und et y e the und`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/** Pairs of spellings of one sound, in the order in which they are replaced. */
const sounds: readonly (readonly [RegExp, string])[] = [
  [/ae/g, 'a'],
  [/oe/g, 'o'],
  [/ue/g, 'u'],
  [/ou|oo/g, 'u'],
  [/ph/g, 'f'],
  [/ck|q/g, 'k'],
  [/ee|y|j(?=[^aeiou]|$)/g, 'i'],
  [/(?<=[bdgkt])h/g, ''],
  [/(.)\1+/g, '$1'],
];

/** Matches a word with any of these sounds. The spelling of other words is changed only in their open vowels. */
const anySound = /[aou]e|[eo]{2}|ou|ph|ck|[qyj]|[bdgkt]h|(.)\1/;

const mostLettersOfOneWord = 64;

/** The words of a name that identify the payee, in the order of the name. */
interface PayeeName {
  readonly spelled: readonly string[];
  /** The same words by sound. */
  readonly heard: readonly string[];
}

/**
 * Splits a name into words. Case, accents, punctuation, titles, initials and the legal forms of companies do not count, as
 * long as any word is left.
 */
export function payeeName(name: string): PayeeName {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const spelled = distinctiveWords(name);
  const found: PayeeName = { spelled, heard: spelled.map(asItSounds) };
  if (knownNames.size >= mostKnownNames) knownNames.clear();
  knownNames.set(name, found);
  return found;
}

/**
 * Cache of the names of the last rows. A row's name is compared with known payees, and soon afterwards stored for searches.
 */
const knownNames = new Map<string, PayeeName>();
const mostKnownNames = 4_000;

/** The words by sound in alphabetical order. Two spellings of one name have the same words. */
export function nameWords({ heard }: PayeeName): readonly string[] {
  return [...heard].sort();
}

function distinctiveWords(name: string): readonly string[] {
  const lower = name.toLowerCase();
  const words = (plainText.test(lower) ? plainWords(lower) : writtenWords(lower)).filter(
    (word) => word !== '',
  );
  const distinctive = words.filter((word) => word.length > 1 && !titles.has(word) && !companyForms.has(word));
  return distinctive.length === 0 ? words : distinctive;
}

const plainText = /^[ -~]*$/;

/** The same as `writtenWords`, in a third of the time, since most names have only plain letters. */
function plainWords(lower: string): readonly string[] {
  return lower.replace(/['`.]/g, '').split(/[^a-z0-9]+/);
}

/** The words of a name in lower case, without accents and punctuation; some of them are empty. */
export function writtenWords(lower: string): readonly string[] {
  return lower
    .replace(/[ßæœøłđðþı]/g, (letter) => letters[letter] ?? letter)
    .normalize('NFKD')
    .replace(/[\p{M}'’`´.]/gu, '')
    .split(/[^\p{L}\p{N}]+/u);
}

/**
 * The length from which on the open vowels of a word are compared as equal. Languages whose script has no vowels are written
 * with e or a, and with o or u.
 */
const lettersOfOpenVowels = 5;

/** Cache of words by sound, since files repeat the same words. */
const knownSounds = new Map<string, string>();
const mostKnownSounds = 10_000;
/**
 * The maximum length of a cached word. A longer word may be a slice of the text from which it was cut, and would keep all of
 * that text in memory.
 */
const longestKnown = 12;

/** A word by its sound, in a special spelling. */
export function asItSounds(word: string): string {
  if (word.length > longestKnown) return word.length > mostLettersOfOneWord ? word : soundOf(word);
  const known = knownSounds.get(word);
  if (known !== undefined) return known;
  if (knownSounds.size >= mostKnownSounds) knownSounds.clear();
  const sound = soundOf(word);
  knownSounds.set(word, sound);
  return sound;
}

function soundOf(word: string): string {
  const heard = anySound.test(word)
    ? sounds.reduce((text, [pattern, letter]) => text.replace(pattern, letter), word)
    : word;
  if (heard.length < lettersOfOpenVowels) return heard;
  const within = heard.slice(1, -1).replaceAll('e', 'a').replaceAll('o', 'u');
  return `${heard[0]}${within}${heard.at(-1)}`;
}

/** Names with fewer letters often differ from other people's names in only one letter. */
const leastLettersOfMisspelt = 10;

/**
 * Whether two names may belong to one person although their words differ. Either all words of the shorter name, at least
 * two, are in the longer one, or one or two letters of a long name are typed differently.
 */
export function areLikeNames(one: PayeeName, other: PayeeName): boolean {
  const [fewer, more] =
    one.heard.length <= other.heard.length ? [one.heard, other.heard] : [other.heard, one.heard];
  if (fewer.length >= 2 && without(fewer, more).length === 0) return true;
  return isMisspelt(one.spelled, other.spelled) || isMisspelt(one.heard, other.heard);
}

/** Whether one word of a long name is typed differently. It is also compared by sound, which a typing error may change. */
function isMisspelt(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length || one.length < 2) return false;
  const [[a, ...more], [b]] = [without(one, other), without(other, one)];
  if (a === undefined || b === undefined || more.length > 0) return false;
  const shorter = Math.min(a.length, b.length);
  if (one.join('').length < leastLettersOfMisspelt || shorter < 5 || a[0] !== b[0]) return false;
  return isWithinDistance(a, b, shorter >= 8 ? 2 : 1);
}

/** The words that are not among the others. Each of the others cancels one equal word. */
function without(words: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return words.filter((word) => {
    const at = left.indexOf(word);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/**
 * Whether one word becomes the other if at most this many letters are inserted, deleted, replaced or swapped with the next
 * one.
 */
export function isWithinDistance(one: string, other: string, most: 0 | 1 | 2): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > most) return false;
  // A common beginning and a common end change no distance, and most pairs differ in everything that is left.
  let [begin, end] = [0, short.length];
  while (begin < end && short[begin] === long[begin]) begin += 1;
  const longer = long.length - short.length;
  while (end > begin && short[end - 1] === long[end - 1 + longer]) end -= 1;
  if (end === begin) return true;
  if (most === 0) return false;
  const [left, right] = [short.slice(begin, end), long.slice(begin, end + longer)];
  if (most === 2) return editDistance(left, right) <= 2;
  return (
    right.length === left.length &&
    (left.length === 1 || (left.length === 2 && left[0] === right[1] && left[1] === right[0]))
  );
}

/*
 * Marks of names, in a few bytes each. If the marks of two names do not match, the names are not alike (`areLikeNames`) and
 * need not be read. If they match, the names still have to be compared.
 */

/** The length of every name's marks, in bytes. */
export const nameMarkBytes = 16;

/** For each word: two bytes for its sound, and one for its beginning. The first byte of all marks is the number of words. */
const bytesOfWord = 3;
const mostMarkedWords = (nameMarkBytes - 1) / bytesOfWord;

/** Marks in the form for comparison: a number for each word, in ascending order. Null if nothing is known about the name. */
export type NameMarks = readonly number[] | null;

/** The marks of a name; null if it has too many words. */
export function nameMarks({ spelled, heard }: PayeeName): NameMarks {
  if (heard.length > mostMarkedWords) return null;
  return heard.map((sound, at) => (hashOf(sound) << 8) | beginningOf(spelled[at] ?? '', sound)).sort(rising);
}

/** Marks in the stored form; each character represents one byte. */
export function markBytes(marks: NameMarks): string {
  const numbers = marks ?? [];
  const bytes = numbers.map((mark) => String.fromCharCode(mark >>> 16, (mark >>> 8) & 0xff, mark & 0xff));
  return `${String.fromCharCode(numbers.length)}${bytes.join('')}`.padEnd(nameMarkBytes, '\0');
}

/** Reads stored marks, beginning at this character; null if there are none. */
export function marksIn(bytes: string, from: number): NameMarks {
  const count = bytes.charCodeAt(from);
  if (count === 0) return null;
  const marks: number[] = [];
  for (let at = from + 1; marks.length < count; at += bytesOfWord) {
    marks.push((bytes.charCodeAt(at) << 16) | (bytes.charCodeAt(at + 1) << 8) | bytes.charCodeAt(at + 2));
  }
  return marks;
}

/** Whether two names with these marks can be alike. True for all names that are alike, and for few others. */
export function canBeAlike(one: NameMarks, other: NameMarks): boolean {
  if (one === null || other === null) return true;
  let [lackingInOther, lackingInOne] = [0, 0];
  let [ofOne, ofOther] = [0, 0];
  for (let left = 0, right = 0; left < one.length || right < other.length; ) {
    const [mark, otherMark] = [one[left] ?? 0, other[right] ?? 0];
    const order = right >= other.length ? -1 : left >= one.length ? 1 : (mark >> 8) - (otherMark >> 8);
    if (order <= 0) left += 1;
    if (order >= 0) right += 1;
    if (order < 0) {
      lackingInOther += 1;
      ofOne = mark;
    } else if (order > 0) {
      lackingInOne += 1;
      ofOther = otherMark;
    }
    if (lackingInOther > 1 && lackingInOne > 1) return false;
  }
  const fewest = Math.min(one.length, other.length);
  if (fewest < 2) return false;
  if (one.length <= other.length ? lackingInOther === 0 : lackingInOne === 0) return true;
  return lackingInOther === 1 && lackingInOne === 1 && beginAlike(ofOne, ofOther);
}

function rising(one: number, other: number): number {
  return one - other;
}

/** A hash of sixteen bits (FNV-1a, folded). */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at += 1) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return ((hash >>> 16) ^ hash) & 0xffff;
}

/**
 * Four bits of the first letter in the spelling, and four bits of the first letter by sound. One of the two must be equal in
 * names that are alike.
 */
function beginningOf(spelled: string, sound: string): number {
  return ((spelled.charCodeAt(0) & 0xf) << 4) | (sound.charCodeAt(0) & 0xf);
}

function beginAlike(one: number, other: number): boolean {
  const different = one ^ other;
  return (different & 0xf0) === 0 || (different & 0x0f) === 0;
}
