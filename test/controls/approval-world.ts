import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { sha256 } from '../../src/domain/controls/statement.ts';
import { ApprovalStop } from '../../src/domain/sending/stops.ts';
import { openServerLedger } from '../../src/ledger/connection/open.ts';
import { lockBatch } from '../../src/ledger/protocol/batch-lock.ts';
import { bindVerbs, type LedgerVerbs } from '../../src/ledger/verbs.ts';
import { createRandom, type Random } from '../simulation/random.ts';
import {
  addNextKey,
  addPerson,
  approvalOf,
  proposePolicy,
  type TestPerson,
  testLeaves,
  testRule,
  writeApproval,
} from '../support/controls.ts';
import { createDatabase, dropDatabase, emptyLedger } from '../support/ledger.ts';
import {
  type BatchUnderRun,
  beginTestRun,
  claimRequest,
  executeByHand,
  readyBatch,
} from '../support/ledger-rows.ts';
import { type Happened, judge } from './approval-truth.ts';

const rowCount = 6;
const approvers = ['ada', 'ben', 'cleo'] as const;

/**
 * What the database notes as it happens, in the order in which locks are held: an approval under the lock of its batch,
 * users and policies under the lock of controls, a claim under both.
 */
const witnesses = `
  CREATE TABLE witnessed (seq bigserial PRIMARY KEY, what text NOT NULL, fact jsonb NOT NULL);
  CREATE FUNCTION witness() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO witnessed (what, fact) VALUES (TG_TABLE_NAME, to_jsonb(NEW));
    RETURN NULL;
  END $$;
  ${['claims', 'approvals', 'verdicts', 'users', 'user_keys', 'policies']
    .map(
      (table) =>
        `CREATE TRIGGER a_witness AFTER INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION witness();`,
    )
    .join('\n')}`;

/** A ledger on a server of which several programs have connections of their own; seeds happen in it one after the other. */
export interface ApprovalWorld {
  /** @returns what should not have happened, and how many rows were handed out */
  readonly run: (seed: number) => Promise<{ readonly wrong: readonly string[]; readonly rows: number }>;
  readonly close: () => Promise<void>;
}

/** A mistake in one of the ledger's functions. */
interface Planted {
  /** Name of the function. */
  readonly of: string;
  readonly find: string;
  readonly by: string;
}

export async function openApprovalWorld(planted: Planted | null = null): Promise<ApprovalWorld> {
  const databaseUrl = await createDatabase();
  const ledgers = Array.from({ length: 4 }, () => openServerLedger(databaseUrl));
  const [first] = ledgers;
  if (first === undefined) throw new Error('no ledger was opened');
  await first.database.raw(witnesses);
  if (planted !== null) await plant(first.database, planted);
  return {
    run: (seed) =>
      runSeed(
        ledgers.map(({ database }) => database),
        seed,
      ),
    close: async () => {
      for (const ledger of ledgers) await ledger.close();
      await dropDatabase(databaseUrl);
    },
  };
}

async function plant(database: Knex, { of, find, by }: Planted): Promise<void> {
  const { rows } = await database.raw(
    'SELECT pg_get_functiondef(oid) AS text FROM pg_proc WHERE proname = ?',
    [of],
  );
  const text: string = rows[0].text;
  if (!text.includes(find)) throw new Error(`${of} has no ${find}`);
  await database.raw(text.replaceAll(find, by).replaceAll('?', '\\?'));
}

interface Scene {
  readonly random: Random;
  readonly database: Knex;
  readonly people: Map<string, TestPerson>;
  readonly held: BatchUnderRun;
  readonly handedOut: { readonly approvalId: string | null; readonly row: number }[];
}

async function runSeed(databases: readonly Knex[], seed: number): ReturnType<ApprovalWorld['run']> {
  const random = createRandom(seed);
  const [database] = databases;
  if (database === undefined) throw new Error('no database');
  await emptyLedger(database);
  const people = new Map<string, TestPerson>();
  for (const name of approvers) people.set(name, await addPerson(database, name));
  const rule = testRule({ approvers: random.pick([1, 2]), makerMayApprove: random.chance(0.2) });
  await proposePolicy(database, { rules: [rule], approvers });
  const held = await readyBatch(database, rowCount, 2, {
    environment: { mode: 'live', origin: 'https://api.example' },
  });
  const maker = random.pick(['mia', 'ada', null]);
  await executeByHand(database, 'UPDATE batches SET made_by = ?', [maker]);
  const scene = (at: number): Scene => ({
    random: createRandom(seed * 100 + at),
    database: databases[at % databases.length] ?? database,
    people,
    held,
    handedOut,
  });
  const handedOut: Scene['handedOut'] = [];
  await Promise.all([
    ...[0, 1, 2].map((at) => worker(scene(at), at)),
    ...approvers.map((name, at) => approver(scene(3 + at), name)),
    controller(scene(7)),
    decider(scene(8)),
  ]);
  const { rows } = await database.raw('SELECT what, fact FROM witnessed ORDER BY seq');
  return { wrong: judge(rows as readonly Happened[], { maker, handedOut }), rows: handedOut.length };
}

