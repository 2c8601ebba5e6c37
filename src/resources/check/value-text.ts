import type { ReadingRules } from '../../domain/tables/mapping.ts';
import { controlOf, countCharacters, isAtMost, pictures } from '../../domain/text/characters.ts';
import type { ValueRefusal } from './value-result.ts';

export const longestValue = 255;

const space = 0x20;
const lastPrintable = 0x7e;

const lineBreak = /\r\n|[\n\r\t\v\f\u0085\u2028\u2029]/g;
/** Noncharacters (U+FFFE, U+FDD0, ...) are no text in any file format, and some of these cannot hold them at all. */
const unwanted = new RegExp(
  `[\\p{Cc}\\p{Cs}\\p{Noncharacter_Code_Point}\\ufffd\\u2028\\u2029${pictures}]`,
  'u',
);
const picture = new RegExp(`[${pictures}]`, 'u');
const noncharacter = /^\p{Noncharacter_Code_Point}$/u;

const namesOfCharacters: Readonly<Record<string, string>> = {
  '\n': 'a line break',
  '\r': 'a line break',
  '\u2028': 'a line break',
  '\u2029': 'a line break',
  '\u0085': 'a line break',
  '\t': 'a tab',
  '\ufffd': 'a character that was damaged when the file was saved (U+FFFD)',
};

function describeCharacter(character: string): string {
  const name = namesOfCharacters[character];
  if (name !== undefined) return name;
  if (picture.test(character)) {
    return `${character}, which stands for a control character (${codePointOf(controlOf(character))})`;
  }
  const codePoint = codePointOf(character);
  if (noncharacter.test(character)) return `a code that is no character (${codePoint})`;
  return character >= '\ud800' ? `half a character (${codePoint})` : `a control character (${codePoint})`;
}

function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Most values: printable ASCII without white space around it, empty or not too long. They need no further look. */
function isPlain(text: string): boolean {
  const { length } = text;
  if (length > longestValue) return false;
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < space || code > lastPrintable) return false;
  }
  return text.charCodeAt(0) !== space && text.charCodeAt(length - 1) !== space;
}

/**
 * The text of a value: without white space around it, in Unicode's composed form (NFC), and free of
 * control characters, of what result files show in their place, of noncharacters and of halves of characters. At most
 * 255 characters.
 */
export function readText(raw: string, lineBreaks: ReadingRules['lineBreaks']): string | ValueRefusal {
  if (isPlain(raw)) return raw;
  const joined = lineBreaks === 'space' ? raw.trim().replace(lineBreak, ' ') : raw;
  const text = joined.trim().normalize('NFC');
  const found = unwanted.exec(text);
  if (found !== null) {
    const position = countCharacters(text.slice(0, found.index)) + 1;
    const message = `contains ${describeCharacter(found[0])} as its character ${position}; take it out`;
    return { code: 'invalid_characters', message };
  }
  if (!isAtMost(text, longestValue)) {
    return { code: 'too_long', message: tooLong(text, longestValue) };
  }
  return text;
}

export function tooLong(text: string, limit: number): string {
  return `has ${countCharacters(text)} characters; ${limit} is the most`;
}
