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
    'S/Total GRAND-ZATTRY',
    'Σύνολο ομάδας Α',
  ])('are totals in many languages: %s', (text) => {
    expect(isCalledTotal(text)).toBe(true);
    expect(kindOf('', text, '', '', '12 500')).toBe('total');
  });

  it.each(['BROUGHT FORWARD', 'A RIPORTARE', 'Übertrag:'])('are sums of a page: %s', (text) => {
    expect(isCalledTotal(text)).toBe(true);
    expect(kindOf('', text, '', '', '12 500')).toBe('carried total');
    expect(kindOf(text, '', '', '', '500')).toBe('carried total');
  });

  it('are signatures, alone or before a colon or a line', () => {
    expect(kindOf('', 'Elaboró: ________', '', '', 'Autorizó: ________')).toBe('signature');
    expect(kindOf('', 'توقيع المحاسب: ____', 'المدير')).toBe('signature');
    expect(kindOf('Hazırlayan:', 'Ayşe Demir')).toBe('signature');
  });

  it('are places for signatures in whatever language, by their form', () => {
    expect(kindOf('', 'Rektorin: ________', '', '', 'Datum:')).toBe('signature');
    expect(kindOf('', 'Ginawa ng: L. Reyes', '', 'Nakita ni:')).toBe('signature');
    expect(kindOf('', 'Ana: Beta', 'KCB: Main')).toBe(null);
  });

  it.each([
    ['FILIALE 07 NORD', 'heading'],
    ['Grupo 2: turno de noche', 'heading'],
    ['Total turno 2: 14 personas', 'total'],
    ['0712 345 678', null],
    ['KD 10 22', null],
    ['DE89 3704 0044 0532 0130 00', null],
    ['GB29 NWBK 6016 1331 9268 19', null],
    ['Client7', null],
  ])('are distinguished from accounts and codes in a column of them: %s', (text, expected) => {
    expect(kindOf('', '', '', text)).toBe(expected);
  });

  it('are examples by their first cell, and only by it', () => {
    const rest = ['Juan Pérez', 'BCP', '19112345678901', '120.00'];
    for (const first of ['EJEMPLO', 'e.g.', 'Beispiel:', 'Mfano', '例'])
      expect(kindOf(first, ...rest)).toBe('example');
    expect(kindOf('7', 'Example', 'BCP', '19112345678901', '120.00')).toBe(null);
    expect(kindOf('Example Ltd', ...rest)).toBe(null);
  });

  it('are totals of a group also where their words are in a column of accounts', () => {
    expect(kindOf('', '', '', 'Total turno 2: 14 personas', '1200.50')).toBe('total');
    expect(kindOf('', 'Sum medlemmer', '168', '', '', 'kr 41 750')).toBe('total');
    expect(kindOf('', 'Sumaya Traders', '168', '', '', 'kr 41 750')).toBe(null);
    expect(kindOf('', '', '', 'Client 7', '1200.50')).toBe(null);
  });

  it('are totals of a list of SAP, by the asterisks before their first column', () => {
    const titles = ['', 'Company', 'Name', 'Bank', 'Account', 'Amount', 'Currency'];
    const ofList = createNonRowCheck(titles, { own: [1, 2, 3, 4, 5, 6], identifiers: new Set([4]) });
    expect(ofList({ cells: ['*', '1000', '', '', '', '2.119.445,51-', 'EUR'] })).toBe('total');
    expect(ofList({ cells: ['**', '', '', '', '', '4.200.000,00', ''] })).toBe('total');
    expect(ofList({ cells: ['*', '1000', '', '', '0712345678', '100', ''] })).toBe(null);
    expect(ofList({ cells: ['*', '1000', 'Otieno', 'KCB', '', '100', 'EUR'] })).toBe(null);
  });

  it('are totals with a number of rows, also in a column of accounts', () => {
    expect(kindOf('', 'Total Nairobi branch:', '', '22')).toBe('total');
    expect(kindOf('Общо офис Варна:', '', '', '16')).toBe('total');
    expect(kindOf('', 'Total Nairobi branch:', '', '0220')).toBe(null);
    expect(kindOf('', 'Total Nairobi branch:', '', '220155')).toBe(null);
    expect(kindOf('', 'Amina Otieno', '', '22')).toBe(null);
    const narrow = createNonRowCheck(header.slice(1, 5), { own: [0, 1, 2, 3], identifiers: new Set([2]) });
    expect(narrow({ cells: ['Total Oil', '', '22', ''] })).toBe(null);
  });

  it('are the lines above the header again, with another page number', () => {
    const above = [
      { cells: ['', 'MWANGA SACCO', 'PAYOUTS', 'PAGE 1', '', ''] },
      { cells: ['', '', '', '12', '', ''] },
    ];
    const paged = createNonRowCheck(header, { own: [0, 1, 2, 3, 4, 5], identifiers: new Set([3]), above });
    expect(paged({ cells: ['', 'MWANGA SACCO', 'PAYOUTS', 'PAGE 2', '', ''] })).toBe('repeated header');
    expect(paged({ cells: ['', 'MWANGA SACCO', 'KCB', 'PAGE 2', '', ''] })).toBe(null);
    // Figures alone may be anything.
    expect(paged({ cells: ['', '', '', '34', '', ''] })).toBe(null);
  });

  it('are numbers of the columns below the header', () => {
    expect(kindOf('1', '2', '3', '4', '5', '6')).toBe('repeated header');
    expect(kindOf('(1)', '(2)', '', '(3)', '(4)')).toBe('repeated header');
    expect(kindOf('1', '2', '3')).toBe(null);
    expect(kindOf('1', '2', '3', '40', '5', '6')).toBe(null);
  });

  it('are not rows whose values begin with such a word', () => {
    expect(isCalledTotal('Sumaya Traders')).toBe(false);
    expect(isCalledTotal('Sum medlemmer')).toBe(true);
    expect(kindOf('4', 'Firma Kowalski', 'mBank')).toBe(null);
    expect(kindOf('4', 'Tongai Moyo', 'CBZ', '1002003', '55')).toBe(null);
  });
});
