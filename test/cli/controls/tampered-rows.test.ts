/* Whoever changes rows after they were sent is found out by `audit verify`: by approvals, by run logs, and by the answers. */

import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import { type Desk, openDesk } from '../../support/cli-desk.ts';
import { csvOf, customers } from '../../support/cli-files.ts';
import { approveContent, firstPolicy } from '../../support/controls.ts';
import { executeByHand } from '../../support/ledger-rows.ts';

interface Verified {
  readonly exit_code: number;
  readonly chains: readonly {
    readonly chain: string;
    readonly rows: { readonly requests: number; readonly approved: number; readonly logged: number } | null;
    readonly problems: readonly { readonly code: string; readonly message: string }[];
  }[];
}

interface SentDesk {
  readonly desk: Desk;
  readonly database: Knex;
  readonly batch: string;
  readonly verify: (...words: readonly string[]) => Promise<Verified>;
}

/** Four customers that were created: under an approval, or without a policy. */
async function sentPeople(control: 'approved' | 'free'): Promise<SentDesk> {
  const desk = await openDesk();
  const { database, close } = openServerLedger(desk.databaseUrl ?? '');
  onTestFinished(close);
  const file = await desk.write('people.csv', csvOf(customers(4)));
  let batch = '';
  if (control === 'approved') {
    const { ada } = await firstPolicy(database, ['ada'], { mode: 'sandbox' });
    batch = (await desk.json(['import', file])).summary.batches[0]?.batch ?? '';
    const environment = { mode: 'sandbox', origin: desk.sandbox.url };
    await approveContent(database, ada, batch, '{[2,6)}', { environment });
  }
  const end = await desk.json(['import', file]);
  batch = end.summary.batches[0]?.batch ?? '';
  expect(end.summary.batches[0]?.counts).toEqual({ created: 4 });
  const verify = async (...words: readonly string[]): Promise<Verified> =>
    (await desk.json(['audit', 'verify', ...words])).summary as unknown as Verified;
  return { desk, database, batch, verify };
}

/** Moves the run log to where `audit verify` does not look by itself. @returns its new path */
async function hideLog({ folder }: Desk): Promise<string> {
  const results = join(folder, 'results');
  const name = (await readdir(results)).find((each) => each.endsWith('.run.jsonl')) ?? '';
  await rename(join(results, name), join(folder, name));
  return join(folder, name);
}

const otherRequest = `UPDATE requests SET body = convert_to(replace(convert_from(body, 'UTF8'), '@', '.eve@'), 'UTF8')
  WHERE row_number = 3`;
const withItsHash = `UPDATE requests SET fingerprint = sha256(convert_to('POST ' || path || chr(10), 'UTF8') || body)
  WHERE row_number = 3`;

describe('what proves the rows of a batch', () => {
  it('is the approval, where there is one', async () => {
    const { desk, batch, verify } = await sentPeople('approved');
    await hideLog(desk);
    expect(await verify(batch)).toMatchObject({
      exit_code: 0,
      chains: [{ rows: { requests: 4, approved: 4, logged: 0, unproven: '{}' } }, { rows: null }],
    });
    expect((await desk.run(['audit', 'verify', batch])).stdout).toContain(
      '4 requests, proven: 4 by an approval',
    );
  });

  it('is the run log, while it is kept, and else nothing', async () => {
    const { desk, batch, verify } = await sentPeople('free');
    expect(await verify(batch)).toMatchObject({
      exit_code: 0,
      chains: [{ rows: { requests: 4, approved: 0, logged: 4, unproven: '{}' } }, {}],
    });
    const log = await hideLog(desk);
    expect(await verify(batch)).toMatchObject({
      exit_code: 0,
      chains: [{ rows: { requests: 4, approved: 0, logged: 0, unproven: '{[2,6)}' } }, {}],
    });
    const { stdout } = await desk.run(['audit', 'verify', batch]);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('4 neither by an approval nor by a run log (rows 2-5)');
    expect(await verify(batch, '--log', log)).toMatchObject({ chains: [{ rows: { logged: 4 } }, {}] });
  });
});

