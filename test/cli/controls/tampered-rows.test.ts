/* Rows that are changed after they were sent are found by `audit verify`: by approvals, by run logs, and by the answers. */

import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hashOfGroup, hashOfInput } from '../../../migrations/0001-schema/rows.ts';
import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import { type Desk, openDesk } from '../../support/cli-desk.ts';
import { csvOf, customers } from '../../support/cli-files.ts';
import { approveContent, firstPolicy } from '../../support/controls.ts';
import { executeByHand } from '../../support/ledger-rows.ts';
import { emptyLedger, logOf } from '../../support/lost-ledger.ts';

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

/** What is changed, in which batch, whether its run log is kept, the problems that are found, and the statements that change it. */
type TamperedRow = [string, 'approved' | 'free', 'kept' | 'hidden', string, readonly string[]];

const otherRequest = `UPDATE requests SET body = convert_to(replace(convert_from(body, 'UTF8'), '@', '.eve@'), 'UTF8')
  WHERE row_number = 3`;
const withItsHash = `UPDATE requests SET fingerprint = sha256(convert_to('POST ' || path || chr(10), 'UTF8') || body)
  WHERE row_number = 3`;

/** Gives the rows, and the group in which they were staged, the hashes that they would have had. */
const hashedAnew = [
  `UPDATE row_inputs i SET hash = ${hashOfInput('b.leaf_salt')} FROM batches b WHERE b.id = i.batch_id`,
  `UPDATE staged_hashes g SET hash = ${hashOfGroup}`,
];

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
  it.each<TamperedRow>([
    ['its request', 'free', 'hidden', 'request_changed', [otherRequest]],
    ['its request, with its hash', 'free', 'kept', 'request_not_logged', [otherRequest, withItsHash]],
    ['its request, with its hash', 'free', 'hidden', 'request_not_staged', [otherRequest, withItsHash]],
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
      'row_not_staged and row_not_approved',
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
    ...['cells', 'findings', 'notes'].map(
      (column): TamperedRow => [
        `its ${column}`,
        'free',
        'hidden',
        'row_not_staged',
        [`UPDATE row_inputs SET ${column} = '["else"]' WHERE row_number = 3`],
      ],
    ),
    [
      'its record, where nobody approved it',
      'free',
      'hidden',
      'row_not_staged',
      [`UPDATE row_inputs SET record = record || '{"amount":"5"}' WHERE row_number = 3`],
    ],
    [
      'what was answered, where the log is kept',
      'free',
      'kept',
      'answer_not_logged',
      [`UPDATE attempts SET http_status = 299 WHERE row_number = 3`],
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
    expect(found.chains[0]?.problems.map((problem) => problem.code)).toEqual(code.split(' and '));
    expect(found.chains[0]?.problems[0]?.message).toContain('row 3');
  });
});

it('the hashes of changed rows cannot be made to fit: the trail has a hash over them', async () => {
  const { desk, database, batch, verify } = await sentPeople('free');
  await hideLog(desk);
  const change = `UPDATE row_inputs SET cells = '["else"]' WHERE row_number = 3`;
  for (const sql of [change, ...hashedAnew.slice(0, 1)]) await executeByHand(database, sql);
  expect((await verify(batch)).chains[0]?.problems).toMatchObject([
    { code: 'rows_not_staged', message: expect.stringContaining('from row 2 on') },
  ]);
  for (const sql of hashedAnew) await executeByHand(database, sql);
  expect((await verify(batch)).chains[0]?.problems).toMatchObject([
    { code: 'record_changed', message: expect.stringContaining('the hash of the rows') },
  ]);
});

describe('a recheck writes new hashes where the old ones were right, and only there', () => {
  /** Four customers that were staged; after these statements the institutions of a row are checked again. */
  async function rechecked(row: number, statements: readonly string[]): Promise<readonly string[]> {
    const desk = await openDesk();
    const { database, close } = openServerLedger(desk.databaseUrl ?? '');
    onTestFinished(close);
    const file = await desk.write('people.csv', csvOf(customers(4)));
    const batch = (await desk.json(['plan', file])).summary.batches[0]?.batch ?? '';
    for (const sql of statements) await executeByHand(database, sql);
    await database.transaction(async (transaction) => {
      await transaction.raw('SELECT lock_batch(?)', [batch]);
      await transaction.raw(`SELECT note_recheck(?, ?, ARRAY['["found today"]'], NULL, NULL)`, [
        batch,
        [row],
      ]);
    });
    const { rows } = await database.raw('SELECT findings FROM row_inputs WHERE row_number = ?', [row]);
    expect(rows).toEqual([{ findings: '["found today"]' }]);
    const { summary } = await desk.json(['audit', 'verify', batch]);
    return (summary as unknown as Verified).chains.flatMap(({ problems }) =>
      problems.map(({ code, message }) => `${code} ${/row \d+/.exec(message)?.[0]}`),
    );
  }
  const otherCells = `UPDATE row_inputs SET cells = '["else"]' WHERE row_number = 3`;

  it.each<[string, number, readonly string[], readonly string[]]>([
    ['nothing was changed', 3, [], []],
    ['the row itself was changed', 3, [otherCells], ['row_not_staged row 3']],
    ['another row of its group was changed', 4, [otherCells], ['row_not_staged row 3']],
    [
      'the row itself was changed, with its own hash',
      3,
      [otherCells, ...hashedAnew.slice(0, 1)],
      ['rows_not_staged row 2'],
    ],
    [
      'another row of its group was changed, with its own hash',
      4,
      [otherCells, ...hashedAnew.slice(0, 1)],
      ['rows_not_staged row 2'],
    ],
  ])('before it %s', async (_, row, statements, problems) => {
    expect(await rechecked(row, statements)).toEqual(problems);
  });
});

