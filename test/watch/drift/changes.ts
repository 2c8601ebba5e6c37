/* Seeded changes of a known layout that a partner's file may have under the same titles, each of which sends something wrong. */

import type { Random } from '../../simulation/random.ts';
import { type ColumnKey, type Country, type CountryCode, countries, newPerson } from './layouts.ts';
import { amountText, cellOf, dayText, type MonthFile, netOf } from './months.ts';

/**
 * Changes a file in place.
 * @returns the places of the rows that are wrong by it; null where it does not concern the layout
 */
type Change = (file: MonthFile, random: Random) => number[] | null;

function placeOf({ keys }: MonthFile, ...wanted: readonly ColumnKey[]): number {
  return keys.findIndex((key) => key !== null && wanted.includes(key));
}

/** Whether the mapping reads a column, so that a change of it is sent. */
function isSent({ layout, titles }: MonthFile, place: number): boolean {
  return !(layout.mapping.ignore ?? []).includes(titles[place] ?? '');
}

function pickSent(file: MonthFile, random: Random, wanted: readonly ColumnKey[]): number {
  const places = file.keys.flatMap((key, at) =>
    key !== null && wanted.includes(key) && isSent(file, at) ? [at] : [],
  );
  return places.length === 0 ? -1 : random.pick(places);
}

/** Writes new cells into a column. @returns the rows whose cell is another one now */
function rewritten(
  { rows }: MonthFile,
  place: number,
  textOf: (cell: string, row: number) => string,
): number[] | null {
  if (place < 0) return null;
  const before = rows.map((row) => row[place] ?? '');
  const wrong: number[] = [];
  rows.forEach((row, at) => {
    row[place] = textOf(before[at] ?? '', at);
    if (row[place] !== before[at]) wrong.push(at);
  });
  return wrong.length === 0 ? null : wrong;
}

/** Some changes concern all rows, some only a part of them. */
function partly(random: Random): (row: number) => boolean {
  const share = random.pick([1, 1, 0.6, 0.35]);
  return () => random.chance(share);
}

const oneRowLow: Change = (file, random) => {
  const place = pickSent(file, random, ['account', 'phone', 'amount', 'full', 'born', 'bank']);
  // Amounts that differ each month anyway show nothing, unless one is missing.
  const isRound = random.chance(0.5) && (file.keys[place] !== 'amount' || file.layout.areSteady);
  const column = file.rows.map((row) => row[place] ?? '');
  return rewritten(file, place, (_, row) => (row > 0 ? column[row - 1] : isRound ? column.at(-1) : '') ?? '');
};

const masked: Change = (file, random) => {
  const place = pickSent(file, random, ['account', 'phone']);
  const [sign, isMasked] = [random.pick(['*', 'X', '•']), partly(random)];
  return rewritten(file, place, (cell, row) =>
    isMasked(row) ? `${sign.repeat(Math.max(cell.length - 4, 2))}${cell.slice(-4)}` : cell,
  );
};

const rounded: Change = (file, random) => {
  const place = pickSent(file, random, ['account', 'phone']);
  const [isShort, isRounded] = [random.chance(0.5), partly(random)];
  return rewritten(file, place, (cell, row) => {
    if (!isRounded(row)) return cell;
    const digits = cell.replace(/\D/g, '');
    if (digits.length < 9) return cell;
    const first = digits.slice(0, 6);
    return isShort
      ? `${first[0]}.${first.slice(1)}E+${digits.length - 1}`
      : `${cell.slice(0, cell.length - digits.length + 6)}${'0'.repeat(digits.length - 6)}`;
  });
};

const pointForThousands: Change = (file) => {
  const { habits, mapping } = file.layout;
  const place = placeOf(file, 'amount');
  if (place < 0 || mapping.decimal !== '.') return null;
  const scale = habits.decimals;
  return rewritten(file, place, (cell) => {
    const whole = cell.replaceAll(',', '').slice(0, scale === 0 ? undefined : -scale - 1);
    return whole.length > 3 ? `${whole.slice(0, -3)}.${whole.slice(-3)}` : cell;
  });
};

const otherPrefix: Change = (file, random) => {
  const place = pickSent(file, random, ['reference']);
  if (file.layout.kind !== 'customers') return null;
  const { prefix } = file.layout.habits;
  const [other, isOther] = [random.pick(['MBR-', '', 'N', 'KE/', '00']), partly(random)];
  return rewritten(file, place, (cell, row) =>
    isOther(row) ? `${other}${cell.slice(prefix.length)}` : cell,
  );
};

const netForGross: Change = (file) => {
  const [place, gross] = [placeOf(file, 'amount'), placeOf(file, 'gross')];
  if (place < 0 || !file.layout.areSteady) return null;
  return rewritten(file, place, (cell, row) =>
    gross >= 0
      ? (file.rows[row]?.[gross] ?? cell)
      : amountText(file.layout, netOf(file.people[row]?.amount ?? 0, file.layout)),
  );
};