const pause = (random: Random): Promise<void> => sleep(random.whole(0, 12));

/** Claims whatever it may, under the approval in force, an earlier one, or none. */
async function worker({ random, database, held, handedOut }: Scene, at: number): Promise<void> {
  const verbs: LedgerVerbs = bindVerbs(database);
  const run = at === 0 ? held.run : await beginTestRun(database, held.batch, { join: true });
  let known: string | null = null;
  for (let round = 0; round < 6; round += 1) {
    await pause(random);
    const standing = (await verbs.readApprovals([held.batch.id])).get(held.batch.id);
    if (random.chance(0.7) || known === null) known = standing?.inForce ?? known;
    await pause(random);
    const given = known === null || random.chance(0.1) ? {} : { approvalId: known };
    try {
      const claimed = await verbs.claimRows(claimRequest({ ...held, run }, { limit: 2, ...given }));
      for (const { row } of claimed) handedOut.push({ approvalId: given.approvalId ?? null, row });
    } catch (error) {
      if (!(error instanceof ApprovalStop)) throw error;
    }
  }
}

/** Approves some or all rows, or rejects, on what it has read some time before. */
async function approver({ random, database, people, held }: Scene, name: string): Promise<void> {
  const verbs: LedgerVerbs = bindVerbs(database);
  for (let round = 0; round < 4; round += 1) {
    await pause(random);
    const standing = (await verbs.readApprovals([held.batch.id])).get(held.batch.id);
    if (standing === undefined) continue;
    await pause(random);
    const person = people.get(name);
    if (person === undefined) continue;
    const { contentRevision, policy } = standing;
    // What the rows had in them when this person looked at the plan.
    const shown = random.pick(['this', 'this', 'that']);
    const parts = {
      contentRevision,
      policy,
      at: (await verbs.databaseTime()).toISOString(),
      note: `${round} ${shown}`,
    };
    if (random.chance(0.15)) {
      const rejection = { ...parts, decision: 'reject', planHash: undefined, rowsHash: undefined };
      await writeApproval(database, person, approvalOf(person, held.batch.id, rejection));
    } else {
      const rows = random.pick(['{[2,8)}', '{[2,8)}', '{[2,8)}', '{[2,4)}', '{[4,8)}', '{[2,3),[4,8)}']);
      const plan = { ...parts, planHash: sha256(rows) };
      const leaves = await testLeaves(database, rows, (row) => `${row} ${shown}`);
      await writeApproval(database, person, approvalOf(person, held.batch.id, plan), rows, leaves);
    }
  }
}

/** Locks people, replaces keys, and changes the policy with the approvals of others. */
async function controller(scene: Scene): Promise<void> {
  const { random, database, people } = scene;
  for (let round = 0; round < 3; round += 1) {
    await pause(random);
    const act = random.pick(['lock', 'rotate', 'policy', 'nothing'] as const);
    const name = random.pick([...approvers]);
    if (act === 'lock' && round === 2) {
      await database.raw(
        "UPDATE users SET locked_at = now(), locked_by = 'dan' WHERE name = ? AND locked_at IS NULL",
        [name],
      );
    } else if (act === 'rotate') {
      await rotate(scene, name);
    } else if (act === 'policy') {
      const rules = [testRule({ approvers: random.pick([1, 2]) })];
      const version = await proposePolicy(database, { rules, by: 'dan' });
      for (const each of approvers) {
        const person = people.get(each);
        const { rows } = await database.raw('SELECT policy_in_force() AS version');
        if (person === undefined || random.chance(0.2)) continue;
        const parts = { subject: 'policy', batch: undefined, proposedVersion: version, contentHash: '' };
        const other = {
          planHash: undefined,
          changesHash: undefined,
          contentRevision: undefined,
          environment: undefined,
        };
        const statement = approvalOf(person, '', { ...other, ...parts, policy: rows[0].version });
        await writeApproval(database, person, statement);
      }
    }
  }
}

async function rotate({ database, people }: Scene, name: string): Promise<void> {
  const next = await database.transaction(async (transaction) => {
    const { rows } = await transaction.raw(
      'UPDATE user_keys SET replaced_at = now() WHERE user_name = ? AND replaced_at IS NULL RETURNING id',
      [name],
    );
    return addNextKey(transaction, name, rows[0].id);
  });
  // Nobody signs with a key that is not there before COMMIT.
  people.set(name, next);
}

/** Decides that a row is sent: earlier approvers have not seen that. */
async function decider({ random, database, held }: Scene): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    await sleep(random.whole(0, 60));
    if (random.chance(0.5)) continue;
    await database.transaction(async (transaction) => {
      await lockBatch(transaction, held.batch.id);
      await transaction.raw(
        `INSERT INTO verdicts (batch_id, row_number, generation, from_state, attempts, verdict, decided_by, run_id)
         VALUES (?, 2, 1, 'held', 0, ?, ?, ?)`,
        [held.batch.id, random.pick(['send', 'not-created']), random.pick(['mia', 'cleo']), held.run.id],
      );
    });
  }
}
