import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import { numbersLiteral, textsBindings, textsParameter } from '../../../src/ledger/query/arrays.ts';
import { uncheckedRows as query } from '../../../src/ledger/query/sql.ts';
import { forEachLedger } from '../../support/ledger.ts';

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  async function readNumbers(type: string, literal: string): Promise<unknown> {
    const [row] = await query<{ list: unknown }>(database, `SELECT ?::${type}[] AS list`, [literal]);
    return row?.list;
  }

  async function readTexts(texts: readonly (string | null)[]): Promise<unknown> {
    const bindings = textsBindings(texts);
    const [row] = await query<{ list: unknown }>(database, `SELECT ${textsParameter} AS list`, bindings);
    return row?.list;
  }

  describe('an array that is written as one text', () => {
    it.each<[string, (string | null)[]]>([
      ['nothing', []],
      ['nulls, and texts that look like them', [null, 'NULL', 'null', '']],
      ['empty texts', ['', '', '']],
      ['a single null', [null]],
      ['signs that mean something in an array', ['{', '}', ',', '"', '\\', '{"a","b"}', '\\"', ' edge ']],
      ['an answer', ['{"data":{"id":"1","note":"a \\"b\\" \\\\ c\\n"},"error":null}']],
      ['other letters, and lines', ['žluťoučký', 'مرحبا', '🙂', 'two\r\nlines\tand a tab']],
      ['what separates them', ['a\x1fb', null, '\x1f', 'c']],
      ['what separates them where that is taken', ['\x1f', '\x1f1', '\x1f2', 'ends with \x1f', null]],
      ['what stands for null', ['\x1e', null, '\x1e1', 'a\x1e']],
    ])('comes back as it was: %s', async (_, texts) => {
      expect(await readTexts(texts)).toEqual(texts);
    });

    it('holds a lone empty text, and one too many', async () => {
      expect(await readTexts([''])).toEqual(['', '']);
    });

    it('replaces the one character that PostgreSQL cannot hold', async () => {
      expect(await readTexts(['a\0b', null])).toEqual(['a\uFFFDb', null]);
    });

    it('keeps numbers, and bigints to the last digit', async () => {
      expect(await readNumbers('int', numbersLiteral([1, -2, null, 0]))).toEqual([1, -2, null, 0]);
      expect(await readNumbers('bigint', numbersLiteral(['9007199254740993', null]))).toEqual([
        '9007199254740993',
        null,
      ]);
      expect(await readNumbers('int', numbersLiteral([]))).toEqual([]);
    });
  });
});
