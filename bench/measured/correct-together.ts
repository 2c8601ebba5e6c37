/* What two people do who correct one large file in the console at the same time, and how long they wait for it. */

import type pg from 'pg';
import { groupedNumber } from '../../src/domain/money/money.ts';
import type { ConsoleProgram, ConsoleVisitor } from './console-program.ts';
import { type OtherCells, phoneOf } from './customers-file.ts';
import { atMost, median, type Report } from './rounds.ts';
import { serverProcessorSecondsNow } from './server-usage.ts';

const mostMs = 300;
const mostStretchInMs = 100;
const rowsOfAPage = 100;
const sizesOfBlocks = [100, 1_000, 10_000];
const firstRow = 2;

/** A column in which one of a hundred rows is wrong, and who corrects it. */
interface WrongColumn {
  readonly user: string;
  readonly column: 'phone' | 'email';
  readonly place: number;
  readonly code: string;
  /** Of each hundred customers the wrong one, from 0. */
  readonly at: number;
  readonly wrong: (index: number) => string;
  /** Another right value in each round. */
  readonly right: (index: number, round: number) => string;
}

export const wrongColumns: readonly WrongColumn[] = [
  {
    user: 'ann',
    column: 'phone',
    place: 4,
    code: 'invalid_phone',
    at: 10,
    wrong: (index) => `07${index}`,
    right: (index, round) => phoneOf(9_000_000 + ((index * 7 + round) % 1_000_000)),
  },
  {
    user: 'ben',
    column: 'email',
    place: 3,
    code: 'invalid_email',
    at: 20,
    wrong: (index) => `amina.${index}`,
    right: (index, round) => `amina.${index}.${round}@example.com`,
  },
];

/** Of each hundred customers four are wrong: these two are left as they are. */
const otherFaults: Readonly<Record<number, OtherCells>> = {
  30: { date_of_birth: '31/02/1990' },
  40: { country: 'Atlantis' },
};

/** The cells of a customer that are not as usual. */
export function cellsOf(index: number): OtherCells {
  const own = wrongColumns.find(({ at }) => index % 100 === at);
  return own === undefined ? (otherFaults[index % 100] ?? {}) : { [own.column]: own.wrong(index) };
}

/** Somebody who has signed in, to correct a column. */
export interface Person {
  readonly visitor: ConsoleVisitor;
  readonly wrong: WrongColumn;
}

interface Asked {
  readonly id: string;
  readonly rows: number;
  readonly rounds: number;
}

/** What a person does, again in each round. @returns how long it took, in ms */
type Deed = (person: Person, round: number) => Promise<number>;

/**
 * Both do one thing after the other, each of them a number of times, at the same time.
 * @param client an open connection to the server of the ledger
 */
export async function correctTogether(
  console: ConsoleProgram,
  client: pg.Client,
  people: readonly Person[],
  asked: Asked,
): Promise<Report> {
  const lines: string[][] = [];
  const waits: number[] = [];
  const stretches: number[] = [];
  const usedInMs = async (): Promise<number> =>
    1_000 * ((await console.processorSeconds()) + (await serverProcessorSecondsNow(client)));
  for (const [name, deed] of deedsOf(asked)) {
    await Promise.all(people.map((person) => deed(person, 0)));
    await console.longestStretch();
    const usedBefore = await usedInMs();
    const taken = await Promise.all(
      people.map(async (person) => {
        const own: number[] = [];
        for (let round = 1; round <= asked.rounds; round += 1) own.push(await deed(person, round));
        return own;
      }),
    );
    const all = taken.flat();
    const used = ((await usedInMs()) - usedBefore) / all.length;
    const { byClock, byProcessor } = await console.longestStretch();
    waits.push(median(all));
    stretches.push(byClock);
    lines.push([
      name,
      ...[median(all), Math.max(...all), used, byClock, byProcessor].map((value) => value.toFixed(0)),
    ]);
  }
  return {
    title: 'Two people correct one file',
    columns: ['ms', 'median', 'max', 'processor time', 'longest stretch', 'its processor time'],
    lines,
    ratios: [
      atMost(mostMs, 'the longest median, in ms', Math.max(...waits)),
      atMost(mostStretchInMs, 'the longest stretch without an answer, in ms', Math.max(...stretches)),
    ],
    conditions: `an imported file of ${asked.rows} customers, of which four of a hundred are invalid; both at the same time, ${asked.rounds} times each, over HTTP from another program; processor time of console and server together, for each answer; the longest stretch in which the console answered nobody, and the most processor time of one`,
  };
}

