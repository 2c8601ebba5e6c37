import { describe, expect, it } from 'vitest';
import { createNonRowCheck, isCalledTotal } from '../../../src/read/mapping/non-rows.ts';

const header = ['No', 'Name', 'Bank', 'Account', 'Amount', 'Remarks'];
const check = createNonRowCheck(header, { own: [0, 1, 2, 3, 4, 5], identifiers: new Set([3]) });
const kindOf = (...cells: readonly string[]) => check({ cells: [...cells, '', '', '', ''].slice(0, 6) });

describe('lines that are no rows', () => {
  it.each([
    'Genel toplam',
    'Ara Toplam:',
    'ИТОГО',
    'Suma końcowa',
    'Összesen',
    'المجموع',
    'Jumlah keseluruhan',
    '合计',
    'TOTAL GENERAL',
    'Total Nairobi branch',
  ])('are totals in many languages: %s', (text) => {
    expect(isCalledTotal(text)).toBe(true);
    expect(kindOf('', text, '', '', '12 500')).toBe('total');
  });

  it('are signatures, alone or before a colon or a line', () => {
    expect(kindOf('', 'Elaboró: ________', '', '', 'Autorizó: ________')).toBe('signature');
    expect(kindOf('', 'توقيع المحاسب: ____', 'المدير')).toBe('signature');
    expect(kindOf('Hazırlayan:', 'Ayşe Demir')).toBe('signature');
  });

  it('are not rows whose values begin with such a word', () => {
    expect(isCalledTotal('Sumaya Traders')).toBe(false);
    expect(kindOf('4', 'Firma Kowalski', 'mBank')).toBe(null);
    expect(kindOf('4', 'Tongai Moyo', 'CBZ', '1002003', '55')).toBe(null);
  });
});