const swapped: Change = (file, random) => {
  const pairs = (
    [
      ['gross', 'amount'],
      ['reference', 'account'],
      ['reference', 'phone'],
      ['full', 'bank'],
      ['city', 'full'],
      ['department', 'account'],
      ['email', 'full'],
      ['full', 'reference'],
    ] as const
  ).flatMap(([one, other]) => {
    const [left, right] = [placeOf(file, one), placeOf(file, other)];
    return left >= 0 && right >= 0 && (isSent(file, left) || isSent(file, right))
      ? [[left, right] as const]
      : [];
  });
  if (pairs.length === 0) return null;
  const [left, right] = random.pick(pairs);
  for (const row of file.rows) [row[left], row[right]] = [row[right] ?? '', row[left] ?? ''];
  return file.rows.map((_, at) => at);
};

const totalRow: Change = (file, random) => {
  const place = placeOf(file, 'amount');
  if (place < 0) return null;
  const { layout, rows, keys, people } = file;
  const sum = rows.reduce((total, row) => {
    const digits = (row[place] ?? '').replace(/\D/g, '');
    return total + Number(digits);
  }, 0);
  const model = random.pick(people);
  const named = random.pick(['Grand sum', 'All employees', 'Jumla kuu', 'Summe gesamt', 'Whole list']);
  rows.push(
    keys.map((key) => {
      if (key === null) return '';
      if (key === 'amount') return amountText(layout, sum);
      if (key === 'full' || key === 'first') return named;
      if (key === 'last') return '';
      // What a formula of the sheet repeats in its last line.
      if (key === 'reference') return `${layout.habits.prefix}${random.whole(90_000, 99_999)}`;
      return cellOf(layout, key, model, file.month);
    }),
  );
  return [rows.length - 1];
};

const namesExchanged: Change = (file) => {
  const [first, last, full] = [placeOf(file, 'first'), placeOf(file, 'last'), placeOf(file, 'full')];
  if (file.layout.kind === 'collections') return null;
  if (first >= 0 && last >= 0) {
    for (const row of file.rows) [row[first], row[last]] = [row[last] ?? '', row[first] ?? ''];
    return file.rows.map((_, at) => at);
  }
  if (full < 0 || file.layout.name.startsWith('suppliers')) return null;
  return rewritten(file, full, (cell) => cell.split(' ').reverse().join(' '));
};

const otherUnit: Change = (file, random) => {
  const place = placeOf(file, 'amount');
  if (place < 0) return null;
  const [factor, isOther] = [random.pick([100, 0.01, 0.001, 1_000]), partly(random)];
  const { layout } = file;
  return rewritten(file, place, (cell, row) => {
    if (!isOther(row)) return cell;
    const amount = Number(cell.replace(/\D/g, '')) * factor;
    return amountText(layout, Math.max(1, Math.round(amount)));
  });
};

const otherDays: Change = (file) => {
  const place = placeOf(file, 'born');
  const { days } = file.layout.habits;
  const other = days === 'dmy' ? 'mdy' : 'dmy';
  return rewritten(file, place, (cell, row) => {
    const born = file.people[row]?.born;
    return born === undefined ? cell : dayText(born, other);
  });
};

const otherCountry: Change = (file, random) => {
  const place = placeOf(file, 'phone');
  if (place < 0 || !isSent(file, place)) return null;
  const { layout } = file;
  const codes = (Object.keys(countries) as CountryCode[]).filter((code) => code !== layout.country);
  const country = random.pick(codes);
  const own: Country = countries[country];
  const isLocal = random.chance(0.5) && layout.habits.phones === 'local';
  return rewritten(file, place, () => {
    const { phone } = newPerson({ ...layout, country }, 1, random);
    return isLocal ? phone : `+${own.callingCode}${phone.slice(1)}`;
  });
};

const translations: Readonly<Record<string, string>> = {
  Bank: 'Banque',
  Fidelity: 'Fidélité',
  First: 'Première',
  Trust: 'Confiance',
  Guaranty: 'Garantie',
  United: 'Unie',
  of: 'de',
  for: 'pour',
  Deutsche: 'Allemande',
};

const otherLanguage: Change = (file) => {
  const place = placeOf(file, 'bank');
  return rewritten(file, place, (cell) =>
    cell
      .split(' ')
      .map((word) => translations[word] ?? word)
      .sort((one, other) => Number(other === 'Banque') - Number(one === 'Banque'))
      .join(' '),
  );
};

/** The kinds of changes, by name. */
export const changes = {
  'a column one row too low': oneRowLow,
  'account numbers masked': masked,
  'account numbers rounded': rounded,
  'a point for thousands': pointForThousands,
  'another prefix': otherPrefix,
  'net for gross': netForGross,
  'two columns swapped': swapped,
  'a total row': totalRow,
  'first and last names exchanged': namesExchanged,
  'another unit': otherUnit,
  'another order of days': otherDays,
  "another country's phones": otherCountry,
  'banks in another language': otherLanguage,
} as const satisfies Readonly<Record<string, Change>>;

export type ChangeName = keyof typeof changes;

export const changeNames = Object.keys(changes) as ChangeName[];