describe('of a refused row is found', () => {
  it.each([
    ['another code', 'code_not_answered', "UPDATE row_states SET code = 'harmless' WHERE row_number = 3"],
    ['that its answer is gone', 'answer_missing', 'DELETE FROM attempts WHERE row_number = 3'],
  ])('%s', async (_, code, statement) => {
    const desk = await openDesk({ onRequest: ({ method }) => (method === 'POST' ? '422' : undefined) });
    const { database, close } = openServerLedger(desk.databaseUrl ?? '');
    onTestFinished(close);
    const file = await desk.write('people.csv', csvOf(customers(4)));
    const batch = (await desk.json(['import', file])).summary.batches[0]?.batch ?? '';
    await hideLog(desk);
    const verify = async (): Promise<Verified> =>
      (await desk.json(['audit', 'verify', batch])).summary as unknown as Verified;
    expect(await verify()).toMatchObject({ exit_code: 0 });
    await executeByHand(database, statement);
    expect(await verify()).toMatchObject({
      exit_code: 5,
      chains: [{ problems: [{ code, message: expect.stringContaining('row 3') }] }, {}],
    });
  });
});

describe('no answer is missed', () => {
  const codesOf = async (
    desk: Desk,
    env: Readonly<Record<string, string>> = {},
  ): Promise<readonly string[]> => {
    const { chains } = (await desk.json(['audit', 'verify'], { env })).summary as unknown as Verified;
    return chains.flatMap(({ problems }) => problems.map(({ code }) => code));
  };

  it('of rows that took several requests, over several runs', async () => {
    let requests = 0;
    const desk = await openDesk({
      onRequest: ({ method }) =>
        method !== 'POST' || ++requests > 8 ? undefined : requests % 2 ? '500_after' : '422',
    });
    const file = await desk.write('people.csv', csvOf(customers(4)));
    const { summary } = await desk.json(['import', file, '--max-attempts', '1']);
    await desk.json(['resume', summary.batches[0]?.batch ?? '', '--max-attempts', '1']);
    await desk.json(['retry', summary.batches[0]?.batch ?? '']);
    expect(requests).toBeGreaterThan(5);
    expect(await codesOf(desk)).toEqual([]);
  });

  it('in a recovered ledger, which never had them', async () => {
    const desk = await openDesk({ onRequest: ({ method }) => (method === 'POST' ? '422' : undefined) });
    const file = await desk.write('people.csv', csvOf(customers(4)));
    await desk.json(['import', file]);
    const log = await logOf(desk);
    const env = await emptyLedger(desk);
    const recovered = await desk.json(['recover', '--log', log, file], { env });
    expect(recovered.summary.batches[0]?.counts).toEqual({ rejected: 4 });
    expect(await codesOf(desk, env)).not.toContain('answer_missing');
  });
});

describe('what the trail says of a batch, a run or a key is compared', () => {
  it.each<[string, 'approved' | 'free', number, string, string]>([
    ['that claims are gone', 'approved', 0, 'what was claimed by run', 'DELETE FROM claims'],
    [
      'the API key of a claim',
      'free',
      0,
      'what was claimed by run',
      "UPDATE claims SET credential = 'another'",
    ],
    [
      'the approval of a claim, for another one',
      'approved',
      0,
      'what was claimed by run',
      'UPDATE claims SET approval_id = gen_random_uuid()',
    ],
    [
      'the mapping with which the file was read',
      'free',
      0,
      'how the file was read',
      `UPDATE batch_readings SET mapping = '{"kind":"recipients"}'`,
    ],
    ['the mode of an API key', 'free', 1, 'the mode of API key', "UPDATE credentials SET mode = 'live'"],
    ['that an API key was accepted', 'free', 1, 'the mode of API key', 'DELETE FROM credentials'],
    ['where an API key was accepted', 'free', 1, 'the use of API key', 'DELETE FROM credential_uses'],
  ])('%s', async (_, control, chain, message, statement) => {
    const { desk, database, batch, verify } = await sentPeople(control);
    await hideLog(desk);
    await executeByHand(database, statement);
    const found = await verify(batch);
    expect(found.exit_code).toBe(5);
    expect(found.chains[chain]?.problems.map((problem) => problem.message).join('\n')).toContain(message);
  });
});

it('a row that is deleted with all its records is reported as missing: the trail has the number of rows', async () => {
  const { desk, database, batch, verify } = await sentPeople('free');
  await hideLog(desk);
  for (const table of ['row_states', 'row_inputs', 'requests', 'created_objects', 'attempts'])
    await executeByHand(database, `DELETE FROM ${table} WHERE row_number = 3`);
  const found = await verify(batch);
  expect(found.exit_code).toBe(5);
  expect(found.chains[0]?.problems.map(({ code }) => code)).toEqual(['record_changed', 'rows_not_staged']);
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
