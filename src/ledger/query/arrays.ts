/*
 * Arrays as parameters of statements, each in one string. The driver writes an array element by element and Knex examines
 * every element before: for each recorded answer that costs as much as half a request.
 */

/** An array for each of these properties of rows, as `unnest` takes them. */
export function arraysOf<Row, Name extends keyof Row>(
  rows: readonly Row[],
  ...names: readonly Name[]
): Row[Name][][] {
  return names.map((name) => rows.map((row) => row[name]));
}

/** For a parameter that is cast to an array of numbers, or of UUIDs; these and bigints are passed as texts. */
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

/** SQL for a `text[]` whose bindings `textsBindings` returns. */
export const textsParameter = 'string_to_array(?, ?, ?)';

/**
 * The bindings of `textsParameter`: the texts in one, their separator, and the text for null. Answers
 * contain many quotes, and an array literal, in which each is escaped, costs both sides several times as much. The
 * character NUL, which PostgreSQL's texts cannot contain, is replaced.
 */
export function textsBindings(values: readonly (string | null)[]): [string, string, string] {
  const { separator, absent } = marksFor(values);
  let joined = '';
  for (const value of values) joined += separator + (value ?? absent);
  // An empty text would result in an array without elements. One element too many is never joined to a row.
  const texts = values.length === 1 && values[0] === '' ? separator : joined.slice(separator.length);
  return [texts.includes('\0') ? texts.replaceAll('\0', '\uFFFD') : texts, separator, absent];
}

/**
 * It begins with a character that JSON escapes, so hardly any text contains it. A number makes it differ from any
 * text that does.
 */
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

/* Keys of payees: texts with a byte in each character. */

/** Keys as a parameter that is cast to `bytea[]`. All are written in hex at once: one by one is slower than the look-up. */
export function byteKeys(keys: readonly string[]): string {
  const hex = Buffer.from(keys.join(''), 'latin1').toString('hex');
  let [literal, from] = ['', 0];
  for (const { length } of keys) {
    literal += `,\\\\x${hex.slice(2 * from, 2 * (from + length))}`;
    from += length;
  }
  return `{${literal.slice(1)}}`;
}

/** The length of a payee's key. */
export const keyBytes = 16;

/**
 * SQL of keys that are concatenated in one parameter, as `g` with their places `n`. For the keys of whole files: writing
 * and reading them as a list takes longer than the look-up.
 */
export const eachOfKeys = `(SELECT n, substr(k.keys, ${keyBytes} * n + 1, ${keyBytes}) AS key
  FROM (SELECT ?::bytea AS keys) k CROSS JOIN generate_series(0, length(k.keys) / ${keyBytes} - 1) n) g`;

/** The parameter of `eachOfKeys`. */
export function packed(keys: readonly string[]): Buffer {
  return Buffer.from(keys.join(''), 'latin1');
}
