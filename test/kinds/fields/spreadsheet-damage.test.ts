import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/domain/rows/finding.ts';
import { plainReadingRules, type ReadingRules } from '../../../src/domain/tables/mapping.ts';
import type { CellKind } from '../../../src/domain/tables/table.ts';
import {
  createKeptCells,
  findDamage,
  findSpreadsheetError,
} from '../../../src/kinds/fields/spreadsheet-damage.ts';
import { checkRow, validRows } from '../rows.ts';

describe('findDamage sees what a spreadsheet did to an identifier', () => {
  it.each<[string, CellKind | undefined]>([
    ['1.23457E+11', undefined],
    ['1E+11', undefined],
    ['1,23457E+11', undefined],
    ['1.5e-07', undefined],
    ['-1.2E+10', undefined],
    ['123.0', undefined],
    ['123.00', undefined],
    ['123,0', undefined],
    ['TRUE', undefined],
    ['FALSE', undefined],
    ['TRUE', 'boolean'],
    ['true', 'boolean'],
    ['123456', 'number'],
    ['1.5', 'number'],
    ['1234567890123456', 'number'],
    ['1990-01-31', 'date'],
  ])('%j as %s', (text, kind) => {
    expect(findDamage(text, kind, 'identifier', 'refuse')?.code).toBe('damaged_number');
  });

  it.each<[string, CellKind | undefined]>([
    ['000123', undefined],
    ['000123', 'shown_number'],
    ['123456789012345678', undefined],
    ['12.5', undefined],
    ['1E11', undefined],
    ['12AE+11', undefined],
    ['+254712345678', undefined],
    ['INV-10.0', undefined],
    ['True North', undefined],
    ['-', undefined],
  ])('leaves %j as %s alone', (text, kind) => {
    expect(findDamage(text, kind, 'identifier', 'refuse')).toBeUndefined();
  });

  it.each<[string, CellKind, boolean]>([
    ['123456789012345', 'number', true],
    ['1234567890123456', 'number', false],
    ['1.5', 'number', false],
    ['-5', 'number', false],
    ['1E+20', 'number', false],
    ['TRUE', 'boolean', false],
    ['1990-01-31', 'date', false],
  ])('where the mapping accepts numeric identifiers, %s as %s passes: %s', (text, kind, passes) => {
    expect(findDamage(text, kind, 'identifier', 'accept') === undefined).toBe(passes);
  });
});

describe('findSpreadsheetError sees errors of formulas', () => {
  it.each<[string, CellKind | undefined]>([
    ['#REF!', undefined],
    ['#N/A', undefined],
    ['#n/a', undefined],
    ['#VALUE!', undefined],
    ['#DIV/0!', undefined],
    ['#NAME?', undefined],
    ['#NULL!', undefined],
    ['#NUM!', undefined],
    ['#SPILL!', undefined],
    ['#CALC!', undefined],
    ['#ERROR!', undefined],
    ['Err:502', undefined],
    ['#######', undefined],
    ['#N/A', 'error'],
    ['anything', 'error'],
    ['', 'formula_without_value'],
  ])('%j as %s', (text, kind) => {
    expect(findSpreadsheetError(text, kind)?.code).toBe('spreadsheet_error');
  });

  it.each(['', '#1', '#12 High Street', 'Erika', 'Err', '# of items', 'N/A', 'REF!'])(
    'leaves %j alone',
    (text) => {
      expect(findSpreadsheetError(text, undefined)).toBeUndefined();
    },
  );
});

const somethingElse: Finding = {
  severity: 'invalid',
  field: 'email',
  column: 'email',
  code: 'invalid_email',
  message: '',
};

function keep(
  field: string,
  text: string,
  kind: CellKind,
  reading: Partial<ReadingRules> = {},
  findings: readonly Finding[] = [],
): string | undefined {
  const kept = createKeptCells(
    {
      kind: field === 'date_of_birth' ? 'customers' : 'recipients',
      columns: [{ field, title: 'Title', index: 0 }],
    },
    { ...plainReadingRules, ...reading },
  );
  return kept({ cells: [text], kinds: new Map([[0, kind]]) }, { findings })[0];
}

describe('a cell that was no text is kept as the text that is read in the same way', () => {
  it.each<[string, CellKind, Partial<ReadingRules>, string]>([
    ['1990-01-31', 'date', {}, '1990-01-31'],
    ['1990-01-31', 'date', { dateFormat: 'DD/MM/YYYY' }, '31/01/1990'],
    ['1990-01-31', 'date', { dateFormat: 'M/D/YYYY' }, '01/31/1990'],
    ['1990-01-31', 'date', { dateFormat: 'YYYY-DD-MM' }, '1990-31-01'],
    ['1990-01-31', 'date', { dateFormat: 'DDMMYYYY' }, '31011990'],
    // Two digits would be 2024 when they are read again.
    ['1924-01-31', 'date', { dateFormat: 'DD.MM.YY' }, '1924-01-31'],
    ['1990-01-31 10:00:00', 'date', { dateFormat: 'DD.MM.YYYY' }, '1990-01-31 10:00:00'],
  ])('the day %s, a %s with %j', (text, kind, reading, expected) => {
    expect(keep('date_of_birth', text, kind, reading)).toBe(expected);
    const row = checkRow('customers', { ...validRows.customers, date_of_birth: expected }, { reading });
    expect(row.record['date_of_birth']).toBe(text.includes(' ') ? undefined : text);
  });

  it.each<[string, CellKind, Partial<ReadingRules>, string]>([
    ['1234.5', 'number', {}, '1234.5'],
    // As text, a point before three digits would be a thousand times the amount.
    ['1.234', 'number', { decimal: ',', thousands: '.' }, '1,234'],
    ['1234', 'number', { decimal: ',', thousands: '.' }, '1234'],
    ['00420', 'shown_number', {}, '420'],
    ['1E+45', 'number', { decimal: ',' }, '1E+45'],
  ])('the amount %s, a %s with %j', (text, kind, reading, expected) => {
    expect(keep('amount', text, kind, reading)).toBe(expected);
  });

  it('an identifier that a spreadsheet took for a number stays refusable, whatever the row was refused for', () => {
    expect(keep('account_number', '1067', 'number', {}, [somethingElse])).toBe('1067.0');
    expect(keep('account_number', '1067', 'number', { numericIdentifiers: 'accept' }, [somethingElse])).toBe(
      '1067',
    );
    expect(keep('account_number', '00420', 'shown_number', {}, [somethingElse])).toBe('00420');
  });

  it('a formula without a result stays refusable, since an empty cell may be allowed', () => {
    expect(keep('account_name', '', 'formula_without_value', {}, [somethingElse])).toBe('#N/A');
  });
});
