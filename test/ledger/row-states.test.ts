import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BatchIdentity } from '../../src/domain/batches/batch.ts';
import { type RowState, rowStates, type Transition, transitions } from '../../src/domain/rows/row-state.ts';
import { restoreRows } from '../../src/ledger/after-sending/restore.ts';
import { closeUnsentRows, keepLoggedClosing } from '../../src/ledger/batches/closing.ts';
import { prolongRun, takeOverExpired } from '../../src/ledger/batches/runs.ts';
import { releaseCorrections, supersedeCorrected } from '../../src/ledger/before-sending/corrections.ts';
import { releaseWaiting } from '../../src/ledger/before-sending/plans.ts';
import { writePreparations } from '../../src/ledger/before-sending/prepare.ts';
import { writeRechecked, writeVerified } from '../../src/ledger/before-sending/recheck.ts';
import { changeRows } from '../../src/ledger/protocol/batch-lock.ts';
import { execute } from '../../src/ledger/query/sql.ts';
import { explainOtherCredentials, holdExpiredKeys } from '../../src/ledger/sending/claim.ts';
import { recordRepeatedAnswers } from '../../src/ledger/sending/lost-facts.ts';
import { recordConclusions } from '../../src/ledger/sending/record.ts';
import { forEachLedger } from '../support/ledger.ts';
import {
  attempt,
  type BatchUnderRun,
  besides,
  claim,
  conclude,
  executeByHand,
  readyBatch,
  readyPreparation,
  stagedBatch,
  stagedRow,
  statesOf,
  storedRow,
} from '../support/ledger-rows.ts';
import { isSampled } from '../support/sampled.ts';

const reason = { code: 'a_code', field: null, message: 'A sentence.' };
const lease = '77';

/** What a row of each state has besides, so that every constraint is content. */
const evidence: Readonly<Record<RowState, string>> = {
  staged: 'owned_key = NULL',
  waiting: 'owned_key = NULL',
  ready: 'owned_key = natural_key',
  sending: `first_sent_at = now() - interval '1 h', lease_token = ${lease}, run_id = (SELECT id FROM runs r WHERE r.batch_id = row_states.batch_id)`,
  created: "object_id = 'object-2', first_sent_at = now()",
  rejected: 'owned_key = NULL, first_sent_at = now()',
  unknown: "first_sent_at = now() - interval '1 h', may_exist = true, credential = 'key one'",
  held: "first_sent_at = now() - interval '1 h', may_exist = true, credential = 'key one'",
  invalid: 'owned_key = NULL',
  existing: "owned_key = NULL, object_id = 'object-9'",
  duplicate: 'owned_key = NULL, same_as = 1',
};

