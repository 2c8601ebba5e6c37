/* A rewrite of the audit trail, or of a table that it covers, is found with its place, even if it was made with all triggers off. */

import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import type { AuditHead } from '../../src/domain/batches/batch-facts.ts';
import { sha256 } from '../../src/domain/controls/statement.ts';
import type { AuditVerification } from '../../src/engine/audit.ts';
import { addReconciliation } from '../../src/ledger/after-sending/reconciliations.ts';
import { endRun } from '../../src/ledger/batches/runs.ts';
import { savePlan } from '../../src/ledger/before-sending/plans.ts';
import { openServerLedger } from '../../src/ledger/connection/open.ts';
import { lockBatch } from '../../src/ledger/protocol/batch-lock.ts';
import { uncheckedRows } from '../../src/ledger/query/sql.ts';
import { addPerson, approveRequests, firstPolicy } from '../support/controls.ts';
import { openEngine } from '../support/engine.ts';
import { createDatabase, dropDatabase } from '../support/ledger.ts';
import { executeByHand, readyBatch, restoreStagingRuns } from '../support/ledger-rows.ts';
import { nothingFound } from '../support/reconciliations.ts';

let template: string;
let batch: string;
/** Of the chain of the batch, before any change by hand. */
let head: AuditHead;

beforeAll(async () => {
  const databaseUrl = await createDatabase();
  template = new URL(databaseUrl).pathname.slice(1);
  const ledger = openServerLedger(databaseUrl);
  const { database } = ledger;
  const { ada } = await firstPolicy(database, ['ada', 'ben']);
  await addPerson(database, 'cy', 'admin');
  await database.raw(`UPDATE users SET locked_at = now(), locked_by = 'cy' WHERE name = 'ben'`);
  const held = await readyBatch(database, 4);
  batch = held.batch.id;
  await savePlan(database, batch, 'hash', { send: [], skip: [] });
  await database.transaction(async (transaction) => {
    await lockBatch(transaction, batch);
    await transaction.raw(
      `INSERT INTO verdicts (batch_id, row_number, generation, from_state, attempts, verdict, note, decided_by, run_id)
       SELECT batch_id, row_number, 1, 'held', 0, 'send', 'by phone', 'cy', ? FROM row_states WHERE batch_id = ?`,
      [held.run.id, batch],
    );
  });
  const contentRevision = String(
    (await database.raw('SELECT content_revision(?) AS id', [batch])).rows[0].id,
  );
  await approveRequests(database, ada, batch, '{[2,6)}', { contentRevision });
  const made = { compared: {}, result: {}, madeBy: 'cy', channel: 'library', outcome: 'done' } as const;
  await addReconciliation(database, batch, made, nothingFound);
  await endRun(database, held.run.id, 'done');
  await restoreStagingRuns(database);
  const heads = await uncheckedRows<AuditHead>(
    database,
    'SELECT number, hash FROM audit_heads WHERE chain = ?',
    [batch],
  );
  head = heads[0] ?? expect.fail('the batch has no chain');
  await ledger.close();
  return () => dropDatabase(databaseUrl);
});

/** A copy of the ledger after these statements, with all triggers off. */
async function tamperedWith(...statements: readonly string[]): Promise<string> {
  const databaseUrl = await createDatabase(template);
  onTestFinished(() => dropDatabase(databaseUrl));
  const ledger = openServerLedger(databaseUrl);
  for (const sql of statements) await executeByHand(ledger.database, sql.replaceAll('BATCH', `'${batch}'`));
  await ledger.close();
  return databaseUrl;
}

async function verify(
  databaseUrl: string,
  given: { readonly batch?: string; readonly head?: string; readonly out?: string } = {},
): Promise<AuditVerification> {
  const out = given.out ?? (await mkdtemp(join(inject('testFolder'), 'audit-')));
  const engine = await openEngine({ ledger: { databaseUrl }, output: { out } });
  return engine.verifyAudit({ batch: given.batch, head: given.head }).result;
}

