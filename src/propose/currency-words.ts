import { currencyCodes, isSignOf } from '../kinds/fields/amount.ts';

/** Reads currencies that are named in words, in any language: Unicode's CLDR, which Node.js has, knows their names. */

/** Languages of the countries whose partners send files. */
const languages =
  'en fr es pt de it nl pl cs sk hu ro bg hr sl sr el tr ru uk sv da nb fi et lv lt sw am ar he hi ur bn id ms vi th zh ja ko zu'.split(
    ' ',
  );

let known: ReadonlyMap<string, string | null> | undefined;

/** The code of ISO 4217 that a name means; undefined where it is none, or the name of several. */
export function currencyNamed(text: string): string | undefined {
  known ??= names();
  const named = known.get(folded(text));
  if (named !== undefined) return named ?? undefined;
  const [only, another] = currencyCodes.filter((code) => isSignOf(text, code));
  return another === undefined ? only : undefined;
}

/** Every name of each currency, in the singular and the plural; null for a name of several. */
function names(): ReadonlyMap<string, string | null> {
  const all = new Map<string, string | null>();
  const add = (name: string, code: string): void => {
    const key = folded(name);
    // In some languages the name is a sign, which says nothing about other signs.
    if (key === '') return;
    const before = all.get(key);
    all.set(key, before === undefined || before === code ? code : null);
  };
  for (const language of languages) {
    const single = new Intl.DisplayNames([language], { type: 'currency' });
    for (const code of currencyCodes) {
      add(single.of(code) ?? code, code);
      const counted = new Intl.NumberFormat(language, {
        style: 'currency',
        currency: code,
        currencyDisplay: 'name',
      });
      for (const count of [1, 2, 5]) {
        const name = counted.formatToParts(count).find(({ type }) => type === 'currency')?.value;
        if (name !== undefined) add(name, code);
      }
    }
  }
  return all;
}

function folded(text: string): string {
  return text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
