/* Text as people write it: comparison of names, placeholders, digits, characters and lines. */

/** A name without regard to case, accents and spaces, for the comparison of names as people write them. */
export function foldName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[\p{M}\s]/gu, '')
    .toLowerCase();
}

function pairsOf(folded: string): Map<string, number> {
  const pairs = new Map<string, number>();
  const padded = `^${folded}$`;
  for (let at = 0; at + 1 < padded.length; at += 1) {
    const pair = padded.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** Dice's coefficient of the letter pairs of two names: 0 if they have nothing in common, 1 if they are the same. */
function similarity(left: Map<string, number>, right: Map<string, number>): number {
  let shared = 0;
  let total = 0;
  for (const [pair, count] of left) {
    shared += Math.min(count, right.get(pair) ?? 0);
    total += count;
  }
  for (const count of right.values()) total += count;
  return (2 * shared) / total;
}

/**
 * Creates a search for the most similar names in a fixed list, best first. `atLeast` excludes less similar names: 0 allows
 * any common letter pair, 1 only the same name.
 */
export function createNameSearch(
  names: readonly string[],
): (name: string, atMost: number, atLeast?: number) => readonly string[] {
  let prepared: { name: string; pairs: Map<string, number> }[] | undefined;
  return (name, atMost, atLeast = 0) => {
    prepared ??= names.map((candidate) => ({ name: candidate, pairs: pairsOf(foldName(candidate)) }));
    const wanted = pairsOf(foldName(name));
    return prepared
      .map((candidate) => ({ name: candidate.name, score: similarity(wanted, candidate.pairs) }))
      .filter(({ score }) => score > 0 && score >= atLeast)
      .sort((left, right) => right.score - left.score || (left.name < right.name ? -1 : 1))
      .slice(0, atMost)
      .map((candidate) => candidate.name);
  };
}

/** Words for a missing value, as defined in formats of bank statements. */
const placeholderWord = /^(?:NON?REF|NOTPROVIDED|NOTAVAILABLE|NOTAPPLICABLE|NONE|NULL|NIL|NA|UNKNOWN)?$/;

/** Whether a name is a placeholder. Two records with the same placeholder need not belong together. */
export function isPlaceholder(name: string): boolean {
  return placeholderWord.test(lettersAndFigures(name));
}

/** Whether the number that a bank gives an entry is a placeholder; zeros are one too. */
export function isPlaceholderNumber(number: string): boolean {
  return isPlaceholder(number) || /^0+$/.test(lettersAndFigures(number));
}

function lettersAndFigures(text: string): string {
  return text.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/* Digits of other scripts. */

/**
 * The zeros of the scripts with whose digits people write numbers, from Arabic to full-width. The digits 1 to 9 follow each
 * zero.
 */
const zeros = [
  ...[0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66],
  ...[0xe50, 0xed0, 0xf20, 0x1040, 0x17e0, 0x1810, 0xff10],
];

const otherDigit = /[^\P{Nd}0-9]/u;
const otherDigits = /[^\P{Nd}0-9]/gu;

/** Whether a text has digits of another script, such as `٣` or `३`. */
export function hasOtherDigits(text: string): boolean {
  return otherDigit.test(text);
}

const fullWidthDigit = /[\uff10-\uff19]/u;
/** Letters and signs of full width, and the full-width space. */
const fullWidth = /[\uff01-\uff0f\uff1a-\uff5e\uffe1\uffe5\uffe6\u3000]/u;
const allFullWidth = new RegExp(fullWidth, 'gu');
/** A long vowel mark between digits. */
const vowelMarkBetween = /\d\u30fc(?=\d)/u;
/** A long vowel mark, hyphen or minus between digits. On a Japanese keyboard people type these for a hyphen. */
const hyphenBetween = /(?<=\d)[\u30fc\u2010-\u2015\u2212](?=\d)/gu;

function withPlainSigns(text: string): string {
  return text.replace(allFullWidth, (sign) => sign.normalize('NFKC')).replace(hyphenBetween, '-');
}

/** Whether a text with digits has letters or signs of full width: `03－1234`, `ＡＢ12`, `1，500`. */
function hasWideSigns(text: string): boolean {
  return (fullWidth.test(text) && /\p{Nd}/u.test(text)) || vowelMarkBetween.test(text);
}

/** Whether a number is not written with plain digits and signs only. */
export function isWrittenOtherwise(text: string): boolean {
  return hasOtherDigits(text) || hasWideSigns(text);
}

/**
 * The text with the digits 0 to 9 instead of digits of other scripts, and with plain signs in amounts. Full-width letters
 * and signs next to digits become plain: `０９０－１２３４` and `090－1234` become `090-1234`.
 */
export function withPlainDigits(text: string): string {
  const isWide = hasWideSigns(text);
  if (!isWide && !hasOtherDigits(text)) return text;
  const plain = text
    .replace(otherDigits, (digit) => {
      const code = digit.codePointAt(0) ?? 0;
      const zero = zeros.find((first) => code >= first && code <= first + 9);
      return zero === undefined ? digit : String(code - zero);
    })
    .replaceAll('\u066b', '.')
    .replaceAll('\u066c', ',');
  return isWide || fullWidthDigit.test(text) ? withPlainSigns(plain) : plain;
}

const twoLetters = /(?:\p{L}\p{M}*){2}/u;
const threeLetters = /(?:\p{L}\p{M}*){3}/u;

/**
 * Whether a text has at least this number of letters in a row. In scripts such as Devanagari a letter may have its vowel sign
 * behind it.
 */
export function hasLetters(text: string, count: 2 | 3): boolean {
  return (count === 2 ? twoLetters : threeLetters).test(text);
}

/* Characters of a text: how they are counted, how control characters are shown, and how values are masked. */

const beyondBasicPlane = /[\u{10000}-\u{10FFFF}]/gu;

/** The number of characters in a text as people and the API count them: code points, not UTF-16 units. */
export function countCharacters(text: string): number {
  return text.length - (text.match(beyondBasicPlane)?.length ?? 0);
}

/** Whether a text has at most this many characters. A long text is not counted to its end. */
export function isAtMost(text: string, characters: number): boolean {
  if (text.length <= characters) return true;
  return text.length <= 2 * characters && countCharacters(text) <= characters;
}

/** Control characters except white space. They are invisible, and a terminal or spreadsheet program may execute them. */
const controls = /[^\P{Cc}\t\n\v\f\r\u0085]/gu;

const firstPicture = 0x2400;
const afterFirstControls = 0x20;
const deleteCharacter = 0x7f;
const deletePicture = 0x2421;

/** The characters that `showControls` writes for control characters, for use in a character class. */
export const pictures = '\\u2400-\\u241f\\u2421';

/**
 * The text with each control character replaced by Unicode's picture of it, for example ESC by `␛`. NUL, and control
 * characters without a picture, become U+FFFD. A file with such pictures is still refused, since they are not part of a
 * value either.
 */
export function showControls(text: string): string {
  return text.replace(controls, (control) => {
    const code = control.charCodeAt(0);
    if (code === deleteCharacter) return String.fromCharCode(deletePicture);
    return code > 0 && code < afterFirstControls ? String.fromCharCode(firstPicture + code) : '\uFFFD';
  });
}

const lineBreaks = /\r\n?|[\n\u2028\u2029]/g;
const [lineBreakSign, tabSign] = ['⏎', '⇥'];

/**
 * A value of several lines as one line: each line break becomes the sign of the Enter key, and each tab the sign of the tab
 * key.
 */
export function showBreaks(text: string): string {
  return text.replace(lineBreaks, lineBreakSign).replaceAll('\t', tabSign);
}

/**
 * The text that a person typed or pasted with these signs, with line breaks and tabs in their place. The signs themselves
 * are never sent.
 */
export function withBreaks(shown: string): string {
  return shown.replaceAll(lineBreakSign, '\n').replaceAll(tabSign, '\t');
}

/** The control character that a picture represents. */
export function controlOf(picture: string): string {
  const code = picture.charCodeAt(0);
  return String.fromCharCode(code === deletePicture ? deleteCharacter : code - firstPicture);
}

/** The value with all but its last characters hidden. At most four characters are shown, and never more than a third. */
export function mask(value: string): string {
  const characters = Array.from(value);
  const visible = Math.min(4, Math.floor(characters.length / 3));
  return `“…${visible === 0 ? '' : characters.slice(-visible).join('')}”`;
}

/* Lines of a text that arrives in chunks. */

/**
 * Lines that end with a newline; the last one may lack it. `readline` in newer Node.js versions also ends a line at U+2028
 * and U+2029, which JSON may contain unescaped.
 */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of pieces) {
    const [first = '', ...others] = piece.split('\n');
    rest += first;
    for (const other of others) {
      yield rest;
      rest = other;
    }
  }
  if (rest !== '') yield rest;
}

/**
 * How many letters have to be inserted, deleted, replaced or swapped with the next one to turn one word into the other. No
 * part is changed twice (optimal string alignment).
 */
export function editDistance(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let at = 1; at <= right.length; at += 1) {
      const isSame = left[row - 1] === right[at - 1];
      const replaced = (last[at - 1] ?? 0) + (isSame ? 0 : 1);
      let least = Math.min(replaced, (last[at] ?? 0) + 1, (current[at - 1] ?? 0) + 1);
      const isExchanged =
        row > 1 && at > 1 && left[row - 1] === right[at - 2] && left[row - 2] === right[at - 1];
      if (isExchanged) least = Math.min(least, (beforeLast[at - 2] ?? 0) + 1);
      current.push(least);
    }
    beforeLast = last;
    last = current;
  }
  return last[right.length] ?? 0;
}

/** Text from outside, without characters that could move the cursor, change colours or reverse the direction of the text. */
export function printable(text: string): string {
  return showBreaks(text).replace(/[\p{Cc}\p{Cf}]/gu, '\uFFFD');
}

/**
 * A text as a part of a regular expression that matches it literally, outside of brackets. A hyphen has no meaning there, and to
 * escape it is an error in a pattern of Unicode.
 */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
