import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { embeddedDatabase } from '../../../../src/ledger/connection/embedded/database.ts';
import { type EmbeddedEngine, openEngine } from '../../../../src/ledger/connection/embedded/start-engine.ts';
import { uncheckedRows as query } from '../../../../src/ledger/query/sql.ts';

describe('the embedded database', () => {
  let engine: EmbeddedEngine;
  beforeAll(async () => {
    const data = mkdtempSync(join(inject('testFolder'), 'engine-'));
    engine = await openEngine({ data, unfinished: null });
  });
  afterAll(() => engine.close());

  /** The engine, counting calls, for a database that is closed on its own. */
  const watched = (answer = engine.answer): EmbeddedEngine & { readonly calls: number[] } => {
    const calls: number[] = [];
    return {
      calls,
      answer: (messages) => {
        calls.push(messages.length);
        return answer(messages);
      },
      close: async () => {},
      abandon: async () => {},
    };
  };

  it('has a statement of several messages answered in one call', async () => {
    const counted = watched();
    const { database, close } = embeddedDatabase(counted, 'here');
    await query(database, 'SELECT 1');
    const before = counted.calls.length;
    const rows = await query(database, 'SELECT ?::text AS said, ?::int AS counted', ['grüße \u{1f600}', 7]);
    expect(rows).toEqual([{ said: 'grüße \u{1f600}', counted: 7 }]);
    expect(counted.calls.length - before).toBe(1);
    await close();
  });

  it('is sized for one session, not for a server', async () => {
    const { database, close } = embeddedDatabase(watched(), 'here');
    const settings = await query(
      database,
      "SELECT name, current_setting(name) AS value FROM pg_settings WHERE name IN ('shared_buffers', 'wal_segment_size', 'max_wal_size', 'full_page_writes') ORDER BY name",
    );
    expect(settings).toEqual([
      { name: 'full_page_writes', value: 'on' },
      { name: 'max_wal_size', value: '64MB' },
      { name: 'shared_buffers', value: '16MB' },
      { name: 'wal_segment_size', value: '1MB' },
    ]);
    await close();
  });

  it('continues after a statement that fails, in a transaction as well', async () => {
    const { database, close } = embeddedDatabase(watched(), 'here');
    await expect(query(database, 'SELECT 1 / ?::int', [0])).rejects.toMatchObject({ code: '22012' });
    const failing = database.transaction((open) => query(open, 'SELECT nothing FROM nowhere'));
    await expect(failing).rejects.toMatchObject({ code: '42P01' });
    expect(await query(database, 'SELECT 2 AS two')).toEqual([{ two: 2 }]);
    await close();
  });

  it('begins the session of the engine once, however often the driver connects', async () => {
    const { database, close } = embeddedDatabase(watched(), 'here');
    expect(await query(database, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await database.destroy();
    database.initialize();
    expect(await query(database, 'SELECT 2 AS two')).toEqual([{ two: 2 }]);
    await close();
  });

  it('fails at once, with what to do, once the engine cannot continue', async () => {
    let isBroken = false;
    const { database, close } = embeddedDatabase(
      watched((messages) =>
        isBroken ? Promise.reject(new Error('memory access out of bounds')) : engine.answer(messages),
      ),
      'here',
    );
    await query(database, 'SELECT 1');
    isBroken = true;
    const gaveUp = { kind: 'stopped', code: 'ledger_gave_up' };
    await expect(query(database, 'SELECT 1')).rejects.toMatchObject(gaveUp);
    await expect(query(database, 'SELECT 1')).rejects.toMatchObject(gaveUp);
    await close();
  });
});
