import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { packFolder, unpackFolder } from '../../../../src/ledger/connection/embedded/data-folder.ts';

it('a packed folder comes back with every file and every empty folder, for its owner only', () => {
  const folder = mkdtempSync(join(inject('testFolder'), 'packed-'));
  const every = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 256));
  mkdirSync(join(folder, 'base/1'), { recursive: true });
  mkdirSync(join(folder, 'pg_notify'));
  writeFileSync(join(folder, 'base/1/1259'), every);
  writeFileSync(join(folder, 'base/1/empty'), '');
  writeFileSync(join(folder, 'PG_VERSION'), '18\n');
  const again = join(mkdtempSync(join(inject('testFolder'), 'unpacked-')), 'pgdata');
  unpackFolder(packFolder(folder), again);
  const entries = readdirSync(again, { recursive: true, encoding: 'utf8' }).sort();
  expect(entries).toEqual(['PG_VERSION', 'base', 'base/1', 'base/1/1259', 'base/1/empty', 'pg_notify']);
  expect(readFileSync(join(again, 'base/1/1259')).equals(every)).toBe(true);
  expect(readFileSync(join(again, 'base/1/empty'))).toHaveLength(0);
  for (const entry of ['', ...entries]) expect(statSync(join(again, entry)).mode & 0o077).toBe(0);
});
