import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { LeafCollector, type LeafContent, rootOf } from '../../src/domain/controls/leaves.ts';
import {
  canonicalJson,
  keyIdOf,
  type Statement,
  sha256,
  signText,
  writeStatement,
} from '../../src/domain/controls/statement.ts';
import { definitionNamed } from '../../src/kinds/registry.ts';
import { referencesIn } from '../../src/kinds/request.ts';
import { contentOfRequest } from '../../src/kinds/row-content.ts';
import { readRowEvidence } from '../../src/ledger/audit/rows.ts';
import { lockBatch } from '../../src/ledger/protocol/batch-lock.ts';
import { bindVerbs } from '../../src/ledger/verbs.ts';
import { planBatch } from '../../src/send/plan.ts';
import { givePassword } from './passwords.ts';

/** The leaves of a plan whose rows have nothing but their numbers, as an approver would store and sign them. */
export async function testLeaves(
  database: Knex,
  rows: string,
  contentOf: (row: number) => string = String,
): Promise<Buffer> {
  const leaves = new LeafCollector('salt');
  for (const [, first = '', end = ''] of rows.matchAll(/\[(\d+),(\d+)\)/g)) {
    for (let row = Number(first); row < Number(end); row += 1) {
      const nothing = { resource: 'customers', path: '/customers', names: [], amount: null, currency: null };
      leaves.add({ ...nothing, row, body: contentOf(row) });
    }
  }
  const proof = leaves.end();
  for (const { hash, content } of leaves.takeComplete())
    await database.raw('INSERT INTO plan_leaves VALUES (?, ?) ON CONFLICT DO NOTHING', [hash, content]);
  return proof;
}

/** A person of a test, with a key of their own. */
export interface TestPerson {
  readonly name: string;
  readonly keyId: string;
  readonly privateKey: KeyObject;
}

function newPair(): { readonly keyId: string; readonly bytes: Buffer; readonly privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const bytes = publicKey.export({ format: 'der', type: 'spki' });
  return { keyId: keyIdOf(bytes), bytes, privateKey };
}

/** Writes a person and their first key into the ledger, as an owner of the database could. */
export async function addPerson(
  database: Knex,
  name: string,
  role: 'maker' | 'approver' | 'admin' = 'approver',
): Promise<TestPerson> {
  const { keyId, bytes, privateKey } = newPair();
  await database.raw('INSERT INTO users (name, role, added_by) VALUES (?, ?, ?)', [name, role, 'owner']);
  await database.raw('INSERT INTO user_keys (id, user_name, public_key) VALUES (?, ?, ?)', [
    keyId,
    name,
    bytes,
  ]);
  return { name, keyId, privateKey };
}

/** Writes the next key of a person, endorsed by no one: only the database looks at it. */
export async function addNextKey(database: Knex, name: string, previousKey: string): Promise<TestPerson> {
  const { keyId, bytes, privateKey } = newPair();
  await database.raw(
    'INSERT INTO user_keys (id, user_name, public_key, previous_key, endorsement) VALUES (?, ?, ?, ?, ?)',
    [keyId, name, bytes, previousKey, Buffer.from('not looked at')],
  );
  return { name, keyId, privateKey };
}

/** A rule of a policy with everything filled in. */
export function testRule(given: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    mode: 'live',
    kinds: ['customers', 'accounts', 'recipients', 'collections'],
    approvers: 1,
    fromRows: null,
    fromSum: {},
    findings: [],
    validForInMs: 7 * 24 * 3_600_000,
    makerMayApprove: false,
    console: false,
    ...given,
  };
}

/** Proposes a policy; the first one is in force at once. @returns its version */
export async function proposePolicy(
  database: Knex,
  given: {
    readonly rules?: readonly unknown[];
    readonly approvers?: readonly string[];
    readonly by?: string;
    readonly sandboxKeys?: readonly string[];
  },
): Promise<number> {
  const { rules = [testRule()], approvers = [], by = 'owner', sandboxKeys } = given;
  const { rows } = await database.raw(
    'INSERT INTO policies (version, content, proposed_by) VALUES (1, ?, ?) RETURNING version',
    [canonicalJson({ rules, approvers, sandboxKeys }), by],
  );
  return rows[0].version;
}

/**
 * The beginning of a ledger with controls: its approvers, and the first policy, with one rule. @returns the approvers by name
 */
export async function firstPolicy<Name extends string>(
  database: Knex,
  approvers: readonly Name[],
  rule: Readonly<Record<string, unknown>> = {},
): Promise<Readonly<Record<Name, TestPerson>>> {
  const people: Partial<Record<Name, TestPerson>> = {};
  for (const name of approvers) people[name] = await addPerson(database, name);
  await proposePolicy(database, { rules: [testRule(rule)], approvers });
  return people as Record<Name, TestPerson>;
}

