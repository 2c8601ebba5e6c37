import type { Knex } from 'knex';
import type { ConsoleOptions } from '../../src/console/server.ts';
import type { EngineConfig } from '../../src/index.ts';
import { openEmbeddedLedger, openServerLedger } from '../../src/ledger/connection/open.ts';
import type { Desk, DeskOptions } from './cli-desk.ts';
import { type ConsoleOfTest, openConsole, type Shown, Visitor } from './console.ts';
import { givePassword, password } from './passwords.ts';
import { addTestUser } from './user-key.ts';

/** Works on the ledger of a desk, which nothing else has open. */
export async function onLedgerOf(desk: Desk, work: (database: Knex) => Promise<void>): Promise<void> {
  const { databaseUrl, env } = desk;
  const ledger =
    databaseUrl === null
      ? await openEmbeddedLedger(env['PAYBATCH_LEDGER_DIR'] ?? '')
      : openServerLedger(databaseUrl);
  try {
    await work(ledger.database);
  } finally {
    await ledger.close();
  }
}

/** As if everybody had been away for so long. */
export async function letTimePass({ desk }: ConsoleOfTest, by: string): Promise<void> {
  await onLedgerOf(desk, async (database) => {
    await database.raw('ALTER TABLE console_sessions DISABLE TRIGGER session_is_changed');
    await database.raw(`UPDATE console_sessions SET seen_at = seen_at - interval '${by}'`);
    await database.raw('ALTER TABLE console_sessions ENABLE TRIGGER session_is_changed');
  });
}

/** People of a test's console: each with the same password. */
export const people = { mo: 'maker', ada: 'approver', root: 'admin' } as const;

/** Opens a console on which people sign in. */
export function openConsoleWithUsers(
  options: DeskOptions = {},
  given: Partial<ConsoleOptions> = {},
  prepare?: (database: Knex) => Promise<void>,
  settings: (desk: Desk) => EngineConfig = () => ({}),
): Promise<ConsoleOfTest> {
  const addPeople = (desk: Desk): Promise<void> =>
    onLedgerOf(desk, async (database) => {
      for (const [name, role] of Object.entries(people)) {
        await addTestUser(database, name, role);
        await givePassword(database, name);
      }
      await prepare?.(database);
    });
  return openConsole({ ...options, enters: false }, { users: true, ...given }, addPeople, settings);
}

/** Signs somebody in, in the visitor's browser. */
export async function signIn(
  visitor: Visitor,
  name: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<Shown> {
  if ((await visitor.ask('/sign-in')).status !== 200) throw new Error('somebody is signed in already');
  return visitor.post('/sign-in', { name, password, ...fields });
}

/** A browser in which somebody has signed in. */
export async function visitorAs({ console }: ConsoleOfTest, name: keyof typeof people): Promise<Visitor> {
  const visitor = new Visitor(console.url);
  const shown = await signIn(visitor, name);
  if (shown.status !== 200) throw new Error(`${name} could not sign in`);
  return visitor;
}