/** Every problem, with its chain. */
async function problemsAfter(...statements: readonly string[]): Promise<unknown[]> {
  const { chains, outcome } = await verify(await tamperedWith(...statements));
  const found = chains.flatMap(({ chain, problems }) => problems.map((problem) => ({ chain, ...problem })));
  expect(outcome).toBe(found.length === 0 ? 'done' : 'decision_needed');
  return found;
}

const hashAnew = `UPDATE audit_events e SET hash = encode(sha256(convert_to(audit_line(e), 'UTF8')), 'hex')`;

it('finds nothing wrong in an unchanged ledger', async () => {
  expect(await problemsAfter()).toEqual([]);
});

describe('a chain in which', () => {
  it.each([
    ['the time was changed', `happened_at = happened_at - interval '1 microsecond'`],
    ['the database user was changed', `database_user = 'nobody'`],
    ['the actor was changed', `actor = 'nobody'`],
    ['the channel was changed', `channel = 'console'`],
    ['the event was changed', `event = 'batch.rejected'`],
    ['the details were changed', `details = replace(details, '"hash"', '"hush"')`],
    ['only the spaces of the details were changed', `details = replace(details, ': ', ':')`],
    ['the previous hash was changed', `previous_hash = repeat('0', 64)`],
    ['the hash was changed', `hash = repeat('0', 64)`],
    [
      'nothing that can be read stands any more',
      `event = 'verdicts.given', details = '{"first": "x", "rows": {}}'`,
    ],
  ])('%s', async (_, change) => {
    const [first] = await problemsAfter(
      `UPDATE audit_events SET ${change} WHERE chain = BATCH AND number = 4`,
    );
    expect(first).toEqual({ chain: batch, code: 'event_changed', number: 4 });
  });

  it.each([
    [
      'an event and its hash were changed',
      [
        `UPDATE audit_events SET actor = 'nobody' WHERE chain = BATCH AND number = 4`,
        `${hashAnew} WHERE number = 4`,
      ],
      { code: 'link_broken', number: 5 },
    ],
    [
      'the last event and its hash were changed',
      [
        `UPDATE audit_events SET actor = 'nobody' WHERE chain = BATCH AND number = 8`,
        `${hashAnew} WHERE number = 8`,
      ],
      { code: 'head_differs', number: 8 },
    ],
    [
      'the first event was removed',
      ['DELETE FROM audit_events WHERE chain = BATCH AND number = 1'],
      { code: 'event_missing', number: 1 },
    ],
    [
      'an event was removed',
      ['DELETE FROM audit_events WHERE chain = BATCH AND number = 4'],
      { code: 'event_missing', number: 4 },
    ],
    [
      'an event was removed and the others were counted anew',
      [
        'DELETE FROM audit_events WHERE chain = BATCH AND number = 4',
        'UPDATE audit_events SET number = number + 100 WHERE chain = BATCH AND number > 4',
        'UPDATE audit_events SET number = number - 101 WHERE chain = BATCH AND number > 100',
      ],
      { code: 'event_changed', number: 4 },
    ],
    [
      'the end was removed',
      ['DELETE FROM audit_events WHERE chain = BATCH AND number > 6'],
      { code: 'tail_missing', number: 7, head: 8 },
    ],
    [
      'everything was removed',
      ['DELETE FROM audit_events WHERE chain = BATCH'],
      { code: 'tail_missing', number: 1, head: 8 },
    ],
    [
      'the head was removed',
      ['DELETE FROM audit_heads WHERE chain = BATCH'],
      { code: 'head_differs', number: null },
    ],
    [
      'two events were swapped',
      [
        'UPDATE audit_events SET number = 99 WHERE chain = BATCH AND number = 4',
        'UPDATE audit_events SET number = 4 WHERE chain = BATCH AND number = 5',
        'UPDATE audit_events SET number = 5 WHERE chain = BATCH AND number = 99',
      ],
      { code: 'event_changed', number: 4 },
    ],
    [
      'an event was inserted',
      [
        'UPDATE audit_events SET number = number + 100 WHERE chain = BATCH AND number > 4',
        'UPDATE audit_events SET number = number - 99 WHERE chain = BATCH AND number > 100',
        `INSERT INTO audit_events SELECT chain, 5, happened_at, database_user, 'nobody', channel, event, details, hash, ''
         FROM audit_events WHERE chain = BATCH AND number = 4`,
        `${hashAnew} WHERE chain = BATCH AND number = 5`,
      ],
      { code: 'event_changed', number: 6 },
    ],
    [
      'an event was moved to another chain',
      [`UPDATE audit_events SET chain = 'controls', number = 99 WHERE chain = BATCH AND number = 4`],
      { code: 'event_missing', number: 4 },
    ],
  ] as const)('%s', async (_, statements, problem) => {
    const found = await problemsAfter(...statements);
    expect(found.find((each) => (each as { chain: string }).chain === batch)).toEqual({
      chain: batch,
      ...problem,
    });
  });
});

