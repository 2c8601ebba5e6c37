/*
 * Arrays as parameters, each in one string. The driver writes an array element by element and Knex looks into
 * every element before: for each recorded answer that costs as much as half a request.
 */

/** For a parameter that is cast to an array of numbers, or of UUIDs; these and bigints are given as texts. */
export function numbersLiteral(values: readonly (number | string | null)[]): string {
  let literal = '';
  for (const value of values) literal += `,${value ?? 'NULL'}`;
  return `{${literal.slice(1)}}`;
}

/** For a parameter that is cast to `bytea[]`. */
export function bytesLiteral(values: readonly Buffer[]): string {
  let literal = '';
  for (const value of values) literal += `,\\\\x${value.toString('hex')}`;
  return `{${literal.slice(1)}}`;
}

/** SQL for a `text[]` whose bindings `textsBindings` gives. */
export const textsParameter = 'string_to_array(?, ?, ?)';

/**
 * The bindings of `textsParameter`: the texts in one, what separates them, and what stands for null. Answers
 * hold many quotes, and an array literal, in which each is escaped, costs both sides several times as much. What
 * PostgreSQL's texts cannot hold, the character NUL, is replaced.
 */
export function textsBindings(values: readonly (string | null)[]): [string, string, string] {
  const { separator, absent } = marksFor(values);
  let joined = '';
  for (const value of values) joined += separator + (value ?? absent);
  // Without anything it is taken for an array without elements; one element too many is never joined to a row.
  const texts = values.length === 1 && values[0] === '' ? separator : joined.slice(separator.length);
  return [texts.includes('\0') ? texts.replaceAll('\0', '\uFFFD') : texts, separator, absent];
}

/** Begins with what JSON escapes, so hardly any text holds it; a number makes it unlike any that does. */
function marksFor(values: readonly (string | null)[]): { separator: string; absent: string } {
  for (let number = 0; ; number += 1) {
    const suffix = number === 0 ? '' : String(number);
    const separator = `\x1f${suffix}`;
    const absent = `\x1e${suffix}`;
    if (values.every((value) => value === null || !(value.includes(separator) || value === absent))) {
      return { separator, absent };
    }
  }
}
