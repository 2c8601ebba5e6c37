import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  bool,
  bytes,
  type ColumnType,
  float8,
  int4,
  int8,
  json,
  query,
  text,
  texts,
  timestamp,
  uuid,
  word,
} from '../../../src/ledger/query/sql.ts';
import { forEachLedger } from '../../support/ledger.ts';

const id = '2c1b6d4e-52a5-4d1c-9a43-0f3a0b6f1d11';

/** A value of each type in SQL, and what the driver makes of it. */
const values: readonly [ColumnType<unknown>, sql: string, value: unknown][] = [
  [bool, 'true', true],
  [bytes, "'\\x01'::bytea", Buffer.from([1])],
  [int8, '9007199254740993', '9007199254740993'],
  [int4, '7', 7],
  [float8, '0.5::float8', 0.5],
  [text, "'a'", 'a'],
  [word<'a'>(), "'a'::text", 'a'],
  [texts, "ARRAY['a', 'b']", ['a', 'b']],
  [timestamp, "'2026-01-02T03:04:05Z'::timestamptz", new Date('2026-01-02T03:04:05Z')],
  [uuid, `'${id}'::uuid`, id],
  [json<unknown>(), `'{"a": 1}'::jsonb`, { a: 1 }],
  [json<unknown>(), `'{"a": 1}'::json`, { a: 1 }],
];

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  it.each(values)('gives a value of the declared type: %j as %s', async (column, sql, value) => {
    expect(await query(database, { it: column }, `SELECT ${sql} AS it`)).toEqual([{ it: value }]);
  });

  describe('refuses a statement', () => {
    it.each([
      [
        'with a column of another type',
        'SELECT 1 AS row, 2::int8 AS rows',
        '"rows" as type 20, and integer is declared',
      ],
      [
        'with a column that is not declared',
        "SELECT 1 AS row, 2 AS rows, 'x' AS more",
        'column "more", which is not declared',
      ],
      ['without a declared column', 'SELECT 1 AS row', 'does not give the column "rows"'],
      ['with null where nothing may be null', 'SELECT 1 AS row, NULL::int AS rows', 'null as "rows"'],
    ])('%s', async (_, sql, message) => {
      await expect(query(database, { row: int4, rows: int4 }, sql)).rejects.toThrow(message);
    });

    it('whose rows are none, if its columns are others', async () => {
      await expect(query(database, { row: int4 }, "SELECT 'a' AS row WHERE false")).rejects.toThrow(
        '"row" as type 25',
      );
    });
  });
});

it('leaves no statement of the ledger unchecked, but those about the temporary tables of a comparison', () => {
  const folder = fileURLToPath(new URL('../../../src', import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const raw = files.filter((name) =>
    /\buncheckedRows\b|\.raw\(/.test(readFileSync(`${folder}/${name}`, 'utf8')),
  );
  expect(raw.sort()).toEqual(['ledger/connection/open.ts', 'ledger/query/sql.ts']);
});
