/* A file that would need an approval is cut into two files below the threshold. They are not sent without it either. */

import type { Knex } from 'knex';
import { describe, expect, inject, it } from 'vitest';
import { openEmbeddedLedger, openServerLedger } from '../../../src/ledger/connection/open.ts';
import { created, type Desk, openDesk } from '../../support/cli-desk.ts';
import { csvOf, customers } from '../../support/cli-files.ts';
import { firstPolicy } from '../../support/controls.ts';

/** Works in the ledger of a desk, while no command does. */
async function inLedger(desk: Desk, work: (database: Knex) => Promise<unknown>): Promise<void> {
  const ledger =
    desk.databaseUrl === null
      ? await openEmbeddedLedger(desk.env['PAYBATCH_LEDGER_DIR'] ?? '')
      : openServerLedger(desk.databaseUrl);
  try {
    await work(ledger.database);
  } finally {
    await ledger.close();
  }
}

async function openLimitedDesk(
  ledger: 'server' | 'embedded',
  rule: Readonly<Record<string, unknown>>,
): Promise<Desk> {
  const desk = await openDesk({ ledger });
  await inLedger(desk, (database) => firstPolicy(database, ['ada'], { mode: 'sandbox', ...rule }));
  return desk;
}

/** A file of customers that no other file has. */
function peopleFrom(first: number, count: number): string {
  return csvOf(customers(first + count).slice(first));
}

const waits = { exit_code: 8, error: { code: 'approval_needed' } };

describe.each(inject('ledgers'))('99 and 99 rows under a limit of 100, on the ledger: %s', (ledger) => {
  const write = async (desk: Desk): Promise<readonly [string, string]> => [
    await desk.write('one.csv', peopleFrom(0, 99)),
    await desk.write('two.csv', peopleFrom(99, 99)),
  ];

  it('as two files of one call: nothing is sent', async () => {
    const desk = await openLimitedDesk(ledger, { fromRows: 100 });
    const files = await write(desk);
    expect((await desk.json(['import', ...files])).summary).toMatchObject(waits);
    expect((await desk.json(['resume'])).summary).toMatchObject(waits);
    expect(created(desk)).toBe(0);
  });

  it('as two calls one after the other: the second one waits until the day is over', async () => {
    const desk = await openLimitedDesk(ledger, { perDay: { fromRows: 100, fromSum: {} } });
    const [one, two] = await write(desk);
    expect((await desk.json(['import', one])).summary).toMatchObject({ exit_code: 0 });
    const second = await desk.json(['import', two]);
    expect(second.summary).toMatchObject(waits);
    const status = await desk.run(['status', second.summary.batches[0]?.batch ?? '']);
    expect(status.stdout).toContain('ada can approve');
    expect(created(desk)).toBe(99);
    await inLedger(desk, (database) => database.raw('UPDATE unapproved_days SET day = day - 1'));
    expect((await desk.json(['import', two])).summary).toMatchObject({ exit_code: 0 });
    expect(created(desk)).toBe(198);
  });
});

it.runIf(inject('ledgers').includes('server'))(
  '99 and 99 rows under a limit of 100 in two calls at once: one of them waits',
  async () => {
    const desk = await openLimitedDesk('server', { perDay: { fromRows: 100, fromSum: {} } });
    const one = await desk.write('one.csv', peopleFrom(0, 99));
    const two = await desk.write('two.csv', peopleFrom(99, 99));
    const ends = await Promise.all([desk.json(['import', one]), desk.json(['import', two])]);
    expect(ends.map(({ exitCode }) => exitCode).sort()).toEqual([0, 8]);
    expect(created(desk)).toBe(99);
  },
);
