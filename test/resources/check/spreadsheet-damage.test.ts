import { describe, expect, it } from 'vitest';
import type { CellKind } from '../../../src/domain/tables/table.ts';
import { findDamage, findSpreadsheetError } from '../../../src/resources/check/spreadsheet-damage.ts';

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
