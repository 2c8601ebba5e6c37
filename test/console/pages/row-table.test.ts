import { describe, expect, it } from 'vitest';
import { cellsWithFaults } from '../../../src/console/pages/cells.ts';
import { rowTable } from '../../../src/console/pages/row-table.ts';
import type { ResultRow } from '../../../src/domain/rows/result-row.ts';
import { type Message, say } from '../../../src/domain/settings/message.ts';

const batch = { id: 'b1', sheet: null, file: 'people.csv' };
const columns = ['name', 'phone', 'result_id', 'amount', 'note'];

/** A row with cells in those columns. */
function rowOf(row: number, cells: readonly string[], given: Partial<ResultRow> = {}): ResultRow {
  const none = {
    objectId: null,
    code: null,
    field: null,
    message: null,
    httpStatus: null,
    idempotencyKey: null,
  };
  const [, , , amount = ''] = cells;
  const money = amount === '' ? {} : { money: { currency: 'KES', amount } };
  return {
    row,
    cells,
    status: 'not_sent',
    ...none,
    attempts: 0,
    changedAt: '',
    notes: [],
    ...money,
    ...given,
  };
}

/** A row with a fault in each of these columns. */
function faulty(row: number, cells: readonly string[], ...titles: readonly string[]): ResultRow {
  const findings = titles.map((column) => ({
    severity: 'invalid' as const,
    column,
    field: column,
    code: 'required',
    message: `${column} is empty`,
  }));
  const [first] = findings;
  return rowOf(row, cells, {
    status: 'invalid',
    code: 'required',
    field: first?.column ?? null,
    message: first?.message ?? null,
    findings,
  });
}

const tableOf = (
  rows: readonly ResultRow[],
  wanted: string | null = null,
  naming: number | null = null,
): string =>
  rowTable(
    { may: () => true },
    { batch, columns, rows, next: null, naming },
    new Map(),
    wanted === null ? {} : { column: wanted },
  ).text;

const cellIn = (text: string, row: number, place: number): string =>
  new RegExp(`<td id="cell-${row}-${place}".*?</td>`).exec(text)?.[0] ?? '';

describe('a row of the table', () => {
  it("has the file's own columns under its own titles, and none that a result file has added", () => {
    const text = tableOf([rowOf(2, ['Amina', '+1', 'x-1', '5.00', ''])]);
    const titles = [...text.matchAll(/<th scope="col"[^>]*>([^<]*)</g)].map(([, title]) => title);
    expect(titles).toEqual(['Row', 'Status', 'name', 'phone', 'amount', 'note']);
    expect(text).not.toContain('x-1');
  });

  it('marks a faulty cell in place: the short reason in it, the whole text as its description', () => {
    const cell = cellIn(tableOf([faulty(2, ['', '+1', '', '', ''], 'name')]), 2, 0);
    expect(cell).toContain('<mark><span class="soft">empty</span></mark>');
    expect(cell).toContain('<small>required</small>');
    const [, id = ''] = /aria-describedby="([^"]+)"/.exec(cell) ?? [];
    expect(cell).toContain(`role="tooltip" id="${id}"><span>name is empty</span>`);
  });

  it('has its name in sight beside the faulty column, in the order of the file, and once where that is the same', () => {
    const rows = [faulty(2, ['', '+1', '', '', ''], 'phone')];
    const classesOf = (text: string): string[] =>
      [...text.matchAll(/<(?:table|th) [^>]*class="([^"]*(?:nam|pinned)[^"]*)"/g)].map(
        ([, names = '']) => names,
      );
    expect(classesOf(tableOf(rows, null, 0))).toEqual(['names-first', 'naming', 'pinned']);
    expect(classesOf(tableOf(rows, null, 4))).toEqual(['names-behind', 'pinned', 'naming']);
    expect(classesOf(tableOf(rows, null, 1))).toEqual(['pinned']);
  });

  it('leads from its status to its faulty cells', () => {
    const text = tableOf([faulty(3, ['', '', '', '', ''], 'phone', 'note')]);
    expect(text).toContain('<a href="#cell-3-1">phone</a>, <a href="#cell-3-4">note</a>');
    expect(cellIn(text, 3, 4)).not.toBe('');
  });

  it('says of a row as a whole what no column has', () => {
    const row = rowOf(2, ['A', '', '', '', ''], {
      status: 'rejected',
      code: 'refused',
      message: 'it <b>refused</b> it',
    });
    const text = tableOf([row]);
    expect(text).toContain('aria-describedby="why-2"');
    expect(text).toContain('&lt;b&gt;refused&lt;/b&gt;');
  });
});

describe('the column that stays in sight', () => {
  const rows = [
    faulty(2, ['', '', '', '', ''], 'name'),
    faulty(3, ['', '', '', '', ''], 'note'),
    faulty(4, ['', '', '', '', ''], 'note'),
  ];
  const pinned = (text: string): string | undefined =>
    /<th scope="col" class="pinned"[^>]*>([^<]+)/.exec(text)?.[1];

  it('is the one with the most faults', () => expect(pinned(tableOf(rows))).toBe('note'));
  it('is the one that the filter is about', () => expect(pinned(tableOf(rows, 'phone'))).toBe('phone'));
  it('is none where nothing is faulty', () =>
    expect(pinned(tableOf([rowOf(2, ['A', '', '', '', ''])]))).toBe(undefined));
});

it('aligns the amounts right, and no other number', () => {
  const text = tableOf([rowOf(2, ['A', '+254', '', '5.00', '7']), rowOf(3, ['B', '+255', '', '70.10', '8'])]);
  expect(
    [...text.matchAll(/<th scope="col" class="number"[^>]*>([^<]*)/g)].map(([, title]) => title),
  ).toEqual(['Row', 'amount']);
});

it('shows hostile cells as text', () => {
  const hostile = '"><script>alert(1)</script><img src=x>\'';
  const text = tableOf([faulty(2, [hostile, hostile, hostile, hostile, hostile], 'name', 'amount')]);
  expect(text.replace('<script src="/assets/row-grid.js" defer></script>', '')).not.toMatch(/<script|<img/);
});

it('names a field in words where the file has no column for it, and a text from outside is not changed', () => {
  const said = (message: Message): string =>
    cellsWithFaults(
      rowOf(2, ['', ''], {
        ...{ status: 'invalid', code: 'required' },
        findings: [{ severity: 'invalid', column: 'Konto', field: 'iban', code: 'required', message }],
      }),
      ['Konto', 'Ort'],
    )
      .own.flatMap(({ faults }) => faults.map(({ text }) => text))
      .join();
  expect(said(say`a value is required, here or in ${{ field: 'account_number' }}`)).toContain(
    'here or in account number',
  );
  expect(said('see account_number')).toBe('see account_number');
});
