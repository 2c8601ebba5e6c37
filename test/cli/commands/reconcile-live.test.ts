import { describe, expect, it } from 'vitest';
import { administer, createDurableDatabase } from '../../support/durable-database.ts';
import { accounts, customer, importAll } from '../reconciling/batches.ts';
import { openInProcessDesk } from '../reconciling/in-process.ts';

describe('a live batch', () => {
  it('is replayed and resolved by a durable server only, and never from sandbox mode', async () => {
    const desk = await openInProcessDesk();
    const databaseUrl = await createDurableDatabase();
    const live = { PAYBATCH_MODE: 'live', PAYBATCH_API_KEY: desk.sandbox.apiKeys.live };
    const env = { ...live, DATABASE_URL: databaseUrl };
    const batch = await importAll(
      desk,
      { 'c.csv': customer, 'a.csv': accounts('Error Once', 'Lost Once') },
      env,
    );
    const replay = ['reconcile', batch, '--replay', '--yes'];
    const resolve = ['resolve', batch, '--row', '3', '--as', 'not-created'];
    const refusals: readonly (readonly [words: string[], env: Record<string, string>, code: string])[] = [
      [['reconcile', batch], { ...live, DATABASE_URL: '' }, 'database_missing'],
      [replay, { ...live, DATABASE_URL: '' }, 'database_missing'],
      [resolve, { ...live, DATABASE_URL: '' }, 'database_missing'],
      [replay, { DATABASE_URL: databaseUrl }, 'mode_contradicts'],
    ];
    for (const [words, used, code] of refusals) {
      expect(await desk.call(words, used)).toMatchObject({ exitCode: 2, document: { error: { code } } });
    }
    await pretendFsyncIsOff(databaseUrl);
    for (const words of [replay, resolve]) {
      const { exitCode, document } = await desk.call(words, env);
      expect([exitCode, document]).toEqual([2, { error: { code: 'database_not_durable' } }]);
    }
    expect(desk.sandbox.counts().live.created.accounts).toBe(1);
    await administer(databaseUrl, 'DROP FUNCTION public.current_setting(text)');
    expect((await desk.call(resolve, env)).exitCode).toBe(0);
    expect((await desk.call(replay, env)).stdout).toContain('1 created, 1 not sent');
  });
});

/**
 * `fsync` of a running server cannot be turned off. A function of the same name, which is found before the system's,
 * answers instead.
 */
async function pretendFsyncIsOff(databaseUrl: string): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1);
  await administer(
    databaseUrl,
    `CREATE FUNCTION public.current_setting(setting text) RETURNS text LANGUAGE sql STABLE AS
       $$ SELECT CASE WHEN setting = 'fsync' THEN 'off' ELSE pg_catalog.current_setting(setting) END $$;
     ALTER DATABASE ${name} SET search_path = public, pg_catalog`,
  );
}
