/* What is added to the audit trail, by whatever program, and that nothing of it is changed. */

import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AuditEvent, auditHash, checkChain } from '../../../src/domain/controls/audit.ts';
import { addReconciliation } from '../../../src/ledger/after-sending/reconciliations.ts';
import { nameActor, readAuditEvents, readAuditHeads } from '../../../src/ledger/audit/events.ts';
import { beginRun, endRun, prolongRun, takeOverExpired } from '../../../src/ledger/batches/runs.ts';
import { savePlan } from '../../../src/ledger/before-sending/plans.ts';
import { giveUpBatch } from '../../../src/ledger/before-sending/stage.ts';
import { lockBatch } from '../../../src/ledger/protocol/batch-lock.ts';
import {
  addPerson,
  approvalOf,
  approveRows,
  firstPolicy,
  proposePolicy,
  writeApproval,
} from '../../support/controls.ts';
import { forEachLedger } from '../../support/ledger.ts';
import { beginTestBatch, beginTestRun, readyBatch, stagedBatch } from '../../support/ledger-rows.ts';
import { nothingFound } from '../../support/reconciliations.ts';

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  async function eventsOf(chain: string): Promise<AuditEvent[]> {
    const found: AuditEvent[] = [];
    for await (const events of readAuditEvents(database, chain)) found.push(...events);
    return found;
  }

  /** Actor, channel and event of each event, in order. */
  async function storyOf(chain: string): Promise<string[]> {
    return (await eventsOf(chain)).map(({ actor, channel, event }) => `${actor} (${channel}) ${event}`);
  }

  async function newEvents(chain: string, work: () => Promise<unknown>): Promise<AuditEvent[]> {
    const before = (await eventsOf(chain)).length;
    await work();
    return (await eventsOf(chain)).slice(before);
  }

  async function expectWhole(chain: string): Promise<void> {
    const check = checkChain((await readAuditHeads(database, [chain])).get(chain));
    for (const event of await eventsOf(chain)) check.add(event);
    expect(check.result().problem).toBeNull();
  }

  describe('the chain of a batch', () => {
    it('records how it was staged and planned, and its runs', async () => {
      const batch = await stagedBatch(database, 3);
      const run = await beginTestRun(database, batch);
      await savePlan(database, batch.id, 'hash', { send: [], skip: [] });
      await savePlan(database, batch.id, 'hash', { send: [], skip: [] });
      await prolongRun(database, run.id, 60_000);
      await endRun(database, run.id, 'done');
      await endRun(database, run.id, 'stopped');
      expect(await storyOf(batch.id)).toEqual([
        'maker (library) run.begun',
        'maker (library) batch.staged',
        'maker (library) run.begun',
        'maker (library) plan.saved',
        'maker (library) run.ended',
      ]);
      const [, staged, , , ended] = await eventsOf(batch.id);
      expect(JSON.parse(staged?.details ?? '')).toMatchObject({
        rows: 3,
        content_hash: batch.contentHash,
        reading_hash: batch.readingHash,
        made_by: 'maker',
        mode: 'sandbox',
      });
      expect(JSON.parse(ended?.details ?? '')).toEqual({ run: run.id, command: 'import', outcome: 'done' });
      await expectWhole(batch.id);
    });

    it('records a run that was lost, and a batch that was given up and came back', async () => {
      const batch = await beginTestBatch(database);
      const lost = await beginTestRun(database, batch);
      await database.raw(`UPDATE runs SET lease_until = now() - interval '1 minute' WHERE id = ?`, [lost.id]);
      await takeOverExpired(database, batch.id);
      const run = await beginTestRun(database, batch);
      await giveUpBatch(database, batch.id, run.id);
      expect(await storyOf(batch.id)).toEqual([
        'maker (library) run.begun',
        'maker (library) run.lost',
        'maker (library) run.begun',
        'maker (library) batch.given_up',
      ]);
      await expectWhole(batch.id);
    });

    it('has one event for all verdicts of a statement, with their hash, and no note', async () => {
      const { batch, run } = await readyBatch(database, 4);
      const decide = (rows: string, note: string): Promise<AuditEvent[]> =>
        newEvents(batch.id, () =>
          database.raw(
            `INSERT INTO verdicts (batch_id, row_number, generation, from_state, attempts, verdict, note, decided_by, run_id)
             SELECT batch_id, row_number, 1, 'held', 0, CASE row_number WHEN 2 THEN 'not-created' ELSE 'send' END, '${note}', 'ada', '${run.id}'
             FROM row_states WHERE batch_id = ? AND row_number IN (${rows})`,
            [batch.id],
          ),
        );
      const events = await decide('2, 3, 4', 'Mrs Kariuki has called');
      expect(events).toMatchObject([{ actor: 'ada', channel: 'library', event: 'verdicts.given' }]);
      expect(events[0]?.details).not.toContain('Kariuki');
      expect(JSON.parse(events[0]?.details ?? '')).toMatchObject({
        rows: 3,
        verdicts: { 'not-created': 1, send: 2 },
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      expect(await decide('99', '')).toEqual([]);
    });

    it('records who approved it and who compared it, by which channel', async () => {
      const { ada } = await firstPolicy(database, ['ada', 'ben']);
      const { batch } = await readyBatch(database, 2);
      const decided = await newEvents(batch.id, async () => {
        await approveRows(database, ada, batch.id, '{[2,4)}', { note: 'as agreed with Mr Otieno' });
        await writeApproval(database, ada, approvalOf(ada, batch.id, { decision: 'reject' }));
        await addReconciliation(
          database,
          batch.id,
          {
            compared: { files: [] },
            result: { breaks: 1 },
            madeBy: 'cy',
            channel: 'console',
            outcome: 'decision_needed',
          },
          nothingFound,
        );
      });
      expect(decided.map(({ actor, channel, event }) => [actor, channel, event])).toEqual([
        ['ada', 'database', 'batch.approved'],
        ['ada', 'database', 'batch.rejected'],
        ['cy', 'console', 'reconciliation.made'],
      ]);
      expect(decided.map(({ details }) => details).join()).not.toMatch(/Otieno|breaks/);
      await expectWhole(batch.id);
    });

    it('has the time of the database, and who was logged in there', async () => {
      const batch = await stagedBatch(database, 1);
      const [first] = await eventsOf(batch.id);
      expect(first?.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      const { rows } = await database.raw('SELECT session_user AS name');
      expect(first?.databaseUser).toBe(rows[0].name);
    });

    it('has nothing of a transaction that was undone', async () => {
      const batch = await stagedBatch(database, 1);
      const undone = new Error('undone');
      const added = await newEvents(batch.id, () =>
        expect(
          database.transaction(async (transaction) => {
            await savePlan(transaction, batch.id, 'hash', { send: [], skip: [] });
            throw undone;
          }),
        ).rejects.toBe(undone),
      );
      expect(added).toEqual([]);
    });
  });

  describe('the chain of users, keys and policies', () => {
    it('records each change, in the order in which one followed from the other', async () => {
      const { database: own } = await openTestLedger();
      const people = [await addPerson(own, 'ada'), await addPerson(own, 'ben')];
      await proposePolicy(own, { approvers: ['ada', 'ben'] });
      const version = await proposePolicy(own, { by: 'ben' });
      const [ada, ben] = people;
      if (ada === undefined || ben === undefined) throw new Error('nobody was added');
      const about = { subject: 'policy', proposedVersion: version, contentHash: '', batch: undefined };
      await writeApproval(own, ada, approvalOf(ada, '', about));
      await own.transaction(async (transaction) => {
        await nameActor(transaction, { name: 'cy', channel: 'command line' });
        await transaction.raw(`UPDATE users SET locked_at = now(), locked_by = 'cy' WHERE name = 'ben'`);
        await transaction.raw(`UPDATE user_keys SET replaced_at = now() WHERE id = ?`, [ben.keyId]);
      });
      const events: AuditEvent[] = [];
      for await (const page of readAuditEvents(own, 'controls')) events.push(...page);
      expect(events.map(({ actor, channel, event }) => `${actor} (${channel}) ${event}`)).toEqual([
        'postgres (database) trail.begun',
        'owner (database) user.added',
        'postgres (database) key.added',
        'owner (database) user.added',
        'postgres (database) key.added',
        'owner (database) policy.proposed',
        'owner (database) policy.in_force',
        'owner (database) user.activated',
        'owner (database) user.activated',
        'ben (database) policy.proposed',
        'ada (database) policy.approved',
        'ada (database) policy.in_force',
        'cy (command line) user.locked',
        'cy (command line) key.replaced',
      ]);
    });
  });

  it('is hashed alike by the database and by the program, whatever a name contains', async () => {
    const batch = await beginTestBatch(database);
    const names = ['Zoë "the\\ \u0001\u001f\u007f\n\t\b\f\r second"', "O'Neill / 名前 🙂 %s"];
    for (const name of names) {
      const actor = { name, channel: 'a "channel"\u2028' };
      await beginRun(database, {
        ...{ id: randomUUID(), batchId: batch.id, command: 'import', leaseInMs: 60_000, join: true },
        actor,
      });
    }
    const events = await eventsOf(batch.id);
    expect(events.map(({ actor }) => actor)).toEqual(names);
    expect(events.map(auditHash)).toEqual(events.map(({ hash }) => hash));
    await expectWhole(batch.id);
  });

  it('only grows: what is there is neither changed nor removed, and what is added gets its place', async () => {
    const batch = await stagedBatch(database, 1);
    const only = (sql: string): Promise<unknown> => expect(database.raw(sql)).rejects.toThrow('are never');
    await only(`UPDATE audit_events SET actor = 'nobody' WHERE chain = '${batch.id}'`);
    await only(`DELETE FROM audit_events WHERE chain = '${batch.id}'`);
    await only('TRUNCATE audit_events');
    await only('TRUNCATE audit_heads');
    await only(`DELETE FROM audit_heads WHERE chain = '${batch.id}'`);
    await only(`UPDATE audit_heads SET number = 1 WHERE chain = '${batch.id}'`);
    await only(`UPDATE audit_heads SET hash = '' WHERE chain = '${batch.id}'`);
    await database.raw(
      `INSERT INTO audit_events (chain, number, happened_at, database_user, actor, channel, event, details, previous_hash, hash)
       VALUES ('${batch.id}', 1, '2001-01-01', 'nobody', 'ada', 'command line', 'batch.approved', '{}', '', '')`,
    );
    await expectWhole(batch.id);
    const last = (await eventsOf(batch.id)).at(-1);
    expect(last).toMatchObject({ number: 3, databaseUser: 'postgres' });
    expect(last?.at).not.toMatch(/^2001/);
  });

  it('takes the head of a chain last of all locks, at COMMIT', async () => {
    const batch = await stagedBatch(database, 1);
    await database.transaction(async (transaction) => {
      await lockBatch(transaction, batch.id);
      await savePlan(transaction, batch.id, 'hash', { send: [], skip: [] });
      const { rows } = await transaction.raw('SELECT number FROM audit_heads WHERE chain = ?', [batch.id]);
      expect(rows).toEqual([{ number: 2 }]);
    });
    expect((await readAuditHeads(database, [batch.id])).get(batch.id)?.number).toBe(3);
  });
});
