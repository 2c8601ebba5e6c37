export const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

const special = /[&<>"']/;
const specials = /[&<>"']/g;
const unusual = /[^\P{Cc}\t\n]|\p{Cs}|[\ufffe\uffff]|_x[\dA-Fa-f]{4}_/u;

/** Text as it stands in XML, in an attribute too. */
export function escapeXml(text: string): string {
  if (!special.test(text)) return text;
  return text.replace(specials, (sign) => `&#${sign.charCodeAt(0)};`);
}

/**
 * A cell's text. Spreadsheet programs read `_x0041_` as a character, so an underscore before such is written in that
 * way itself. What XML cannot hold becomes U+FFFD, which is refused when it is read, as it was before.
 */
export function escapedCellText(text: string): string {
  if (!unusual.test(text)) return escapeXml(text);
  return escapeXml(
    text
      .replace(/_(?=x[\dA-Fa-f]{4}_)/g, '_x005F_')
      .replaceAll('\r', '_x000D_')
      .replace(/[^\P{Cc}\t\n]|\p{Cs}|[\ufffe\uffff]/gu, '\ufffd'),
  );
}

/** A column's letters by its index from 0: 0 is `A`, 26 is `AA`. */
export function columnLetters(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnLetters(Math.floor(index / 26) - 1) + letter;
}
