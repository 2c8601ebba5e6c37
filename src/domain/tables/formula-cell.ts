/** What a spreadsheet program takes for the beginning of a formula, behind any apostrophes that guard it. */
const looksLikeFormula = /^'*[=+\-@\t\r]/;
const apostrophe = 0x27;
/** `@`, the last in the order of characters that a formula can begin with. */
const lastOfFormula = 0x40;
const isProtected = /^'+[=+\-@\t\r]/;

/**
 * The cell as it is written to a CSV file: with one apostrophe in front when a spreadsheet program would
 * take it for a formula. Text that looks protected already gets one more, since reading takes one off:
 * for every text, `unprotectCell(protectCell(text))` is that text.
 */
export function protectCell(text: string): string {
  // Every cell of every result file comes by here: letters, and nearly all digits, begin no formula.
  if (text.charCodeAt(0) > lastOfFormula) return text;
  return looksLikeFormula.test(text) ? `'${text}` : text;
}

/**
 * The cell as it is meant: without the one apostrophe that guards a formula's first character. It has to
 * be called exactly once for each cell that is read; calling it twice would take a meant apostrophe off.
 */
export function unprotectCell(text: string): string {
  // Every cell of every file comes by here, and hardly any begins with an apostrophe.
  if (text.charCodeAt(0) !== apostrophe) return text;
  return isProtected.test(text) ? text.slice(1) : text;
}
