const shownLength = 40;

/** The value in quotation marks, shortened, and without characters that would disturb a terminal or a table. */
export function shorten(value: string): string {
  const characters = [...value.replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, '\ufffd')];
  if (characters.length <= shownLength) return `“${characters.join('')}”`;
  return `“${characters.slice(0, shownLength - 1).join('')}…”`;
}

/** Alternatives in a sentence: `a, b or c`. */
export function eitherOf(values: readonly string[]): string {
  if (values.length < 2) return values.join('');
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}
