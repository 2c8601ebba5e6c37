import { expect, it } from 'vitest';
import { AttentionCollector, hasFewValues } from '../../src/account/attention.ts';
import type { Attention } from '../../src/domain/batches/account.ts';
import type { ResultRow } from '../../src/domain/rows/result-row.ts';
import { say } from '../../src/domain/settings/message.ts';
import { mask } from '../../src/domain/text/characters.ts';
import { sampleRow } from './sample-rows.ts';

function attentionOf(rows: readonly ResultRow[]): Attention {
  const collector = new AttentionCollector(['name', 'Phone']);
  for (const row of rows) collector.add(row);
  return collector.result();
}

it('rows that are done need none', () => {
  const rows = [
    sampleRow(),
    sampleRow({ row: 3, status: 'held' }),
    sampleRow({ row: 4, status: 'existing' }),
  ];
  const attention = attentionOf(rows);
  expect(attention.rows).toBe(1);
  expect(attention.groups).toMatchObject([{ status: 'held', places: [{ value: 'rec_1', rows: '3' }] }]);
});

it('a message is listed once, with its rows by their values', () => {
  const values = ['071', '071', '072', '071'];
  const rows = values.map((value, index) =>
    sampleRow({
      row: index + 2,
      cells: ['Amina', value],
      status: 'invalid',
      code: 'invalid_phone',
      field: 'Phone',
      message: 'Phone: …',
      findings: [
        {
          ...{ severity: 'invalid', field: 'phone_number', column: 'Phone', code: 'invalid_phone' },
          message: say`${{ value: mask(value), isMasked: true }} is no phone number`,
        },
      ],
      objectId: null,
    }),
  );
  const attention = attentionOf(rows);
  expect(attention.groups).toEqual([
    {
      status: 'invalid',
      code: 'invalid_phone',
      column: 'Phone',
      rows: 4,
      message: '“…” is no phone number',
      example: '“…1” is no phone number',
      places: [
        { value: '071', rowCount: 3, rows: '2–3, 5' },
        { value: '072', rowCount: 1, rows: '4' },
      ],
    },
  ]);
  const same = attentionOf(rows.slice(0, 2));
  expect(same.groups[0]?.message).toBe('“071” is no phone number');
});

it('rows whose reasons name different rows have one reason', () => {
  const held = (row: number) =>
    sampleRow({
      ...{ row, status: 'held', code: 'payee_details_changed', objectId: null },
      message: `The payee had other account details before: row ${row} of batch b1000000.`,
    });
  expect(attentionOf([held(2)]).groups).toMatchObject([{ message: held(2).message }]);
  const { groups } = attentionOf([held(2), held(3), held(7)]);
  expect(groups).toMatchObject([
    { rows: 3, message: 'The payee had other account details before.', example: held(2).message },
  ]);
});

it('every finding of a row is listed, each under its own reason', () => {
  const finding = (column: string, code: string) => ({
    severity: 'invalid' as const,
    field: column,
    column,
    code,
    message: `${column} is wrong`,
  });
  const findings = [finding('name', 'required'), finding('Phone', 'invalid_phone')];
  const attention = attentionOf([
    sampleRow({ status: 'invalid', code: 'required', field: 'name', message: 'both', findings }),
    // What was decided since has taken the place of what was found.
    sampleRow({ row: 3, status: 'invalid', code: 'unknown_institution', message: 'gone', findings }),
  ]);
  expect(attention.groups.map(({ code, message, rows }) => [code, message, rows])).toEqual([
    ['required', 'name is wrong', 1],
    ['invalid_phone', 'Phone is wrong', 1],
    ['unknown_institution', 'gone', 1],
  ]);
});

it('many values and many rows of one reason have a limit', () => {
  const rows = Array.from({ length: 3000 }, (_, index) =>
    sampleRow({
      row: 2 * index + 2,
      cells: ['', `${index < 1000 ? index : 'x'}`],
      status: 'invalid',
      code: 'bad',
      field: 'Phone',
      message: 'is bad',
      objectId: null,
    }),
  );
  const attention = attentionOf(rows);
  const [group] = attention.groups;
  expect(group?.rows).toBe(3000);
  expect(group?.places).toHaveLength(31);
  expect(group?.places.at(-1)).toMatchObject({ value: null, rowCount: 2970 });
  // A thousand values may be personal, however many rows have one that is not listed.
  expect(group === undefined || hasFewValues(group)).toBe(false);
  expect(group?.places.at(-1)?.rows).toMatch(/ and 2,930 more$/);
});

it('the kept reasons have a limit, even if every row has its own reason', () => {
  const rows = Array.from({ length: 5000 }, (_, index) =>
    sampleRow({ row: index + 2, status: 'rejected', code: `code_${index}` }),
  );
  const attention = attentionOf(rows);
  expect(attention.rows).toBe(5000);
  expect(attention.groups).toHaveLength(200);
  expect(attention.groups[0]).toMatchObject({ code: null, rows: 4000 });
  expect(attention.groupsLeftOut).toBe(801);
});

it('created rows whose answer contradicts what was sent come before everything else', () => {
  const contradicted = sampleRow({ row: 9, code: 'answer_differs', message: 'amount (sent 1, answered 2)' });
  const rows = [
    sampleRow(),
    sampleRow({ row: 3, status: 'held' }),
    sampleRow({ row: 4, status: 'held' }),
    contradicted,
    // A code of the API on a row that it refused does not count as a contradiction.
    sampleRow({ row: 10, status: 'rejected', code: 'answer_differs' }),
  ];
  const attention = attentionOf(rows);
  expect(attention).toMatchObject({ rows: 4, contradicted: 1 });
  expect(attention.groups.map(({ status }) => status)).toEqual(['created', 'held', 'rejected']);
  expect(attention.groups[0]).toMatchObject({
    status: 'created',
    code: 'answer_differs',
    places: [{ rows: '9' }],
  });
});
