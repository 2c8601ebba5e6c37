/*
 * PostgreSQL's text form of an array (its documentation, "Array Input and Output Syntax"), in one string. The
 * driver writes it element by element and Knex looks into every element before: for each recorded answer that
 * costs as much as half a request.
 */

/** For a parameter that is cast to an array of numbers; bigints are given as texts. */
export function numbersLiteral(values: readonly (number | string | null)[]): string {
  let literal = '';
  for (const value of values) literal += `,${value ?? 'NULL'}`;
  return `{${literal.slice(1)}}`;
}

/** For a parameter that is cast to `text[]`. */
export function textsLiteral(values: readonly (string | null)[]): string {
  let literal = '';
  for (const value of values) literal += value === null ? ',NULL' : `,"${escaped(value)}"`;
  return `{${literal.slice(1)}}`;
}

function escaped(text: string): string {
  return /["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text;
}