describe('a change of a row that was sent is found', () => {
  it.each<[string, 'approved' | 'free', 'kept' | 'hidden', string, readonly string[]]>([
    ['its request', 'free', 'hidden', 'request_changed', [otherRequest]],
    ['its request, with its hash', 'free', 'kept', 'request_not_logged', [otherRequest, withItsHash]],
    ['its request, with its hash', 'approved', 'hidden', 'row_not_approved', [otherRequest, withItsHash]],
    [
      'its endpoint, with its hash',
      'approved',
      'hidden',
      'row_not_approved',
      ["UPDATE requests SET path = '/v1/others' WHERE row_number = 3", withItsHash],
    ],
    [
      'the amount in its record',
      'approved',
      'hidden',
      'row_not_approved',
      [`UPDATE row_inputs SET record = record || '{"amount":"5"}' WHERE row_number = 3`],
    ],
    [
      'that its record is gone',
      'free',
      'hidden',
      'record_lost',
      ['DELETE FROM row_inputs WHERE row_number = 3'],
    ],
    [
      'the id of its object',
      'free',
      'hidden',
      'object_not_answered',
      ["UPDATE created_objects SET object_id = 'cus_eve' WHERE row_number = 3"],
    ],
    [
      'the id of its object, with that of the answer',
      'free',
      'hidden',
      'object_not_answered',
      [
        "UPDATE created_objects SET object_id = 'cus_eve' WHERE row_number = 3",
        "UPDATE attempts SET object_id = 'cus_eve' WHERE row_number = 3",
      ],
    ],
    [
      'the id of its object, with the whole answer',
      'free',
      'kept',
      'object_missing',
      [
        `UPDATE attempts a SET object_id = 'cus_eve', answer = replace(a.answer, f.object_id, 'cus_eve')
         FROM created_objects f WHERE f.row_number = 3 AND a.row_number = 3`,
        "UPDATE created_objects SET object_id = 'cus_eve' WHERE row_number = 3",
      ],
    ],
    [
      'what its answer says',
      'free',
      'hidden',
      'object_not_answered',
      [
        `UPDATE attempts a SET answer = replace(a.answer, f.object_id, 'cus_eve')
         FROM created_objects f WHERE f.row_number = 3 AND a.row_number = 3`,
      ],
    ],
    [
      'that its object is gone',
      'free',
      'hidden',
      'object_missing',
      ['DELETE FROM created_objects WHERE row_number = 3'],
    ],
    [
      'that its object is gone, with its answer',
      'free',
      'kept',
      'object_missing',
      ['DELETE FROM created_objects WHERE row_number = 3', 'DELETE FROM attempts WHERE row_number = 3'],
    ],
  ])('%s (%s, the run log %s): %s', async (_, control, log, code, statements) => {
    const { desk, database, batch, verify } = await sentPeople(control);
    if (log === 'hidden') await hideLog(desk);
    for (const sql of statements) await executeByHand(database, sql);
    const found = await verify(batch);
    expect(found.exit_code).toBe(5);
    expect(found.chains[0]?.problems.map((problem) => problem.code)).toEqual([code]);
    expect(found.chains[0]?.problems[0]?.message).toContain('row 3');
  });
});

it('a row that is gone with all that tells of it is missed: the trail has the number of rows', async () => {
  const { desk, database, batch, verify } = await sentPeople('free');
  await hideLog(desk);
  for (const table of ['row_states', 'row_inputs', 'requests', 'created_objects', 'attempts'])
    await executeByHand(database, `DELETE FROM ${table} WHERE row_number = 3`);
  const found = await verify(batch);
  expect(found.exit_code).toBe(5);
  expect(found.chains[0]?.problems.map(({ code }) => code)).toEqual(['record_changed']);
});

describe('a claim is held against the approval that it names', () => {
  it.each<[string, readonly string[]]>([
    ['none, though the policy asked for one', ['UPDATE claims SET approval_id = NULL']],
    ['one that was given later', ["UPDATE claims SET claimed_at = claimed_at - interval '1 hour'"]],
  ])('%s', async (_, statements) => {
    const { database, batch, verify } = await sentPeople('approved');
    for (const sql of statements) await executeByHand(database, sql);
    const found = await verify(batch);
    expect(found.exit_code).toBe(5);
    expect(found.chains[0]?.problems.map(({ code }) => code)).toContain('claim_not_approved');
  });
});
