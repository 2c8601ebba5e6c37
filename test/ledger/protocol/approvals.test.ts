import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endRun } from '../../../src/ledger/batches/runs.ts';
import { lockBatch } from '../../../src/ledger/protocol/batch-lock.ts';
import { claimRows } from '../../../src/ledger/sending/claim.ts';
import { bindVerbs } from '../../../src/ledger/verbs.ts';
import {
  addPerson,
  approvalOf,
  approveRows,
  consoleOf,
  openSessionOf,
  proposePolicy,
  type TestPerson,
  testLeaves,
  testRule,
  writeApproval,
} from '../../support/controls.ts';
import { emptyLedger, forEachLedger } from '../../support/ledger.ts';
import {
  attempt,
  type BatchUnderRun,
  beginTestRun,
  claim,
  claimRequest,
  conclude,
  executeByHand,
  readyBatch,
} from '../../support/ledger-rows.ts';

const live = { environment: { mode: 'live', origin: 'https://api.example' } } as const;
/** What the verb makes of it, and what the database itself says. */
const notApproved = { name: 'ApprovalStop' };
const refusedByDatabase = { code: 'PB008' };

forEachLedger((openTestLedger) => {
  let database: Knex;
  let ada: TestPerson;
  let ben: TestPerson;
  let held: BatchUnderRun;

  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });
  beforeEach(async () => {
    await emptyLedger(database);
    ada = await addPerson(database, 'ada');
    ben = await addPerson(database, 'ben');
    held = await readyBatch(database, 4, 2, live);
  });

  const underTheLock = (sql: string, bindings: readonly string[]): Promise<unknown> =>
    database.transaction(async (transaction) => {
      await lockBatch(transaction, held.batch.id);
      await transaction.raw(sql, bindings);
    });
  const firstPolicy = (rule: Readonly<Record<string, unknown>> = {}): Promise<number> =>
    proposePolicy(database, { rules: [testRule(rule)], approvers: ['ada', 'ben'] });
  const rowsUnder = async (approvalId: string, given = {}): Promise<number[]> =>
    (await claim(database, held, { approvalId, ...given })).map(({ row }) => row);
  const allRows = '{[2,6)}';
  const approve = (person: TestPerson, rows = allRows, given = {}): Promise<string> =>
    approveRows(database, person, held.batch.id, rows, given);

  describe('a decision that the console has signed', () => {
    const refused = { constraint: 'console_may_decide' };
    const atConsole = async (given: object = {}): Promise<string> => {
      const console = await consoleOf(database, 'ada');
      return approve(console, allRows, { session: console.session, ...given });
    };

    it('counts where the policy takes it, with an open session of its approver', async () => {
      await firstPolicy({ console: true });
      expect(await rowsUnder(await atConsole())).toHaveLength(4);
    });

    it('is not taken where the policy does not say so, for other people, or without an open session', async () => {
      await firstPolicy();
      await expect(atConsole()).rejects.toMatchObject(refused);
      await proposePolicy(database, { rules: [testRule({ console: true })], by: 'dan' });
      await expect(atConsole()).rejects.toMatchObject(refused);
      for (const person of [ada, ben]) {
        const parts = { subject: 'policy', batch: undefined, proposedVersion: 2, contentHash: '' };
        const none = {
          planHash: undefined,
          changesHash: undefined,
          contentRevision: undefined,
          environment: undefined,
          rowsHash: undefined,
        };
        await writeApproval(database, person, approvalOf(person, '', { ...none, ...parts }));
      }
      for (const session of [undefined, randomUUID(), await openSessionOf(database, 'ben')]) {
        await expect(atConsole({ session, policy: 2 }), session).rejects.toMatchObject(refused);
      }
      const console = await consoleOf(database, 'ada');
      await executeByHand(database, 'UPDATE console_sessions SET ended_at = now()', []);
      const late = approve(console, allRows, { session: console.session, policy: 2 });
      await expect(late).rejects.toMatchObject(refused);
      expect(await rowsUnder(await atConsole({ policy: 2 }))).toHaveLength(4);
    });

    it('does not count where it was written past that: without the policy, or under the session of another', async () => {
      const writtenPast = async (session?: string): Promise<string> => {
        await database.raw('ALTER TABLE approvals DISABLE TRIGGER console_may_decide');
        const id = await atConsole(session === undefined ? {} : { session });
        await database.raw('ALTER TABLE approvals ENABLE TRIGGER console_may_decide');
        return id;
      };
      await firstPolicy();
      await expect(rowsUnder(await writtenPast())).rejects.toMatchObject(notApproved);
      await emptyLedger(database);
      ada = await addPerson(database, 'ada');
      ben = await addPerson(database, 'ben');
      held = await readyBatch(database, 4, 2, live);
      await firstPolicy({ console: true });
      for (const session of [randomUUID(), await openSessionOf(database, 'ben')]) {
        await expect(rowsUnder(await writtenPast(session)), session).rejects.toMatchObject(notApproved);
      }
      expect(await rowsUnder(await writtenPast())).toHaveLength(4);
    });

    it('counts no longer when a policy does not take it any more, and never for a maker or a locked approver', async () => {
      await firstPolicy({ console: true });
      await executeByHand(database, 'UPDATE batches SET made_by = ?', ['ada']);
      await expect(rowsUnder(await atConsole())).rejects.toMatchObject(notApproved);
      await executeByHand(database, 'UPDATE batches SET made_by = ?', ['mia']);
      const approved = await atConsole();
      await database.raw(`UPDATE users SET locked_at = now(), locked_by = 'dan' WHERE name = 'ada'`);
      await expect(rowsUnder(approved)).rejects.toMatchObject(notApproved);
    });

    it('is about batches alone, and its key belongs to no user', async () => {
      await firstPolicy({ console: true });
      const console = await consoleOf(database, 'ada');
      await proposePolicy(database, { by: 'dan' });
      const parts = { subject: 'policy', batch: undefined, proposedVersion: 2, contentHash: '' };
      const none = {
        planHash: undefined,
        changesHash: undefined,
        contentRevision: undefined,
        environment: undefined,
      };
      const statement = approvalOf(console, '', { ...none, ...parts, session: console.session });
      await expect(writeApproval(database, console, statement)).rejects.toMatchObject(refused);
      for (const change of [`kind = 'person', user_name = 'ada'`, `user_name = 'ada'`]) {
        const sql = `UPDATE user_keys SET ${change} WHERE id = ?`;
        await expect(database.raw(sql, [console.keyId]), change).rejects.toThrow();
      }
      await database.raw('UPDATE user_keys SET replaced_at = now() WHERE id = ?', [console.keyId]);
      const retired = await approve(console, allRows, { session: console.session });
      await expect(rowsUnder(retired)).rejects.toMatchObject(notApproved);
    });
  });

  describe('a claim', () => {
    it('needs no approval without a policy, and none in another mode or of another kind', async () => {
      expect(await claim(database, held)).toHaveLength(4);
      await firstPolicy({ kinds: ['recipients'] });
      expect(await claim(database, await readyBatch(database, 1, 1, live))).toHaveLength(1);
      const sandbox = await readyBatch(database, 1, 1);
      expect(await claim(database, sandbox)).toHaveLength(1);
    });

    it('is refused without an approval, by every login', async () => {
      await firstPolicy();
      await expect(claim(database, held)).rejects.toMatchObject(notApproved);
      const request = claimRequest(held);
      await expect(
        underTheLock('INSERT INTO claims (batch_id, lease_token, run_id, credential) VALUES (?, ?, ?, ?)', [
          held.batch.id,
          request.leaseToken,
          held.run.id,
          'key',
        ]),
      ).rejects.toMatchObject(refusedByDatabase);
      await expect(claim(database, held, { approvalId: randomUUID() })).rejects.toMatchObject(notApproved);
    });

    it('takes the rows of an approved plan, and says under which approval', async () => {
      await firstPolicy();
      const id = await approve(ada);
      expect(await rowsUnder(id)).toEqual([2, 3, 4, 5]);
      const { rows } = await database.raw('SELECT approval_id FROM claims WHERE batch_id = ?', [
        held.batch.id,
      ]);
      expect(rows).toEqual([{ approval_id: id }]);
    });

    it('takes only chunks whose rows are all in the plan', async () => {
      await firstPolicy();
      const id = await approve(ada, '{[2,4),[5,6)}');
      expect(await rowsUnder(id)).toEqual([2, 3]);
      expect(await rowsUnder(id)).toEqual([]);
      await expect(
        underTheLock(
          'UPDATE send_chunks SET lease_token = (SELECT max(lease_token) FROM claims) WHERE batch_id = ? AND lease_token IS NULL',
          [held.batch.id],
        ),
      ).rejects.toMatchObject(refusedByDatabase);
    });

    it('counts as many different approvers as the rule asks for, each for all rows of the plan', async () => {
      await firstPolicy({ approvers: 2 });
      const first = await approve(ada);
      await expect(rowsUnder(first)).rejects.toMatchObject(notApproved);
      await expect(rowsUnder(await approve(ada))).rejects.toMatchObject(notApproved);
      // Of the plan that both have seen.
      const fewer = await approve(ben, '{[2,4)}');
      await expect(rowsUnder(first)).rejects.toMatchObject(notApproved);
      expect(await rowsUnder(fewer)).toEqual([2, 3]);
    });

    it.each([
      [
        'of another policy',
        async () => {
          const id = await approve(ada);
          const version = await proposePolicy(database, { by: 'ada' });
          await writeApproval(database, ben, {
            ...approvalOf(ben, ''),
            subject: 'policy',
            batch: undefined,
            proposedVersion: version,
            contentHash: '',
          } as never);
          return id;
        },
      ],
      [
        'of a locked user',
        async () => {
          const id = await approve(ada);
          await database.raw("UPDATE users SET locked_at = now(), locked_by = 'ben' WHERE name = 'ada'");
          return id;
        },
      ],
      [
        'with a key that was replaced',
        async () => {
          const id = await approve(ada);
          await database.raw("UPDATE user_keys SET replaced_at = now() WHERE user_name = 'ada'");
          return id;
        },
      ],
      [
        'before a rejection',
        async () => {
          const id = await approve(ada);
          await writeApproval(
            database,
            ben,
            approvalOf(ben, held.batch.id, { decision: 'reject', planHash: undefined }),
          );
          return id;
        },
      ],
      [
        'of an approver who was never appointed',
        async () => {
          const eve = await addPerson(database, 'eve');
          return approve(eve);
        },
      ],
      [
        'of a maker',
        async () => {
          const cy = await addPerson(database, 'cy', 'maker');
          return approve(cy);
        },
      ],
      ['of earlier content', () => approve(ada, allRows, { contentRevision: '-1' })],
    ])('does not count an approval %s', async (_, given) => {
      await firstPolicy();
      const id = await given();
      await expect(rowsUnder(id)).rejects.toMatchObject(notApproved);
    });

    it('does not count an approval whose time is over since it was signed, though its owner renews the time in the table', async () => {
      await firstPolicy({ validForInMs: 60_000 });
      const id = await approve(ada, allRows, { at: new Date(Date.now() - 120_000).toISOString() });
      await executeByHand(database, 'UPDATE approvals SET decided_at = now()');
      await expect(rowsUnder(id)).rejects.toMatchObject(notApproved);
    });

    it('counts approvals together for the same content alone, and for rows that have left one of the plans', async () => {
      await firstPolicy({ approvers: 2 });
      const approveLeaves = async (person: TestPerson, rows: string, contentOf: (row: number) => string) =>
        writeApproval(
          database,
          person,
          approvalOf(person, held.batch.id),
          rows,
          await testLeaves(database, rows, contentOf),
        );
      const first = await approveLeaves(ada, allRows, (row) => (row === 3 ? 'of before' : 'same'));
      const other = await approveLeaves(ben, allRows, () => 'same');
      for (const id of [first, other]) await expect(rowsUnder(id)).rejects.toMatchObject(notApproved);
      expect(await rowsUnder(await approveLeaves(ben, '{[2,3),[4,6)}', () => 'same'))).toEqual([4, 5]);
    });

    it('does not count an approval whose time is over', async () => {
      await firstPolicy({ validForInMs: 1 });
      const id = await approve(ada);
      await expect(rowsUnder(id)).rejects.toMatchObject(notApproved);
    });

    it('does not count the approval of the person who had the batch staged, unless the policy says so', async () => {
      await executeByHand(database, "UPDATE batches SET made_by = 'ada' WHERE id = ?", [held.batch.id]);
      await firstPolicy();
      await expect(rowsUnder(await approve(ada))).rejects.toMatchObject(notApproved);
      expect(await rowsUnder(await approve(ben))).toHaveLength(4);
    });

    it('is refused where the maker is unknown', async () => {
      await executeByHand(database, 'UPDATE batches SET made_by = NULL WHERE id = ?', [held.batch.id]);
      await firstPolicy();
      await expect(rowsUnder(await approve(ada))).rejects.toMatchObject(notApproved);
    });

    it('takes rows in doubt under every approval in force', async () => {
      await claim(database, held).then((claimed) =>
        conclude(database, held, claimed, {
          state: 'unknown',
          attempts: [attempt({ outcome: 'unknown', reason: 'timeout' })],
        }),
      );
      await endRun(database, held.run.id, 'decision_needed');
      held = { ...held, run: await beginTestRun(database, held.batch) };
      await firstPolicy();
      await expect(claim(database, held)).rejects.toMatchObject(notApproved);
      expect(await rowsUnder(await approve(ada, '{[2,3)}'))).toEqual([2, 3, 4, 5]);
    });
  });

  describe('a rule with thresholds', () => {
    const isFree = async (rule: Readonly<Record<string, unknown>>): Promise<boolean> => {
      await firstPolicy(rule);
      return claimRows(database, claimRequest(held)).then(
        () => true,
        () => false,
      );
    };

    it('asks from a number of rows on', async () => {
      expect(await isFree({ fromRows: 5 })).toBe(true);
    });
    it('asks at that number', async () => {
      expect(await isFree({ fromRows: 4 })).toBe(false);
    });
    it('asks for changed payees whatever the thresholds', async () => {
      await executeByHand(
        database,
        `INSERT INTO payee_changes SELECT id, 2, 'payee_details_changed', id, 2, environment_id, '', '', '' FROM batches WHERE id = ?`,
        [held.batch.id],
      );
      expect(await isFree({ fromRows: 5 })).toBe(false);
    });
    it('asks from a sum of a currency on', async () => {
      await executeByHand(
        database,
        `UPDATE row_inputs SET record = record || '{"amount":"25.50","currency":"KES"}' WHERE batch_id = ?`,
        [held.batch.id],
      );
      expect(await isFree({ fromSum: { KES: '102.00', USD: '1' } })).toBe(false);
    });
    /** What a batch counts for while rows behind row 2 are in a state in which they do not count, and are ready again then. */
    const whileSetAside = async (state: string, look: () => Promise<void>): Promise<void> => {
      await executeByHand(
        database,
        'CREATE TABLE set_aside AS SELECT * FROM row_states WHERE row_number > 2',
      );
      await executeByHand(
        database,
        `UPDATE row_states SET state = ?, same_as = 2, owned_key = NULL, chunk = NULL WHERE row_number > 2`,
        [state],
      );
      await look();
      await executeByHand(
        database,
        `UPDATE row_states s SET state = b.state, same_as = NULL, owned_key = b.owned_key, chunk = b.chunk FROM set_aside b
         WHERE b.batch_id = s.batch_id AND b.row_number = s.row_number`,
      );
      await executeByHand(database, 'DROP TABLE set_aside');
    };
    const isAsked = async (): Promise<boolean> =>
      (await bindVerbs(database).readApprovals([held.batch.id])).size > 0;
    it.each(['invalid', 'duplicate'])(
      'asks for what was staged, though rows are %s while it is measured',
      async (state) => {
        await firstPolicy({ fromRows: 4 });
        await whileSetAside(state, async () => {
          expect(await isAsked()).toBe(true);
        });
        await expect(claim(database, held)).rejects.toMatchObject(notApproved);
      },
    );
    it('asks at the claim for rows that did not count when it was staged', async () => {
      await firstPolicy({ fromRows: 4 });
      await executeByHand(database, 'UPDATE staged_measures SET rows = 1');
      await whileSetAside('invalid', async () => {
        expect(await isAsked()).toBe(false);
      });
      expect(await isAsked()).toBe(false);
      await expect(claim(database, held)).rejects.toMatchObject(notApproved);
      expect(await isAsked()).toBe(true);
    });
    it.each<[string, boolean]>([
      ['approve', false],
      ['free', true],
    ])('in one currency: other ones with otherSums %s', async (otherSums, isWithout) => {
      await executeByHand(
        database,
        `UPDATE row_inputs SET record = record || '{"amount":"0.01","currency":"KES"}' WHERE batch_id = ?`,
        [held.batch.id],
      );
      expect(await isFree({ fromSum: { USD: '1' }, otherSums })).toBe(isWithout);
    });
    it.each<[string, boolean]>([
      ['recipients', false],
      ['collections', false],
      ['accounts', true],
    ])('of sums: rows without an amount, of the kind %s', async (kind, isWithout) => {
      held = await readyBatch(database, 1, 1, { ...live, kind: kind as 'recipients' });
      expect(await isFree({ fromSum: { USD: '1' } })).toBe(isWithout);
    });
    it('does not ask below that sum, or for other currencies where the rule says so', async () => {
      await executeByHand(
        database,
        `UPDATE row_inputs SET record = record || '{"amount":"25.50","currency":"KES"}' WHERE batch_id = ?`,
        [held.batch.id],
      );
      expect(await isFree({ fromSum: { KES: '102.01', USD: '1' } })).toBe(true);
    });
  });

  describe('the policy', () => {
    const inForce = async (): Promise<number | null> =>
      (await database.raw('SELECT policy_in_force() AS version')).rows[0].version;
    const approveProposal = (person: TestPerson, given: Readonly<Record<string, unknown>>): Promise<string> =>
      writeApproval(database, person, {
        ...approvalOf(person, ''),
        batch: undefined,
        policy: 1,
        ...given,
      } as never);

    it('is in force at once when it is the first, if enough approvers are named', async () => {
      await expect(
        proposePolicy(database, { rules: [testRule({ approvers: 2 })], approvers: ['ada'] }),
      ).rejects.toMatchObject({ constraint: 'enough_approvers' });
      await firstPolicy({ approvers: 2 });
      expect(await inForce()).toBe(1);
    });

    it('is replaced once as many have approved as the strictest live rule asks for, not counting its proposer', async () => {
      await addPerson(database, 'cleo');
      await proposePolicy(database, {
        rules: [testRule({ approvers: 2 })],
        approvers: ['ada', 'ben', 'cleo'],
      });
      const version = await proposePolicy(database, { rules: [], by: 'ada' });
      await approveProposal(ada, { subject: 'policy', proposedVersion: version, contentHash: '' });
      await approveProposal(ben, { subject: 'policy', proposedVersion: version, contentHash: '' });
      expect(await inForce()).toBe(1);
      await expect(
        database.raw('UPDATE policies SET in_force_at = now() WHERE version = ?', [version]),
      ).rejects.toThrow(/not allowed/);
    });

    it('appoints an approver once enough have approved', async () => {
      await firstPolicy();
      const eve = await addPerson(database, 'eve');
      await expect(database.raw("UPDATE users SET active_at = now() WHERE name = 'eve'")).rejects.toThrow(
        /not allowed/,
      );
      await approveProposal(ada, { subject: 'user', proposedUser: 'eve', proposedKey: eve.keyId });
      expect(await rowsUnder(await approve(eve))).toHaveLength(4);
    });

    it('is restored only where no user is left who can approve', async () => {
      await firstPolicy();
      const restore = (): Promise<unknown> =>
        database.raw(
          'INSERT INTO policies (version, content, proposed_by, is_restored) VALUES (1, \'{"rules":[],"approvers":[]}\', \'owner\', true)',
        );
      await expect(restore()).rejects.toThrow(/who can approve/);
      await database.raw("UPDATE users SET locked_at = now(), locked_by = 'x' WHERE active_at IS NOT NULL");
      await restore();
      expect(await inForce()).toBe(2);
    });
  });

  describe('statements, users and keys', () => {
    it('are never rewritten', async () => {
      await firstPolicy();
      await approve(ada);
      for (const sql of [
        'UPDATE approvals SET signature = signature',
        'DELETE FROM approvals',
        'DELETE FROM users',
        "UPDATE users SET role = 'admin' WHERE name = 'ada'",
        "UPDATE user_keys SET public_key = 'x', id = encode(sha256('x'), 'hex')",
        "UPDATE policies SET content = '{}'",
      ]) {
        await expect(database.raw(sql), sql).rejects.toMatchObject({ code: '23001' });
      }
    });

    it('are used once, and soon', async () => {
      await firstPolicy();
      const statement = approvalOf(ada, held.batch.id);
      await writeApproval(database, ada, statement, allRows);
      await expect(writeApproval(database, ada, statement, allRows)).rejects.toMatchObject({ code: '23505' });
      const old = new Date(Date.now() - 2 * 3_600_000).toISOString();
      await expect(approve(ada, allRows, { at: old })).rejects.toMatchObject({
        constraint: 'signed_in_time',
      });
    });

    it('name the rows that were signed', async () => {
      await firstPolicy();
      await expect(
        writeApproval(database, ada, approvalOf(ada, held.batch.id, { rowsHash: 'another' }), null),
      ).rejects.toMatchObject({ constraint: 'approved_plan_is_whole' });
    });
  });
});