forEachLedger((openTestLedger, engine) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  async function rowIn(state: RowState, given: Partial<BatchIdentity> = {}): Promise<BatchUnderRun> {
    const held = await readyBatch(database, 1, 1, given);
    const needsNewRequest = state === 'staged' || state === 'waiting';
    await executeByHand(
      database,
      "INSERT INTO claims (batch_id, lease_token, run_id, credential) VALUES (?, ?, ?, 'key one')",
      [held.batch.id, lease, held.run.id],
    );
    await executeByHand(
      database,
      `UPDATE row_states SET chunk = NULL, state = ?, generation = ?, changed_at = now() - interval '1 h', ${evidence[state]} WHERE batch_id = ?`,
      [state, needsNewRequest ? 2 : 1, held.batch.id],
    );
    await executeByHand(database, 'UPDATE send_chunks SET open_rows = 0 WHERE batch_id = ?', [held.batch.id]);
    return held;
  }

  /** The same for a row whose state follows from its chunk, where it may. */
  async function rowInChunk(state: 'ready' | 'sending' | 'created'): Promise<BatchUnderRun> {
    const held = await readyBatch(database, 1);
    if (state === 'ready') return held;
    const claimed = await claim(database, held, { leaseToken: lease });
    if (state === 'created') await conclude(database, held, claimed, { attempts: [attempt()] });
    return held;
  }

  const inChunks = ['ready', 'sending', 'created'] as const;

  /** Every way in which a row can be in one of these states. */
  const placesOf = (states: readonly RowState[]) => [
    ...states.map((state) => ({ state, place: state, make: () => rowIn(state) })),
    ...inChunks
      .filter((state) => states.includes(state))
      .map((state) => ({ state, place: `${state} in a chunk`, make: () => rowInChunk(state) })),
  ];

  const sendingAs = { row: 2, generation: 1, leaseToken: lease, idempotencyKey: '' };
  const record = (
    { batch, run }: BatchUnderRun,
    state: 'created' | 'rejected' | 'waiting' | 'unknown' | 'held' | 'ready',
  ) => {
    const conclusion = { state, objectId: 'object-2', code: null, message: null, attempts: [] };
    return recordConclusions(database, batch.id, run.id, [{ ...sendingAs, conclusion }]);
  };
  const prepare = ({ batch, run }: BatchUnderRun, to: 'ready' | 'waiting' | 'held' | 'existing') => {
    const preparation = {
      ready: readyPreparation(batch, 2, { generation: 2 }),
      waiting: { row: 2, generation: 2, to: 'waiting', reason } as const,
      held: { row: 2, generation: 2, to: 'held', reason } as const,
      existing: { row: 2, generation: 2, to: 'existing', objectId: 'object-9', reason } as const,
    };
    return writePreparations(database, batch.id, run.id, [preparation[to]]);
  };

  /** Every verb that moves rows, with the transition that it is allowed. */
  const verbs: readonly {
    name: string;
    transition: Transition;
    act: (held: BatchUnderRun) => Promise<unknown>;
  }[] = [
    ...transitions.prepare.to.map((to) => ({
      name: `writePreparations to ${to}`,
      transition: 'prepare' as const,
      act: (held: BatchUnderRun) => prepare(held, to),
    })),
    {
      name: 'releaseWaiting',
      transition: 'plan',
      act: ({ batch }) => releaseWaiting(database, batch.id, [2]),
    },
    ...transitions.recheck.to.map((to) => ({
      name: `writeRechecked to ${to}`,
      transition: 'recheck' as const,
      act: ({ batch }: BatchUnderRun) =>
        writeRechecked(database, batch.id, [{ row: 2, to, findings: [], reason }]),
    })),
    ...transitions.verify.to.map((to) => ({
      name: `writeVerified to ${to}`,
      transition: 'verify' as const,
      act: async ({ batch }: BatchUnderRun) => {
        // A row that no list could verify is held before it was ever sent.
        await executeByHand(
          database,
          `UPDATE row_states SET code = 'institution_unverifiable', first_sent_at = NULL, may_exist = false, owned_key = NULL,
             credential = NULL WHERE batch_id = ? AND state = 'held'`,
          [batch.id],
        );
        const verified =
          to === 'staged'
            ? ({ row: 2, to, resource: 'customers', record: {}, notes: [] } as const)
            : ({ row: 2, to, findings: [], reason } as const);
        return writeVerified(database, batch.id, [verified]);
      },
    })),
    ...transitions.restore.to.map((to) => ({
      name: `restoreRows as ${to}`,
      transition: 'restore' as const,
      act: ({ batch, run }: BatchUnderRun) => {
        const objectId = to === 'created' || to === 'existing' ? 'object-2' : null;
        if (to === 'existing' || to === 'invalid')
          return restoreRows(database, batch.id, run.id, [], [{ row: 2, state: to, objectId, reason }]);
        const ready = readyPreparation(batch, 2, { generation: 2 });
        const sent = { firstSentAt: '2026-01-02T03:04:05.678Z', credential: 'key one', attempts: 1 };
        const restoration = { ready, state: to, objectId, reason, ...sent, httpStatus: 500, answer: null };
        return restoreRows(database, batch.id, run.id, [restoration]);
      },
    })),
    { name: 'claimRows', transition: 'claim', act: (held) => claim(database, held) },
    ...transitions.record.to.map((to) => ({
      name: `recordConclusions as ${to}`,
      transition: 'record' as const,
      act: (held: BatchUnderRun) => record(held, to),
    })),
    ...(['supersede', 'supersedeRefused'] as const).map((transition) => ({
      name: `supersedeCorrected, as ${transition} says`,
      transition,
      act: async ({ batch }: BatchUnderRun) => {
        // A row that may exist is not superseded: this one is held before it was ever sent.
        if (transition === 'supersede')
          await executeByHand(
            database,
            `UPDATE row_states SET first_sent_at = NULL, may_exist = false, owned_key = NULL, credential = NULL
           WHERE batch_id = ? AND state = 'held'`,
            [batch.id],
          );
        const [state] = Object.values(await statesOf(database, batch));
        if ((transition === 'supersede') === (state === 'rejected')) return;
        const corrects = { batch: batch.id, row: 2 };
        await stagedBatch(database, [stagedRow(2, { corrects })], besides(batch));
        await supersedeCorrected(database, batch.id, 0);
      },
    })),
    {
      name: 'releaseCorrections',
      transition: 'release',
      act: async ({ batch }) => {
        const first = await stagedBatch(database, 1, besides(batch));
        await executeByHand(
          database,
          'INSERT INTO corrected_rows (batch_id, row_number, first_batch_id, first_row) VALUES (?, 2, ?, 2)',
          [batch.id, first.id],
        );
        await executeByHand(
          database,
          `UPDATE row_states SET code = 'corrects_in_doubt', first_sent_at = NULL, may_exist = false, owned_key = NULL,
             credential = NULL, origin_batch = ?, origin_row = 2, origin_place = 0 WHERE batch_id = ? AND state = 'held'`,
          [first.id, batch.id],
        );
        return releaseCorrections(database, batch.id);
      },
    },
    {
      name: 'closeUnsentRows',
      transition: 'close',
      act: async ({ batch }) => {
        // A row that may exist is not closed: this one is held before it was ever sent.
        await executeByHand(
          database,
          `UPDATE row_states SET first_sent_at = NULL, may_exist = false, owned_key = NULL, credential = NULL
           WHERE batch_id = ? AND state = 'held'`,
          [batch.id],
        );
        await keepLoggedClosing(database, batch.id);
        return closeUnsentRows(database, batch.id, 0);
      },
    },
    {
      name: 'takeOverExpired',
      transition: 'takeOver',
      act: async ({ batch, run }) => {
        await execute(database, 'UPDATE runs SET lease_until = now() WHERE id = ?', [run.id]);
        return takeOverExpired(database, batch.id);
      },
    },
    {
      name: 'holdExpiredKeys',
      transition: 'expireKey',
      act: ({ batch }) => holdExpiredKeys(database, batch.id, 0),
    },
  ];

  describe.each(verbs)('$name', ({ name, transition, act }) => {
    const { from, to }: { from: readonly RowState[]; to: readonly RowState[] } = transitions[transition];

    it('moves rows of the states that the table names, to states that it names', async () => {
      for (const { place, make } of placesOf(from)) {
        const held = await make();
        await act(held);
        const after = await storedRow(database, held.batch, 2);
        expect(to, `${name} from ${place}`).toContain(after['state']);
      }
    });

    // Both engines carry out the same statements, so the sample looks at their conditions on one of them.
    it.skipIf(isSampled && engine === 'embedded ledger')(
      'does not touch a row of any other state',
      async () => {
        for (const { place, make } of placesOf(rowStates.filter((other) => !from.includes(other)))) {
          const held = await make();
          const before = await storedRow(database, held.batch, 2);
          await act(held);
          expect(await storedRow(database, held.batch, 2), `${name} from ${place}`).toEqual(before);
        }
      },
    );
  });

  it('is not moved by a sign of life, an explanation, or an answer to a request that was sent once more', async () => {
    for (const { state, make } of placesOf(rowStates)) {
      const held = await make();
      const repeated = [{ ...sendingAs, idempotencyKey: randomUUID(), objectId: 'object-2' }].map((row) => ({
        ...row,
        conclusion: { attempts: [attempt({ number: 9, objectId: 'other' })] },
      }));
      await recordRepeatedAnswers(database, held.batch.id, held.run.id, repeated);
      await prolongRun(database, held.run.id, 60_000);
      await explainOtherCredentials(database, held.batch.id, 'key two');
      expect((await storedRow(database, held.batch, 2))['state']).toBe(state);
    }
  });

  it('does not let a row that may exist become rejected, waiting or ready', async () => {
    for (const state of ['rejected', 'waiting', 'ready'] as const) {
      const held = await rowIn('sending');
      await executeByHand(database, 'UPDATE row_states SET may_exist = true WHERE batch_id = ?', [
        held.batch.id,
      ]);
      await expect(record(held, state)).rejects.toThrow(/doubt_is_remembered/);
      expect([...(await record(held, 'held'))]).toEqual([2]);
    }
  });

  const broken: readonly [constraint: string, state: RowState, change: string][] = [
    ['row_states_state_check', 'staged', "state = 'sent'"],
    ['created_has_evidence', 'created', 'object_id = NULL'],
    ['created_has_evidence', 'existing', 'object_id = NULL'],
    ['live_owns_its_key', 'ready', 'owned_key = NULL'],
    ['live_owns_its_key', 'sending', 'owned_key = NULL'],
    ['live_owns_its_key', 'unknown', 'owned_key = NULL'],
    ['live_owns_its_key', 'created', 'owned_key = NULL'],
    ['refused_owns_nothing', 'rejected', 'owned_key = natural_key'],
    ['refused_owns_nothing', 'existing', 'owned_key = natural_key'],
    ['sending_has_lease', 'sending', 'lease_token = NULL'],
    ['sending_has_lease', 'unknown', `lease_token = ${lease}`],
    ['row_has_its_claim', 'sending', 'lease_token = 1'],
    ['row_has_its_chunk', 'ready', 'chunk = 99'],
    ['chunk_is_of_fresh_rows', 'staged', 'chunk = 1'],
    ['sent_has_time', 'unknown', 'first_sent_at = NULL'],
    ['sent_has_time', 'rejected', 'first_sent_at = NULL'],
    ['unsent_starts_afresh', 'ready', 'first_sent_at = now()'],
    ['unsent_starts_afresh', 'staged', 'first_sent_at = now()'],
    ['doubt_is_remembered', 'unknown', 'may_exist = false'],
    ['doubt_is_remembered', 'rejected', 'may_exist = true'],
    ['doubt_is_remembered', 'staged', 'may_exist = true'],
    ['duplicate_names_original', 'duplicate', 'same_as = NULL'],
    ['generation', 'staged', 'generation = 0'],
    ['origin_is_whole', 'staged', 'origin_row = 2'],
  ];

  it.each(broken)('the database itself refuses by %s: %s with %s', async (constraint, state, what) => {
    const held = await rowIn(state);
    const change = `UPDATE row_states SET ${what} WHERE batch_id = ?`;
    const update = changeRows(database, held.batch.id, change, [held.batch.id]);
    await expect(update).rejects.toThrow(constraint);
  });

  it('the database itself refuses a second owner of a natural key', async () => {
    const one = await rowIn('created');
    const two = await rowIn('unknown', besides(one.batch));
    const { owned_key: owned } = await storedRow(database, one.batch, 2);
    const change = 'UPDATE row_states SET owned_key = ? WHERE batch_id = ?';
    const update = changeRows(database, two.batch.id, change, [owned, two.batch.id]);
    await expect(update).rejects.toThrow('rows_own_key_once');
  });
});
