/** What a mapping means by a text: '' for nothing, null for a value that has no counterpart; undefined: it is silent. */
export type Translate = (text: string) => string | null | undefined;

/** Case and blanks are the same to people. */
export function foldValue(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/g, '');
}

const silent: Translate = () => undefined;

/**
 * Makes the translation of a column's values. One that is there exactly counts first, then one that differs in case
 * and blanks only, unless two of these mean different things.
 */
export function createTranslation(values: ReadonlyMap<string, string | null> | undefined): Translate {
  if (values === undefined) return silent;
  const folded = new Map<string, string | null>();
  const unclear = new Set<string>();
  for (const [value, meaning] of values) {
    const key = foldValue(value);
    if (folded.has(key) && folded.get(key) !== meaning) unclear.add(key);
    folded.set(key, meaning);
  }
  return (text) => {
    const exact = values.get(text);
    if (exact !== undefined) return exact;
    const key = foldValue(text);
    return unclear.has(key) ? undefined : folded.get(key);
  };
}
