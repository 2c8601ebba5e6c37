/* The database goes away while pages are loaded and rows are sent: pages say so, and both go on by themselves. */

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type DatabaseProxy, openDatabaseProxy } from '../../promises/database-proxy.ts';
import { cheapScrypt } from '../../support/cheap-scrypt.ts';
import type { Desk } from '../../support/cli-desk.ts';
import { csvOf, customers } from '../../support/cli-files.ts';
import { type ConsoleOfTest, openConsole, uploadAndCheck, Visitor } from '../../support/console.ts';
import { onLedgerOf, visitorAs } from '../../support/console-users.ts';
import { givePassword } from '../../support/passwords.ts';
import { addTestUser } from '../../support/user-key.ts';

cheapScrypt();

/** A console whose database can go away. */
async function openThroughProxy(
  options: Parameters<typeof openConsole>[0] = {},
  given: Parameters<typeof openConsole>[1] = {},
  prepare: (desk: Desk) => Promise<void> = async () => {},
): Promise<ConsoleOfTest & { readonly proxy: DatabaseProxy }> {
  const ledger = { databaseUrl: '' };
  let proxy: DatabaseProxy | undefined;
  const opened = await openConsole(
    options,
    given,
    async (desk) => {
      await prepare(desk);
      const { databaseUrl } = desk;
      proxy = await openDatabaseProxy(databaseUrl ?? '');
      ledger.databaseUrl = proxy.databaseUrl;
    },
    { ledger },
  );
  if (proxy === undefined) throw new Error('no proxy was opened');
  return { ...opened, proxy };
}

describe('a database that goes away', () => {
  it('is said on every page with 503, and pages come back with it', async () => {
    const { visitor, proxy } = await openThroughProxy();
    const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(3)) }]);
    const pages = ['/', '/batches', path, `${path}/rows`, `${path}/rows/2`, '/mappings', '/search?q=people'];
    // Longer than a page waits for it.
    const back = proxy.disconnect(22_000);
    const shown = await Promise.all(pages.map((page) => visitor.ask(page)));
    for (const { status, text, path: page } of shown) {
      expect([page, status]).toEqual([page, 503]);
      expect(text, page).toContain('role="alert"');
      expect(text, page).toMatch(/database/i);
      expect(text, page).not.toContain('internal error');
    }
    await back;
    for (const page of pages) await visitor.until(page, ({ status }) => status === 200);
  }, 60_000);

  it('is said to somebody whose session it has', async () => {
    const world = await openThroughProxy({ enters: false }, { users: true }, (desk) =>
      onLedgerOf(desk, async (database) => {
        await addTestUser(database, 'mo', 'maker');
        await givePassword(database, 'mo');
      }),
    );
    const mo = await visitorAs(world, 'mo');
    const back = world.proxy.disconnect(22_000);
    const stranger = new Visitor(world.console.url);
    const [shown, form] = await Promise.all([mo.ask('/'), stranger.ask('/sign-in')]);
    expect([shown.status, shown.text.includes('role="alert"')]).toEqual([503, true]);
    expect(shown.text).toMatch(/database/i);
    expect(form.status).toBe(200);
    await back;
    await mo.until('/', ({ status }) => status === 200);
  }, 60_000);

  it('for a moment while rows are sent ends nothing: they are sent once', async () => {
    const { visitor, proxy, desk } = await openThroughProxy({ latencyInMs: 10 });
    const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(150)) }]);
    await visitor.post(`${path}/resume`);
    while ((desk.sandbox.counts().sandbox.created.customers ?? 0) < 20) await sleep(10);
    await proxy.disconnect(700);
    await visitor.until(path, ({ text }) => text.includes('All 150 rows created'));
    expect(desk.sandbox.counts().sandbox).toMatchObject({ created: { customers: 150 }, duplicates: {} });
  }, 60_000);
});
