/* The files of a layout, month by month: what an honest partner sends next. */

import { stringify } from 'csv-stringify/sync';
import type { Random } from '../../simulation/random.ts';
import { type ColumnKey, type Country, countries, type Layout, newPerson, type Person } from './layouts.ts';

/** A file of one month: its cells, and whom each row is about. */
export interface MonthFile {
  readonly layout: Layout;
  readonly titles: string[];
  /** What each column holds; null for one that the layout does not have. */
  readonly keys: (ColumnKey | null)[];
  readonly rows: string[][];
  readonly people: readonly Person[];
  readonly month: number;
}

/** Writes an amount that is counted in the last decimal of the layout, as the partner does. */
export function amountText(layout: Layout, amount: number): string {
  const { decimals, point, group } = layout.habits;
  const digits = String(Math.round(amount)).padStart(decimals + 1, '0');
  const whole = decimals === 0 ? digits : digits.slice(0, -decimals);
  const grouped = group === '' ? whole : whole.replace(/(?<=\d)(?=(?:\d{3})+$)/g, group);
  return decimals === 0 ? grouped : `${grouped}${point}${digits.slice(-decimals)}`;
}

/** What is left of gross pay; more of a higher one is taken. */
export function netOf(amount: number, layout: Layout): number {
  const size = amount / (layout.usual * 10 ** layout.habits.decimals);
  return Math.round(amount * (0.9 - 0.07 * Math.min(size, 2.5)));
}

const twoDigits = (number: number): string => String(number).padStart(2, '0');

export function dayText([year, month, day]: Person['born'], order: 'dmy' | 'mdy' | 'ymd'): string {
  const [years, months, days] = [String(year), twoDigits(month), twoDigits(day)];
  if (order === 'ymd') return `${years}-${months}-${days}`;
  return order === 'dmy' ? `${days}/${months}/${years}` : `${months}/${days}/${years}`;
}

/** A cell of a person in a month. */
export function cellOf(layout: Layout, key: ColumnKey, person: Person, month: number): string {
  const { habits, country } = layout;
  const own: Country = countries[country];
  switch (key) {
    case 'reference': {
      const number = layout.areReferencesNew ? month * 1_000 + person.number : 1_000 + person.number;
      return `${habits.prefix}${number}`;
    }
    case 'full':
      return `${person.first} ${person.last}`;
    case 'amount':
      return amountText(
        layout,
        layout.columns.some(([, other]) => other === 'gross') ? netOf(person.amount, layout) : person.amount,
      );
    case 'gross':
      return amountText(layout, person.amount);
    case 'born':
      return dayText(person.born, habits.days);
    case 'phone':
      return habits.phones === 'local' ? person.phone : `+${own.callingCode}${person.phone.slice(1)}`;
    case 'email':
      return `${person.first}.${person.last}${person.number}@people.example`.toLowerCase();
    case 'period':
      return `2026-${twoDigits(month)}`;
    default:
      return person[key];
  }
}

/** The file of these people. */
export function fileOf(layout: Layout, people: readonly Person[], month: number): MonthFile {
  return {
    layout,
    titles: layout.columns.map(([title]) => title),
    keys: layout.columns.map(([, key]) => key),
    rows: people.map((person) => layout.columns.map(([, key]) => cellOf(layout, key, person, month))),
    people,
    month,
  };
}

/** The people of the first month. */
export function firstPeople(layout: Layout, random: Random): Person[] {
  return Array.from({ length: random.whole(7, 70) }, (_, at) => newPerson(layout, at + 1, random));
}

/** What is out of the ordinary in an honest month. */
export const honestHabits = [
  'nothing',
  'many joiners',
  'many leavers',
  'a raise for all',
  'a seasonal bonus',
  'another order of rows',
  'some change their account or phone',
  'names in capitals',
  'half of the people',
  'columns in another order',
  'an extra column of notes',
  'an extra empty column',
] as const;