describe('a table in which', () => {
  const changed = (what: string, id: unknown = expect.any(String)): object => ({
    code: 'record_changed',
    what,
    id,
  });
  const unnoted = (what: string): object => ({ code: 'record_unnoted', what });
  const missing = (what: string): object => ({ code: 'record_missing', what });

  it.each([
    ['an approval was removed', 'DELETE FROM approvals', missing('approval')],
    ['a signature was changed', `UPDATE approvals SET signature = '\\x00'`, changed('approval')],
    [
      'a statement was changed',
      `UPDATE approvals SET statement = replace(statement, '"note":""', '"note":"x"')`,
      changed('approval'),
    ],
    [
      'an approval was copied without an event',
      `INSERT INTO approvals (statement, signature, rows, proof) SELECT replace(statement, '"note":""', '"note":"x"'), signature, rows, proof FROM approvals`,
      unnoted('approval'),
    ],
    ['a verdict was removed', 'DELETE FROM verdicts WHERE row_number = 3', changed('verdicts')],
    [
      'a verdict was changed',
      `UPDATE verdicts SET verdict = 'not-created' WHERE row_number = 3`,
      changed('verdicts'),
    ],
    [
      "a verdict's note was changed",
      `UPDATE verdicts SET note = '' WHERE row_number = 3`,
      changed('verdicts'),
    ],
    ['all verdicts were removed', 'DELETE FROM verdicts', missing('verdicts')],
    [
      'a verdict was added without an event',
      `INSERT INTO verdicts (batch_id, row_number, generation, from_state, attempts, verdict, decided_by, run_id)
       SELECT batch_id, row_number, 1, 'held', 0, 'send', 'cy', run_id FROM verdicts WHERE row_number = 3`,
      unnoted('verdicts'),
    ],
    ['the maker was changed', `UPDATE batches SET made_by = 'ada'`, changed('batch')],
    ['the batch was removed', 'DELETE FROM batches', missing('batch')],
    ['the mode of an environment was changed', "UPDATE environments SET mode = 'live'", changed('batch')],
    ['a batch is said to be of another kind', "UPDATE batches SET kind = 'accounts'", changed('batch')],
    ['a batch has another file name', "UPDATE batches SET file_name = 'other.csv'", changed('batch')],
    [
      'the time of an approval was renewed',
      "UPDATE approvals SET decided_at = now() + interval '1 day'",
      changed('approval'),
    ],
    ['a run was deleted', 'DELETE FROM runs', missing('run')],
    ['a plan was deleted', 'DELETE FROM plans', missing('plan')],
    ['a plan was changed', `UPDATE plans SET totals = '{"send": [], "skip": [1]}'`, changed('plan')],
    [
      'a plan was added without an event',
      `INSERT INTO plans (batch_id, plan_hash, totals) SELECT batch_id, 'other', totals FROM plans`,
      unnoted('plan'),
    ],
    ['a run is said to be of somebody else', `UPDATE runs SET started_by = 'ada'`, changed('run')],
    ['a run is said to have ended otherwise', `UPDATE runs SET outcome = 'stopped'`, changed('run_end')],
    [
      'a reconciliation was changed',
      `UPDATE reconciliations SET result = '{"breaks": 0}'`,
      changed('reconciliation'),
    ],
    [
      'a user has another role',
      `UPDATE users SET role = 'approver' WHERE name = 'cy'`,
      changed('user', 'cy'),
    ],
    [
      'a user was added without an event',
      `INSERT INTO users (name, role, added_by, active_at) VALUES ('eve', 'approver', 'cy', now())`,
      unnoted('user'),
    ],
    [
      'a user is not locked any more',
      `UPDATE users SET locked_at = NULL, locked_by = NULL`,
      missing('user_lock'),
    ],
    [
      'a key belongs to somebody else',
      `UPDATE user_keys SET user_name = 'eve' WHERE user_name = 'cy'`,
      changed('key'),
    ],
    [
      'a policy was changed',
      `UPDATE policies SET content = replace(content, '"approvers":1', '"approvers":0')`,
      changed('policy', '1'),
    ],
    ['a policy is not in force any more', 'UPDATE policies SET in_force_at = NULL', missing('policy_force')],
    [
      'an event never came into its chain',
      `INSERT INTO audit_inbox (chain, actor, channel, event, details) VALUES ('controls', 'cy', 'console', 'user.locked', '{}')`,
      unnoted('event'),
    ],
  ])('%s', async (_, statement, problem) => {
    expect(
      await problemsAfter('ALTER TABLE verdicts DROP CONSTRAINT verdicts_pkey CASCADE', statement),
    ).toContainEqual(expect.objectContaining(problem));
  });

  it('an approval was forged together with its event', async () => {
    const forged = `(SELECT replace(statement, '"note":""', '"note":"forged"') FROM approvals)`;
    const found = await problemsAfter(
      `UPDATE approvals SET statement = ${forged}`,
      `UPDATE audit_events SET details = jsonb_set(details::jsonb, '{statement_hash}',
         (SELECT to_jsonb(encode(sha256(convert_to(statement, 'UTF8')), 'hex')) FROM approvals))::text
       WHERE event = 'batch.approved'`,
      rewrite,
    );
    expect(found[0]).toMatchObject({ code: 'signature_wrong', what: 'approval' });
    // These requests are not made of the records: without the approval nothing proves them any more.
    expect(found.slice(1)).toEqual(
      [2, 3, 4, 5].map((row) => ({ chain: batch, code: 'request_not_staged', row })),
    );
  });
});

