/* Days whose month is a word: `07-ene-1979`, `22 août 1973`, `March 9, 1985`, `7.VI.1984`. The order of their parts is unambiguous. */

import { withPlainDigits } from '../../domain/text/characters.ts';

/** The parts of a day as digits, as written in the text. */
export interface DayParts {
  /** Four digits, or the last two. */
  readonly year: string;
  readonly month: string;
  readonly day: string;
}

/** Languages that partners write. The names of their months come from the Unicode CLDR through `Intl`. */
const languages = (
  'en es pt fr it ca de nl da nb sv fi is et lv lt pl cs sk hu ro bg mk hr sl sr uk ru el sq tr az id ms fil sw af so ' +
  'vi'
).split(' ');

/** Languages in which people also shorten a month to its first three letters, although the CLDR has another short form. */
const cutToThree: ReadonlySet<string> = new Set(['en', 'es', 'pt', 'fr', 'it', 'de', 'nl', 'id', 'fil']);
const monthsOfYear = 12;

function folded(word: string): string {
  return word
    .normalize('NFKD')
    .replace(/[\p{M}.]/gu, '')
    .toLowerCase();
}

/** The names of each month in one language: long and short, alone and next to a day. */
function namesOf(language: string): readonly (readonly string[])[] {
  const styles = [
    { month: 'long' },
    { month: 'short' },
    { month: 'long', day: 'numeric' },
    { month: 'short', day: 'numeric' },
  ] as const;
  const formats = styles.map((style) => new Intl.DateTimeFormat(language, { ...style, timeZone: 'UTC' }));
  return Array.from({ length: monthsOfYear }, (_, month) => {
    const day = new Date(Date.UTC(2000, month, 15));
    const names = formats.map((format) =>
      folded(format.formatToParts(day).find(({ type }) => type === 'month')?.value ?? ''),
    );
    const cut = cutToThree.has(language) ? [names[0]?.slice(0, 3) ?? ''] : [];
    return [...names, ...cut].filter((name) => /^\p{L}{3,}$/u.test(name));
  });
}

let numbers: ReadonlyMap<string, number | null> | undefined;

/** The number of a month by each of its names; null for a name that means another month in another language. */
function monthNumbers(): ReadonlyMap<string, number | null> {
  if (numbers !== undefined) return numbers;
  const found = new Map<string, number | null>();
  for (const language of languages) {
    for (const [index, names] of namesOf(language).entries()) {
      const month = index + 1;
      for (const name of names) {
        const known = found.get(name);
        found.set(name, known === undefined || known === month ? month : null);
      }
    }
  }
  numbers = found;
  return found;
}

let weekdays: ReadonlySet<string> | undefined;

/** A text without the name of a weekday and its comma at the beginning: `dimarts, 21 de maig de 1963`. */
function withoutWeekday(text: string): string {
  const [all = '', word = ''] = /^(\p{L}+)[.,]?\s+/u.exec(text) ?? [];
  if (word === '') return text;
  weekdays ??= new Set(
    languages.flatMap((language) =>
      (['long', 'short'] as const).flatMap((weekday) => {
        const format = new Intl.DateTimeFormat(language, { weekday, timeZone: 'UTC' });
        return Array.from({ length: 7 }, (_, at) => folded(format.format(Date.UTC(2000, 0, 1 + at))));
      }),
    ),
  );
  return weekdays.has(folded(word)) ? text.slice(all.length) : text;
}

const between = String.raw`[\s./,-]*(?:(?:de|del|of)\s+|d['’])?`;
const word = String.raw`(?<word>\p{L}{3,})`;
const day = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th|er|[.ºª°])?`;
const year = String.raw`(?<year>\d{4}|\d{2})(?:\s?(?:г|р)\.?)?`;
const orders: readonly RegExp[] = [
  new RegExp(`^${day}${between}${word}${between}${year}$`, 'u'),
  new RegExp(`^${word}${between}${day}[\\s.,-]+${year}$`, 'u'),
  // If the first part has only two digits, it could be a day. So the year needs four digits here.
  new RegExp(String.raw`^(?<year>\d{4})${between}${word}${between}${day}$`, 'u'),
];

/** Months as Roman numerals, which people write in many countries of Europe: `7.VI.1984`. */
const romanMonths = 'i ii iii iv v vi vii viii ix x xi xii'.split(' ');
const romanDay = /^(?<day>\d{1,2})[\s./-]+(?<month>[ivx]{1,4})[\s./-]+(?<year>\d{4})\.?$/;

/** The parts of a day whose month is a word in one of the known languages, or a Roman numeral; undefined for another text. */
export function dayInWords(text: string): DayParts | undefined {
  const plain = withPlainDigits(text.trim()).toLowerCase().normalize('NFC');
  const roman = romanDay.exec(plain)?.groups;
  const romanMonth = romanMonths.indexOf(roman?.['month'] ?? '') + 1;
  if (romanMonth > 0)
    return { year: roman?.['year'] ?? '', month: String(romanMonth), day: roman?.['day'] ?? '' };
  if (!/\p{L}{3}/u.test(plain)) return undefined;
  for (const order of orders) {
    const parts = order.exec(withoutWeekday(plain))?.groups;
    const month = parts === undefined ? undefined : monthNumbers().get(folded(parts['word'] ?? ''));
    if (month !== undefined && month !== null)
      return { year: parts?.['year'] ?? '', month: String(month), day: parts?.['day'] ?? '' };
  }
  return undefined;
}
