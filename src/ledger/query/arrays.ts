/*
 * Arrays as parameters of statements, each as one string. As an array, the driver would write it element by element, and
 * Knex would examine every element before. For each recorded answer that costs half as much as a request.
 */

/** One array for each of these properties of rows, as `unnest` needs them. */
export function arraysOf<Row, Name extends keyof Row>(
  rows: readonly Row[],
  ...names: readonly Name[]
): Row[Name][][] {
  return names.map((name) => rows.map((row) => row[name]));
}

/** For a parameter that is cast to an array of numbers or UUIDs. UUIDs and bigints are passed as texts. */
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
 * The bindings of `textsParameter`: the joined texts, their separator, and the text that represents null. Answers contain
 * many quotes. An array literal would escape each one, which costs both sides several times as much. PostgreSQL's texts
 * cannot contain the character NUL, so it is replaced.
 */
export function textsBindings(values: readonly (string | null)[]): [string, string, string] {
  const { separator, absent } = marksFor(values);
  let joined = '';
  for (const value of values) joined += separator + (value ?? absent);
  // An empty text would result in an array without elements. The additional element here is never joined to a row.
  const texts = values.length === 1 && values[0] === '' ? separator : joined.slice(separator.length);
  return [texts.includes('\0') ? texts.replaceAll('\0', '\uFFFD') : texts, separator, absent];
}

/**
 * A separator and a text for null that no value contains. They begin with a character that JSON escapes, so hardly any text
 * contains them. If a text does, a number makes them different.
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

/* Keys of payees. Each character of such a text represents one byte. */

/**
 * Keys for a parameter that is cast to `bytea[]`. All keys are converted to hex at once, since converting them one by one
 * takes longer than the look-up.
 */
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
 * SQL of keys that are concatenated in one parameter, as `g` with their indexes `n`. It is for the keys of whole files.
 * Writing and reading them as an array takes longer than the look-up.
 */
export const eachOfKeys = `(SELECT n, substr(k.keys, ${keyBytes} * n + 1, ${keyBytes}) AS key
  FROM (SELECT ?::bytea AS keys) k CROSS JOIN generate_series(0, length(k.keys) / ${keyBytes} - 1) n) g`;

/** The parameter of `eachOfKeys`. */
export function packed(keys: readonly string[]): Buffer {
  return Buffer.from(keys.join(''), 'latin1');
}