it('names the event whose details are no JSON any more', async () => {
  const found = await problemsAfter(
    'ALTER TABLE audit_events DROP CONSTRAINT audit_events_details_check',
    `UPDATE audit_events SET details = 'x' WHERE chain = BATCH AND number = 4`,
  );
  expect(found).toEqual([{ chain: batch, code: 'event_changed', number: 4 }]);
});

/** Makes the chain of the batch whole again, and its head fit. */
const rewrite = `DO $$ DECLARE e audit_events; last text := repeat('0', 64);
  BEGIN
    FOR e IN SELECT * FROM audit_events WHERE chain = BATCH ORDER BY number LOOP
      e.previous_hash := last;
      last := encode(sha256(convert_to(audit_line(e), 'UTF8')), 'hex');
      UPDATE audit_events SET previous_hash = e.previous_hash, hash = last WHERE chain = e.chain AND number = e.number;
      UPDATE audit_heads SET number = e.number, hash = last WHERE chain = e.chain;
    END LOOP;
  END $$`;

describe('a chain that was rewritten as a whole', () => {
  const statements = [
    `UPDATE audit_events SET channel = 'console' WHERE chain = BATCH AND event = 'plan.saved'`,
    rewrite,
  ];

  it('is consistent in itself, and is detected by a head that a person kept', async () => {
    expect(await problemsAfter(...statements)).toEqual([]);
    const databaseUrl = await tamperedWith(...statements);
    for (const named of [undefined, batch.slice(0, 8)]) {
      expect(await verify(databaseUrl, { ...(named && { batch: named }), head: head.hash })).toMatchObject({
        outcome: 'decision_needed',
        unknownHead: head.hash,
      });
    }
    const untouched = await tamperedWith();
    expect(await verify(untouched, { batch, head: head.hash.toUpperCase() })).toMatchObject({
      outcome: 'done',
      unknownHead: null,
    });
    expect(await verify(untouched, { batch: 'controls', head: head.hash })).toMatchObject({
      unknownHead: head.hash,
    });
  });

  it.each([
    ['rewritten', statements],
    [
      'cut, and its head with it',
      [
        'DELETE FROM audit_events WHERE chain = BATCH AND number > 7',
        rewrite,
        'UPDATE runs SET ended_at = NULL, outcome = NULL',
      ],
    ],
  ])('is detected by the head in a run log when it was %s', async (_, done) => {
    const databaseUrl = await tamperedWith(...done);
    const out = await mkdtemp(join(inject('testFolder'), 'audit-'));
    const ledger = openServerLedger(databaseUrl);
    const [environment] = await uncheckedRows<{ id: string }>(
      ledger.database,
      'SELECT ledger_id AS id FROM environments',
    );
    await ledger.close();
    const log = join(out, `people.${batch.slice(0, 8)}.run.jsonl`);
    const line = { time: new Date().toISOString(), event: 'audit.head', batch, run: 'r' };
    const named = { ...head, controls_number: null, controls_hash: null };
    const other = {
      ledger: '5d1f29e1-6ac2-4c4b-9e6a-0c8b1d7f1a11',
      ...named,
      hash: sha256('of another ledger'),
    };
    await writeFile(
      log,
      [other, { ledger: environment?.id, ...named }]
        .map((each) => `${JSON.stringify({ ...line, ...each })}\n`)
        .join(''),
    );
    const { chains } = await verify(databaseUrl, { out });
    expect(chains.flatMap(({ problems }) => problems)).toEqual([
      { code: 'logged_head_differs', ...head, log },
    ]);
    expect((await verify(await tamperedWith(), { out })).outcome).toBe('done');
  });
});

