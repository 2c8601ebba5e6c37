import { expect, it } from 'vitest';
import { withKeptParts } from '../../../src/propose/reading/written-mapping.ts';
import type { MappingFile } from '../../../src/read/mapping/mapping-schema.ts';

const found: MappingFile = {
  kind: 'recipients',
  columns: { Name: 'account_name', Bank: 'institution_name', Account: 'account_number' },
  ignore: ['Notes'],
  values: { institution_name: { KCB: 'KCB Bank Kenya' } },
  repair: { Account: ['number_cells'] },
  places: 'names',
};

it('keeps what a person wrote by hand and no question is about', () => {
  const byHand: MappingFile = {
    numericIdentifiers: { account_number: 13 },
    expectRows: 12,
    expectTotal: { KES: '9000.00' },
    lineBreaks: 'space',
    controlLine: 'Total {rows} {total}',
    places: 'codes',
    empty: ['tbc'],
  };
  const { columns } = found;
  expect(withKeptParts(found, { columns, ...byHand }, new Map())).toEqual({ ...found, ...byHand });
});

it('keeps what was agreed to for values, cells and columns that this file does not have', () => {
  const earlier: MappingFile = {
    ...found,
    ignore: ['Notes', 'Remarks', 'Bank'],
    values: {
      institution_name: { UBA: 'United Bank for Africa', KCB: null },
      account_type: { CHK: 'checking' },
    },
    repair: { Account: ['lost_zeros'], Bank: ['ditto'], Old: ['line_breaks'] },
    empty: { Account: ['n/a'], Old: ['-'] },
    leaveOut: true,
  };
  const decisions = new Map([['repair:Bank:ditto', 'no']]);
  expect(withKeptParts(found, earlier, decisions)).toEqual({
    ...found,
    ignore: ['Notes', 'Remarks'],
    values: { institution_name: { UBA: 'United Bank for Africa', KCB: 'KCB Bank Kenya' } },
    repair: { Account: ['lost_zeros', 'number_cells'] },
    empty: { Account: ['n/a'] },
    leaveOut: true,
  });
});

it.each<[string, MappingFile, MappingFile, MappingFile]>([
  [
    'a value that stands for nothing now',
    { empty: { Name: ['x'] } },
    { kept: { Name: ['X', 'none'] } },
    { empty: { Name: ['x'] }, kept: { Name: ['none'] } },
  ],
  [
    'a word for nothing that is a value now',
    { kept: { Name: ['x'] } },
    { empty: { Name: ['x', 'n/a'] } },
    { empty: { Name: ['n/a'] }, kept: { Name: ['x'] } },
  ],
])('keeps no earlier answer about %s', (_, now, before, result) => {
  const { columns = {} } = found;
  expect(withKeptParts({ ...found, ...now }, { columns, ...before }, new Map())).toEqual({
    ...found,
    ...result,
  });
});

it('leaves nothing of a column that is another field now', () => {
  const earlier: MappingFile = {
    columns: { Account: 'phone_number' },
    repair: { Account: ['local_phone'] },
    empty: { Account: ['none'] },
  };
  expect(withKeptParts(found, earlier, new Map())).toEqual(found);
});
