/* A file of customers that an engine has planned, some of whom have no e-mail address that could be one. */

import { join } from 'node:path';
import pg from 'pg';
import { expect } from 'vitest';
import type { Engine } from '../../src/index.ts';
import { type Desk, type DeskOptions, openDesk } from './cli-desk.ts';
import { csvOf, customer } from './cli-files.ts';
import { configOfDesk, openEngine } from './engine.ts';

/** A batch on a desk's ledger. Row 1 is the header. */
export interface PlannedBatch {
  readonly desk: Desk;
  readonly engine: Engine;
  /** Its whole id. */
  readonly batch: string;
  /** The place of the column `email`. */
  readonly email: number;
}

/**
 * Plans such a file.
 * @param isFaulty whether the customer of this number, from 1, has no e-mail address
 * @param wrong what is in its place
 */
export async function planCustomers(
  count: number,
  isFaulty: (number: number) => boolean,
  options: DeskOptions = {},
  wrong = (number: number): string => `nowhere${number}`,
): Promise<PlannedBatch> {
  const desk = await openDesk(options);
  const engine = await openEngine(configOfDesk(desk));
  const people = Array.from({ length: count }, (_, at) =>
    customer(at + 1, isFaulty(at + 1) ? { email: wrong(at + 1) } : {}),
  );
  const file = join(desk.folder, await desk.write('people.csv', csvOf(people)));
  const { batches } = await engine.plan({ files: [file] }).result;
  const batch = batches[0]?.id ?? '';
  expect(batch).not.toBe('');
  const { columns } = await engine.rows({ batch, limit: 1 }).result;
  return { desk, engine, batch, email: columns.indexOf('email') };
}

/** An edit that a person typed while the row was being sent: no run has seen it before. */
export async function typeWhileSent(
  { databaseUrl }: Pick<Desk, 'databaseUrl'>,
  batch: string,
  edit: { readonly row: number; readonly place: number; readonly before: string; readonly after: string },
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl ?? '' });
  await client.connect();
  try {
    await client.query(
      `INSERT INTO draft_edits (batch_id, row_number, place, before, after, made_by) VALUES ($1, $2, $3, $4, $5, 'amina')`,
      [batch, edit.row, edit.place, JSON.stringify(edit.before), JSON.stringify(edit.after)],
    );
  } finally {
    await client.end();
  }
}