it('verifies one batch with the keys of its approvals, and refuses an unknown batch and an invalid head', async () => {
  const databaseUrl = await tamperedWith('DELETE FROM audit_events WHERE chain = BATCH AND number = 4');
  const { chains } = await verify(databaseUrl, { batch: batch.slice(0, 6) });
  expect(chains.map(({ chain }) => chain)).toEqual([batch, 'controls']);
  expect((await verify(databaseUrl, { batch: 'controls' })).outcome).toBe('done');
  await expect(verify(databaseUrl, { batch: '00000000' })).rejects.toMatchObject({ code: 'batch_not_found' });
  await expect(verify(databaseUrl, { head: 'abc' })).rejects.toMatchObject({ code: 'usage' });
});

it('exports lines that any program can verify, and writes a file that only its owner can read', async () => {
  const databaseUrl = await tamperedWith();
  const out = await mkdtemp(join(inject('testFolder'), 'audit-'));
  const engine = await openEngine({ ledger: { databaseUrl } });
  let written = '';
  const exported = await engine.exportAudit({
    to: (lines) => {
      written += lines;
    },
  }).result;
  const lines = written.trimEnd().split('\n');
  expect(lines).toHaveLength(exported.events);
  let previous = '';
  for (const line of lines) {
    const event = JSON.parse(line);
    expect(sha256(line.replace(/,"hash":"[0-9a-f]{64}"\}$/, '}'))).toBe(event.hash);
    expect(event.previous).toBe(event.number === 1 ? '0'.repeat(64) : previous);
    previous = event.hash;
  }
  expect(exported.heads).toContainEqual({ chain: batch, ...head });
  const path = join(out, 'trail.jsonl');
  await engine.exportAudit({ batch: batch.slice(0, 8), to: path }).result;
  expect(await readFile(path, 'utf8')).toBe(
    lines
      .filter((line) => line.startsWith(`{"chain":"${batch}"`))
      .map((line) => `${line}\n`)
      .join(''),
  );
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});