/** The parts of a statement about a batch's plan. */
export function approvalOf(
  person: TestPerson,
  batch: string,
  given: Partial<Record<string, unknown>> = {},
): Statement {
  return {
    subject: 'batch',
    decision: 'approve',
    batch,
    environment: { mode: 'live', origin: 'https://api.example' },
    planHash: sha256('plan'),
    rowsHash: '',
    changesHash: sha256('changes'),
    contentRevision: '0',
    policy: 1,
    by: person.name,
    key: person.keyId,
    note: '',
    at: new Date().toISOString(),
    ...given,
  } as Statement;
}

/** Signs a statement and writes it. @param leaves their proof; see `testLeaves` @returns the approval's id */
export async function writeApproval(
  database: Knex,
  person: TestPerson,
  statement: Statement,
  rows: string | null = null,
  leaves?: Buffer,
): Promise<string> {
  const proof = rows === null ? null : (leaves ?? (await testLeaves(database, rows)));
  const text = writeStatement(
    rows === null || proof === null
      ? statement
      : ({ ...statement, rowsHash: sha256(rows), leavesRoot: rootOf(proof) } as Statement),
  );
  const id = randomUUID();
  await database.transaction(async (transaction) => {
    if (statement.subject === 'batch') await lockBatch(transaction, statement.batch);
    await transaction.raw(
      'INSERT INTO approvals (id, statement, signature, rows, proof) VALUES (?, ?, ?, ?::int4multirange, ?)',
      [id, text, signText(text, person.privateKey), rows, proof],
    );
  });
  return id;
}

/** Approves rows of a batch. @returns the approval's id */
export function approveRows(
  database: Knex,
  person: TestPerson,
  batch: string,
  rows: string,
  given: Partial<Record<string, unknown>> = {},
): Promise<string> {
  return writeApproval(database, person, approvalOf(person, batch, given), rows);
}

/** Approves rows of a batch with the content that they have now, so that a run may send them. @returns the approval's id */
export async function approveContent(
  database: Knex,
  person: TestPerson,
  batch: string,
  rows: string,
  given: Partial<Record<string, unknown>> = {},
): Promise<string> {
  const leaves = await contentLeaves(database, batch, rows);
  return writeApproval(database, person, approvalOf(person, batch, given), rows, leaves);
}

/** Approves the requests that rows of a batch have, whatever a plan would make of these rows. @returns the approval's id */
export async function approveRequests(
  database: Knex,
  person: TestPerson,
  batchId: string,
  rows: string,
  given: Partial<Record<string, unknown>> = {},
): Promise<string> {
  const verbs = bindVerbs(database);
  const collector = new LeafCollector(await verbs.readLeafSalt(batchId));
  for (const { row, resource, record, path, body } of await readRowEvidence(
    database,
    batchId,
    { afterRow: 0, limit: 1_000 },
    true,
  )) {
    if (resource === null || record === null || path === null || body === null) continue;
    collector.add(contentOfRequest(definitionNamed(resource), { row, path, body }, record).content);
  }
  const proof = collector.end();
  await verbs.writeLeaves(collector.takeComplete());
  return writeApproval(database, person, approvalOf(person, batchId, given), rows, proof);
}

/** Stores the leaves of rows of a batch as `approve` would. @returns their proof */
export async function contentLeaves(database: Knex, batchId: string, rows: string): Promise<Buffer> {
  const verbs = bindVerbs(database);
  const batch = await verbs.findBatch(batchId);
  if (batch === undefined) throw new Error('the batch is not there');
  const ranges = [...rows.matchAll(/\[(\d+),(\d+)\)/g)].map(
    ([, first, end]) => [Number(first), Number(end)] as const,
  );
  class Chosen extends LeafCollector {
    override add(content: LeafContent): void {
      if (ranges.some(([first, end]) => content.row >= first && content.row < end)) super.add(content);
    }
  }
  const collector = new Chosen(await verbs.readLeafSalt(batchId));
  await planBatch({
    ledger: verbs,
    references: referencesIn(verbs, batch.environmentId, []),
    environment: { mode: batch.mode, origin: batch.origin },
    batchId,
    runId: '',
    importBatches: [],
    onRows: () => {},
    isLook: true,
    leaves: { collector, store: verbs.writeLeaves },
  });
  const proof = collector.end();
  await verbs.writeLeaves(collector.takeComplete());
  return proof;
}

/** Writes the key of a console. It signs for the person, who has an open session. */
export async function consoleOf(
  database: Knex,
  person: string,
): Promise<TestPerson & { readonly session: string }> {
  const { keyId, bytes, privateKey } = newPair();
  await database.raw(`INSERT INTO user_keys (id, kind, public_key) VALUES (?, 'server', ?)`, [keyId, bytes]);
  return { name: person, keyId, privateKey, session: await openSessionOf(database, person) };
}

/** @returns the id of a new session at the console */
export async function openSessionOf(database: Knex, person: string): Promise<string> {
  await givePassword(database, person);
  const { rows } = await database.raw(
    `INSERT INTO console_sessions (token_hash, user_name, password_id, address)
     SELECT ?, user_name, max(id), '192.0.2.1' FROM user_passwords WHERE user_name = ? GROUP BY 2 RETURNING id`,
    [sha256(randomUUID()), person],
  );
  return rows[0].id;
}
