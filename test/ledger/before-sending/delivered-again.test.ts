import { describe, expect, it } from 'vitest';
import { isPutRight } from '../../../src/ledger/before-sending/delivered-again.ts';

const invalid = { cells: ['C-1', 'nobody', 'Amina'], faultyColumns: [1], isCut: false };
const rejected = { cells: ['C-1', 'a@b.example', 'Amina'], faultyColumns: [], isCut: false };
const cut = { cells: ['C-1', 'a@b.exam', ''], faultyColumns: [], isCut: true };

describe('a row in the same place of a file that was delivered again', () => {
  it.each([
    ['differs where something was found', invalid, ['C-1', 'a@b.example', 'Amina'], true],
    ['differs elsewhere as well', invalid, ['C-2', 'a@b.example', 'Amina'], false],
    ['is the same, and refused by the API', rejected, ['C-1', 'a@b.example', 'Amina'], true],
    ['differs in one cell, and the API refused it', rejected, ['C-1', 'c@d.example', 'Amina'], true],
    ['differs in two cells, and the API refused it', rejected, ['C-1', 'c@d.example', 'Brian'], false],
    ['goes on where it was cut', cut, ['C-1', 'a@b.example', 'Amina'], true],
    ['begins with something else than what was cut', cut, ['C-1', 'c@d.example', 'Amina'], false],
    ['has nothing in common', { ...invalid, cells: ['', 'nobody', ''] }, ['', 'a@b.example', ''], false],
    ['was cut in its first cell', { ...cut, cells: ['C-'] }, ['C-1', 'a@b.example', 'Amina'], false],
  ])('%s', (_, earlier, later, expected) => {
    expect(isPutRight(earlier, later)).toBe(expected);
  });
});
