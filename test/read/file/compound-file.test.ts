import { utils, write } from '@e965/xlsx';
import { describe, expect, it } from 'vitest';
import { CompoundFile } from '../../../src/read/file/compound-file.ts';
import { InputError } from '../../../src/read/file/input-error.ts';

/** A workbook in a compound file. */
function example(): Buffer {
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet(Array.from({ length: 150 }, (_, row) => [row])), 'S');
  return write(book, { type: 'buffer', bookType: 'biff8' });
}

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof InputError) return error.code;
    throw error;
  }
  throw new Error('not refused');
}

describe('a compound file', () => {
  const sectorStart = (sector: number) => (sector + 1) * 512;
  const changedWord = (at: number, value: number) => {
    const changed = example();
    changed.writeUInt32LE(value, at);
    return changed;
  };

  it('gives its streams whatever the case of their names', () => {
    expect(new CompoundFile(example()).stream('workbook')?.length).toBeGreaterThan(1000);
    expect(new CompoundFile(example()).stream('EncryptedPackage')).toBeNull();
  });

  it('with a chain of sectors that bites its own tail is damaged', () => {
    const file = example();
    const table = sectorStart(file.readUInt32LE(76));
    const start = file.readUInt32LE(48);
    expect(codeOf(() => new CompoundFile(changedWord(table + start * 4, start)))).toBe('file_damaged');
  });

  it('with a list of tables that bites its own tail is damaged', () => {
    const changed = changedWord(68, 0);
    changed.writeUInt32LE(0, sectorStart(0) + 508);
    expect(codeOf(() => new CompoundFile(changed))).toBe('file_damaged');
  });

  it('with a directory that leads in circles is damaged', () => {
    const file = example();
    const directory = sectorStart(file.readUInt32LE(48));
    const changed = changedWord(directory + 128 + 68, 1);
    expect(codeOf(() => new CompoundFile(changed).stream('Workbook'))).toBe('file_damaged');
  });
});