export type HonestHabit = (typeof honestHabits)[number];

/** The same people a month later, as life goes on. */
export function nextPeople(
  layout: Layout,
  before: readonly Person[],
  random: Random,
  habit: HonestHabit,
): Person[] {
  const leaving =
    habit === 'half of the people' ? 0.5 : habit === 'many leavers' ? 0.3 : random.fraction() * 0.08;
  const raises = habit === 'a raise for all' ? 1 : random.fraction() * 0.3;
  const raise = 1.02 + 0.06 * random.fraction();
  const bonus = habit === 'a seasonal bonus' ? 1.1 + random.fraction() : 1;
  const step = layout.habits.decimals === 0 ? 100 : 1;
  const staying = before
    .filter(() => !random.chance(leaving))
    .map((person): Person => {
      let { amount } = person;
      if (!layout.areSteady) amount *= 0.5 + 1.3 * random.fraction();
      if (random.chance(raises)) amount *= raise;
      amount *= bonus;
      return { ...person, amount: Math.max(Math.round(amount / step) * step, 500) };
    });
  const joining = Math.ceil(before.length * (habit === 'many joiners' ? 0.35 : random.fraction() * 0.08));
  const last = Math.max(...before.map(({ number }) => number));
  const people = [
    ...staying,
    ...Array.from({ length: joining }, (_, at) => newPerson(layout, last + 1 + at, random)),
  ];
  if (habit === 'some change their account or phone') {
    for (let at = 0; at < Math.ceil(people.length * 0.06); at += 1) {
      const place = random.whole(0, people.length - 1);
      const person = people[place];
      if (person === undefined) continue;
      const { account, bank, phone } = newPerson(layout, 0, random);
      people[place] = { ...person, account, bank, phone };
    }
  }
  return habit === 'another order of rows' ? shuffled(people, random) : people;
}

export function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const all = [...items];
  for (let at = all.length - 1; at > 0; at -= 1) {
    const other = random.whole(0, at);
    [all[at], all[other]] = [all[other] as Item, all[at] as Item];
  }
  return all;
}

const noteTexts = [
  'moved to the new branch last month',
  'asked to be paid as before',
  'see the letter of the 3rd',
  'back from leave since Monday',
  'has a new line manager, nothing else changed',
];

/** The file of the next honest month. */
export function honestFile(
  layout: Layout,
  people: readonly Person[],
  month: number,
  random: Random,
  habit: HonestHabit,
): MonthFile {
  const file = fileOf(layout, people, month);
  if (habit === 'names in capitals') {
    const isName = file.keys.map((key) => key === 'full' || key === 'first' || key === 'last');
    const rows = file.rows.map((row) => row.map((cell, at) => (isName[at] ? cell.toUpperCase() : cell)));
    return { ...file, rows };
  }
  if (habit === 'columns in another order') {
    let order = file.titles.map((_, at) => at);
    while (order.every((from, at) => from === at)) order = shuffled(order, random);
    const placed = <Item>(items: readonly Item[]): Item[] => order.map((at) => items[at] as Item);
    return { ...file, titles: placed(file.titles), keys: placed(file.keys), rows: file.rows.map(placed) };
  }
  if (habit === 'an extra column of notes' || habit === 'an extra empty column') {
    const place = random.whole(0, file.titles.length);
    const share = habit === 'an extra empty column' ? 0 : 0.05 + random.fraction() * 0.4;
    file.titles.splice(place, 0, random.pick(['Remarks', 'Notes', 'Comment', 'Memo']));
    file.keys.splice(place, 0, null);
    for (const row of file.rows) row.splice(place, 0, random.chance(share) ? random.pick(noteTexts) : '');
  }
  return file;
}

/** The bytes of a file. */
export function csvText({ titles, rows }: Pick<MonthFile, 'titles' | 'rows'>): string {
  return stringify([titles, ...rows], { delimiter: ';' });
}
