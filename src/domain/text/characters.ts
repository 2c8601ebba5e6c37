/* Characters of a text: how they are counted, how control characters are shown, and how values are masked. */

const beyondBasicPlane = /[\u{10000}-\u{10FFFF}]/gu;

/** How many characters a text has, as people and the API count them: code points, not units of UTF-16. */
export function countCharacters(text: string): number {
  return text.length - (text.match(beyondBasicPlane)?.length ?? 0);
}

/** Whether a text has at most so many characters; a long one is not gone through. */
export function isAtMost(text: string, characters: number): boolean {
  if (text.length <= characters) return true;
  return text.length <= 2 * characters && countCharacters(text) <= characters;
}

/** Control characters but for white space, on which a terminal or spreadsheet program may act, and which nobody sees. */
const controls = /[^\P{Cc}\t\n\v\f\r\u0085]/gu;

const firstPicture = 0x2400;
const afterFirstControls = 0x20;
const deleteCharacter = 0x7f;
const deletePicture = 0x2421;

/** What `showControls` writes for control characters: for a character class. */
export const pictures = '\\u2400-\\u241f\\u2421';

/**
 * The text with each control character as Unicode's picture of it, ESC as `␛`. NUL and those that have no picture
 * become U+FFFD. What is read again is still refused: pictures are no part of a value either.
 */
export function showControls(text: string): string {
  return text.replace(controls, (control) => {
    const code = control.charCodeAt(0);
    if (code === deleteCharacter) return String.fromCharCode(deletePicture);
    return code > 0 && code < afterFirstControls ? String.fromCharCode(firstPicture + code) : '\uFFFD';
  });
}

/** The control character that a picture stands for. */
export function controlOf(picture: string): string {
  const code = picture.charCodeAt(0);
  return String.fromCharCode(code === deletePicture ? deleteCharacter : code - firstPicture);
}

const shownCharacters = 255;

/** The value with all but its last characters hidden: at most four are shown, and never more than a third. */
export function mask(value: string): string {
  const characters = Array.from(value);
  const visible = Math.min(4, Math.floor(characters.length / 3));
  return `“…${visible === 0 ? '' : characters.slice(-visible).join('')}”`;
}

/**
 * A message with the whole value where it shows only the end of it: for files that nobody but their owner may read,
 * where the value stands anyway.
 * @param value the cell that the message is about
 */
export function unmasked(message: string, value: string): string {
  const text = value.trim();
  if (text === '' || !isAtMost(text, shownCharacters)) return message;
  // Checks look at some values without the signs that only make them readable.
  const compact = text.replace(/[\s\p{Pd}.()]/gu, '');
  return [text, compact, compact.toUpperCase()].reduce(
    (shown, form) => (form === '' ? shown : shown.replaceAll(mask(form), () => `“${text}”`)),
    message,
  );
}
