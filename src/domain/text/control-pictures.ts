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
