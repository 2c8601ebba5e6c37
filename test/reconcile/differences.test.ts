import { expect, it } from 'vitest';
import type { RowAdvice } from '../../src/domain/rows/ledger-row.ts';
import type { ExplainedLine } from '../../src/reconcile/comparing/compare.ts';
import {
  answerDifference,
  comparedDifference,
  contradictionDifference,
  sourceDifference,
  undecidedDifference,
} from '../../src/reconcile/differences.ts';

it('a row of the file beside that of the ledger has each cell of both, and marks those that differ', () => {
  const header = ['name', 'amount'];
  const both = sourceDifference(
    { row: 3, file: ['Ann', '1'], ledger: ['Ann', '2', 'more'] },
    header,
    'a.csv',
  );
  expect(both).toMatchObject({ kind: 'cells_differ', row: 3, there: { file: 'a.csv', row: 3 } });
  expect(both.values).toEqual([
    { name: 'name', here: 'Ann', there: 'Ann', differs: false },
    { name: 'amount', here: '2', there: '1', differs: true },
    { name: 'column 3', here: 'more', there: '', differs: true },
  ]);
  const added = sourceDifference({ row: 4, file: ['Ben', ''], ledger: null }, header, 'a.csv');
  expect(added).toMatchObject({ kind: 'not_in_ledger', row: null, there: { row: 4 } });
  expect(added.values).toEqual([{ name: 'name', here: null, there: 'Ben', differs: true }]);
  const lost = sourceDifference({ row: 5, file: null, ledger: ['Cleo', '3'] }, header, 'a.csv');
  expect(lost).toMatchObject({ kind: 'not_in_file', row: 5, there: null });
});

it('an answer has what was sent at the left, and what came back at the right', () => {
  const differing = [{ field: 'currency', as: 'code', sent: 'KES', answered: 'USD' }] as const;
  expect(answerDifference({ row: 2, objectId: 'o-1', differing }).values).toEqual([
    { name: 'id', here: 'o-1', there: 'o-1', differs: false },
    { name: 'currency', here: 'KES', there: 'USD', differs: true },
  ]);
});

it('rows with one natural key and two ids are reported with their batches', () => {
  const own = '11111111-0000-4000-8000-000000000000';
  const other = '22222222-0000-4000-8000-000000000000';
  const rows = [
    { batch: other, row: 7 },
    { batch: own, row: 2 },
  ];
  const found = contradictionDifference({ kind: 'natural_key', objectIds: ['a', 'b'], rows }, own);
  expect(found).toMatchObject({ kind: 'two_ids', row: 2 });
  expect(found.values).toEqual([
    { name: 'rows', here: 'row 7 of batch 22222222, row 2', there: null, differs: false },
    { name: 'id', here: null, there: 'a, b', differs: true },
  ]);
});

it('a row that waits for a verdict has what is known of it, and what to do', () => {
  const advice: RowAdvice = {
    row: 9,
    status: 'unknown',
    key: 'k-1',
    attempts: 2,
    name: 'Ann',
    amount: '',
    reference: 'R-1',
    age: '1 day',
    known: 'timed out',
    advice: { action: 'ask_provider' },
  };
  const found = undecidedDifference(advice);
  expect(found).toMatchObject({
    kind: 'undecided',
    row: 9,
    status: 'unknown',
    action: { action: 'ask_provider' },
  });
  expect(found.values.map(({ name, here }) => `${name} ${here}`)).toEqual([
    'name Ann',
    'reference R-1',
    'key k-1',
    'requests 2',
  ]);
});

const record = {
  file: 0,
  row: 2,
  id: 'o-1',
  reference: 'R-1',
  amount: '10.00',
  currency: 'KES',
  day: '2026-06-01',
  fields: ['Ann', null],
  status: 'created',
  words: null,
} as const;

const line: ExplainedLine = {
  state: 'mismatched',
  pass: 'id',
  link: null,
  here: record,
  there: { ...record, file: 1, row: 5, amount: '12.00', fields: ['Ann', 'x'], status: null },
  isCertain: true,
  repeats: null,
  place: null,
  sums: null,
  differences: [{ field: 'amount', here: '10.00', there: '12.00' }],
  evidence: 'same id',
  action: { action: 'look_into', state: 'mismatched' },
  isBreak: true,
  isAccepted: false,
};

it('a line of a comparison names the other file and row, and marks what differs by its rules', () => {
  const found = comparedDifference(line, ['may.csv', 'june.csv'], ['account_name', 'bank_name']);
  expect(found).toMatchObject({
    kind: 'mismatched',
    row: 2,
    there: { file: 'june.csv', row: 5 },
    foundId: null,
  });
  expect(found.values).toEqual([
    { name: 'id', here: 'o-1', there: 'o-1', differs: false },
    { name: 'reference', here: 'R-1', there: 'R-1', differs: false },
    { name: 'amount', here: '10.00', there: '12.00', differs: true },
    { name: 'currency', here: 'KES', there: 'KES', differs: false },
    { name: 'date', here: '2026-06-01', there: '2026-06-01', differs: false },
    { name: 'account_name', here: 'Ann', there: 'Ann', differs: false },
    { name: 'bank_name', here: null, there: 'x', differs: false },
  ]);
});

it('an unknown entry of a statement is shown with what the bank says of it', () => {
  const words = { number: 'B-7', counterparty: 'Acme, DE12', text: 'Invoice 12; thank you' };
  const there = { ...record, id: null, reference: null, fields: [], status: null, words };
  const found = comparedDifference({ ...line, state: 'unknown_here', here: null, there }, ['june.xml'], []);
  expect(found.values.slice(-3)).toEqual([
    { name: 'number', here: null, there: 'B-7', differs: false },
    { name: 'counterparty', here: null, there: 'Acme, DE12', differs: false },
    { name: 'text', here: null, there: 'Invoice 12; thank you', differs: false },
  ]);
});

it('a row in doubt that the other side has for certain comes with the id that it has there', () => {
  const inDoubt = { ...record, id: null, status: 'unknown' };
  const found = comparedDifference({ ...line, state: 'matched', here: inDoubt }, ['may.csv'], []);
  expect(found).toMatchObject({ kind: 'in_doubt_found', status: 'unknown', foundId: 'o-1' });
});
