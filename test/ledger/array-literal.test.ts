import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import { numbersLiteral, textsLiteral } from '../../src/ledger/array-literal.ts';
import { query } from '../../src/ledger/sql.ts';
import { forEachLedger } from '../support/ledger.ts';

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  async function readBack(type: string, literal: string): Promise<unknown> {
    const [row] = await query<{ list: unknown }>(database, `SELECT ?::${type}[] AS list`, [literal]);
    return row?.list;
  }

  describe('an array that is written as one text', () => {
    it.each([
      ['nothing', []],
      ['nulls, and texts that look like them', [null, 'NULL', 'null', '']],
      ['signs that mean something in an array', ['{', '}', ',', '"', '\\', '{"a","b"}', '\\"', ' edge ']],
      ['an answer', ['{"data":{"id":"1","note":"a \\"b\\" \\\\ c\\n"},"error":null}']],
      ['other letters, and lines', ['žluťoučký', 'مرحبا', '🙂', 'two\r\nlines\tand a tab']],
    ])('comes back as it was: %s', async (_, texts) => {
      expect(await readBack('text', textsLiteral(texts))).toEqual(texts);
    });

    it('keeps numbers, and bigints to the last digit', async () => {
      expect(await readBack('int', numbersLiteral([1, -2, null, 0]))).toEqual([1, -2, null, 0]);
      expect(await readBack('bigint', numbersLiteral(['9007199254740993', null]))).toEqual([
        '9007199254740993',
        null,
      ]);
      expect(await readBack('int', numbersLiteral([]))).toEqual([]);
    });
  });
});
