import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { csvOf, customers } from '../support/cli-files.ts';
import { type ConsoleOfTest, openConsole, startOn, uploadAndCheck, Visitor } from '../support/console.ts';
import { onLedgerOf } from '../support/console-users.ts';

/** As if a console had been killed while it ran a command on a batch, which is planned. */
async function killedDuring(command: string): Promise<{
  readonly world: ConsoleOfTest;
  readonly path: string;
  readonly visitor: Visitor;
}> {
  const world = await openConsole();
  const { path } = await uploadAndCheck(world.visitor, [
    { name: 'people.csv', content: csvOf(customers(3)) },
  ]);
  const { cookie } = world.visitor;
  await world.console.close();
  await onLedgerOf(world.desk, async (database) => {
    await database.raw(
      `INSERT INTO runs (id, batch_id, command, owner_host, owner_process, lease_until, started_by, channel)
       SELECT gen_random_uuid(), id, ?, 'gone.example', '1', now() - interval '1 second', 'amina', 'console' FROM batches`,
      [command],
    );
  });
  const again = await startOn(world);
  return { world, path, visitor: new Visitor(again.url, cookie) };
}

it.each(['submit', 'import', 'resume', 'retry'])(
  'continues a batch whose sending by %s was interrupted, and keeps the session',
  async (command) => {
    const { world, path, visitor } = await killedDuring(command);
    await visitor.until(path, ({ text }) => text.includes('All 3 rows created'));
    expect(world.desk.sandbox.counts().sandbox.created.customers).toBe(3);
  },
);

it.each(['plan', 'reconcile', 'resolve', 'close', 'recover'])(
  'sends nothing of a batch of which only %s was cut off',
  async (command) => {
    const { world, path, visitor } = await killedDuring(command);
    await delay(500);
    const shown = await visitor.until(path, ({ text }) => !text.includes('data-live'));
    expect(shown.status).toBe(200);
    expect(world.desk.sandbox.counts().sandbox.created.customers ?? 0).toBe(0);
  },
);