/** Every action, by a name for people. */
function deedsOf({ id, rows }: Asked): [string, Deed][] {
  const batch = `/batches/${id}`;
  const middle = String(Math.floor(rows / 2));
  const deep = String(Math.floor(rows * 0.9));
  const open =
    (path: (person: Person, round: number) => string): Deed =>
    ({ visitor, ...person }, round) =>
      timeOf(() => visitor.get(path({ visitor, ...person }, round)));
  const found = (query: Readonly<Record<string, string>>): string =>
    `${batch}/rows?${new URLSearchParams(query)}`;
  return [
    ['open the work list', open(() => '/')],
    ['open the batch', open(() => batch)],
    ['open its rows', open(() => found({}))],
    ['filter by status', open(() => found({ status: 'invalid' }))],
    ['filter by reason', open(({ wrong: { code, column } }) => found({ code, column }))],
    ['open rows deep in the file', open(() => found({ after: deep }))],
    ['filter by status, from deep in the file', open(() => found({ status: 'invalid', after: deep }))],
    [
      'filter by reason, from deep in the file',
      open(({ wrong: { code, column } }) => found({ code, column, after: deep })),
    ],
    ['open one row', open((_, round) => `${batch}/rows/${Number(middle) + round}`)],
    ['search the rows for a text', open((_, round) => found({ text: `amina.${Number(deep) + round}` }))],
    [
      'search all batches for a number',
      open((_, round) => `/search?q=${encodeURIComponent(phoneOf(Number(middle) + round))}`),
    ],
    ['edit a cell', (person, round) => timeOf(() => paste(person, { id, size: 1, round }))],
    ...sizesOfBlocks
      .filter((size) => size <= rows / 100)
      .flatMap((size): [string, Deed][] => [
        ...deedsOfBlock(id, size),
        [`open the draft of ${groupedNumber(wrongColumns.length * size)} rows`, open(() => `${batch}/draft`)],
      ]),
    ['open rows with edits', open(({ wrong: { code, column } }) => found({ code, column }))],
  ];
}

/** A block that goes on beyond the page is saved first, and then checked. */
function deedsOfBlock(id: string, size: number): [string, Deed][] {
  const name = `paste ${groupedNumber(size)} lines`;
  if (size <= rowsOfAPage)
    return [[name, (person, round) => timeOf(() => paste(person, { id, size, round }))]];
  const steps = new Map<Person, string>();
  return [
    [
      name,
      (person, round) =>
        timeOf(async () => {
          const { text } = await paste(person, { id, size, round });
          steps.set(person, /data-step="(\d+)"/.exec(text)?.[1] ?? '');
        }),
    ],
    [
      `${name}: the check`,
      (person) => {
        const shown = Array.from({ length: rowsOfAPage }, (_, nth) => rowOf(person.wrong, nth));
        const fields = { step: steps.get(person) ?? '', rows: JSON.stringify(shown) };
        return timeOf(() => person.visitor.post(`/batches/${id}/draft/check`, fields));
      },
    ],
  ];
}

/** What a person's cells have now, by row. */
const typed = new Map<number, string>();

/** Pastes a block into the column of a person, from the first wrong row on, as the script of the page does. */
function paste(
  { visitor, wrong }: Person,
  { id, size, round }: { readonly id: string; readonly size: number; readonly round: number },
): ReturnType<ConsoleVisitor['post']> {
  const cells = Array.from({ length: size }, (_, nth) => {
    const [row, index] = [rowOf(wrong, nth), indexOf(wrong, nth)];
    const [before, after] = [typed.get(row) ?? wrong.wrong(index), wrong.right(index, round + size)];
    typed.set(row, after);
    return { row, before, after };
  });
  const seen = cells.slice(0, rowsOfAPage);
  const edits = JSON.stringify(seen.map(({ row, before, after }) => [row, wrong.place, before, after]));
  if (size <= rowsOfAPage) return visitor.post(`/batches/${id}/draft`, { edits });
  const block = {
    after: seen.at(-1)?.row,
    places: [wrong.place],
    lines: cells.slice(rowsOfAPage).map(({ after }) => [after]),
  };
  const { code, column } = wrong;
  return visitor.post(`/batches/${id}/draft`, { edits, block: JSON.stringify(block), code, column });
}

/** The place in the file, from 0, of a person's wrong customer. */
function indexOf({ at }: WrongColumn, nth: number): number {
  return nth * 100 + at;
}

function rowOf(wrong: WrongColumn, nth: number): number {
  return indexOf(wrong, nth) + firstRow;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAtInMs = performance.now();
  await work();
  return performance.now() - startedAtInMs;
}
