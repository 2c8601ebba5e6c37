import type { Knex } from 'knex';
import type { BatchRecord } from '../../src/domain/batches/batch.ts';
import type { PayeeKeys } from '../../src/domain/rows/finding.ts';
import type {
  ClaimedRow,
  DecidedRow,
  Preparation,
  RecheckedRow,
  RowToPrepare,
} from '../../src/domain/rows/ledger-row.ts';
import type { Conclusion } from '../../src/domain/sending/outcome.ts';
import { nameMarkBytes } from '../../src/domain/text/payee-names.ts';
import { execute, uncheckedRows as query } from '../../src/ledger/query/sql.ts';
import type { ClaimRequest } from '../../src/ledger/sending/claim.ts';
import type { LedgerVerbs } from '../../src/ledger/verbs.ts';
import { attempt, executeByHand, readyPreparation, stagedBatch } from '../support/ledger-rows.ts';
import { ModelLedger } from './model-ledger.ts';
import { type ModelRow, stagedModelRow } from './model-row.ts';
import { createRandom, type Random } from './random.ts';

/**
 * Time passes by hand, in steps so large that the few seconds which a sequence takes by the ledger's own clock
 * never bring a lease or a key to its end.
 */
export const leaseInMs = 300_000;
export const keyLifetimeInMs = 36_000_000;
const leastTimeInMs = 50_000;
export const credentials = ['key one', 'key one', 'key one', 'key two'];

/** A ledger and its model side by side: both get the same verbs, and have to give the same answers. */
export interface Pair {
  readonly random: Random;
  readonly database: Knex;
  readonly verbs: LedgerVerbs;
  model: ModelLedger;
  readonly batches: readonly BatchRecord[];
  readonly runs: { readonly id: string; readonly batchId: string }[];
  readonly claims: {
    readonly batchId: string;
    readonly runId: string;
    readonly rows: readonly ClaimedRow[];
  }[];
  readonly newId: () => string;
  /** How many the rows are about. */
  readonly objects: number;
  nowInMs: number;
  tokens: number;
}

/** A batch of at most this number of rows and a smaller one, staged in an environment of their own. */
export async function openPair(
  seed: number,
  database: Knex,
  verbs: LedgerVerbs,
  newId: () => string,
  { mostRows, objects }: { readonly mostRows: number; readonly objects: number },
): Promise<Pair> {
  const random = createRandom(seed);
  const origin = `https://${newId()}.example.test`;
  const environment = { mode: 'sandbox', origin } as const;
  const batches = [
    await stagedBatch(database, random.whole(5, mostRows), { environment }),
    await stagedBatch(database, random.whole(2, 4), { environment }),
  ];
  const pair: Pair = {
    random,
    database,
    verbs,
    batches,
    runs: [],
    claims: [],
    newId,
    objects,
    nowInMs: 1_000_000,
    tokens: seed * 1_000,
    model: new ModelLedger(() => {
      pair.nowInMs += 0.001;
      return pair.nowInMs;
    }),
  };
  await copyStagedRows(pair);
  return pair;
}

/** What a run asks for; now and then under a token that is used already. */
export function claimRequestOf(pair: Pair, run: Pair['runs'][number]): ClaimRequest {
  const { random } = pair;
  // Now and then the same token again, as after a reply that was lost.
  if (random.chance(0.85)) pair.tokens += 1;
  return {
    batchId: run.batchId,
    runId: run.id,
    leaseToken: String(pair.tokens),
    credential: random.pick(credentials),
    keyLifetimeInMs,
    approvalId: undefined,
    limit: random.whole(1, 6),
    rows: random.pick(['all', 'all', 'fresh', 'in_doubt'] as const),
  };
}

/** The time left is given in whole steps: the ledger's clock runs while it works. */
export function comparable(rows: readonly ClaimedRow[]): unknown[] {
  return rows.map(({ keyTimeLeftInMs, ...row }) => ({
    ...row,
    keyTimeLeft: Math.ceil(Math.round(keyTimeLeftInMs) / leastTimeInMs),
  }));
}

/** What a row may have come to. */
export function conclusionOn(random: Random, { row, attempts: before, wasUnknown }: ClaimedRow): Conclusion {
  const states = [
    'created',
    'created',
    'unknown',
    'held',
    ...(wasUnknown ? [] : ['ready', 'rejected', 'waiting']),
  ] as const;
  const state = random.pick(states) as Conclusion['state'];
  const isTried = state === 'created' || state === 'rejected' || state === 'waiting' || random.chance(0.7);
  const attempts = isTried
    ? [attempt({ number: before + 1, httpStatus: random.pick([null, 201, 500]) })]
    : [];
  const objectId = state === 'created' ? `object-${row}` : null;
  const code = state === 'created' ? null : random.pick([null, 'timeout']);
  return { state, objectId, code, message: null, attempts };
}

/** Some rows of a batch, in whatever state, that are to pass no longer. */
export function failingRows({ random, model }: Pair, batchId: string): RecheckedRow[] {
  const reason = { code: 'institution_unknown', field: 'institution_id', message: 'Not in the list.' };
  return model
    .rowsOf(batchId)
    .filter(() => random.chance(0.3))
    .map(({ row }) => ({ row, to: random.pick(['invalid', 'held'] as const), findings: [], reason }));
}

/** A payee who has a customer, a name and an account in common with others. */
export function payeeNumber(number: number): PayeeKeys {
  const key = (text: string): string => text.padEnd(16, '.');
  return {
    customer: key(`customer ${number % 3}`),
    name: key(`name ${number % 4}`),
    nameMarks: '\0'.repeat(nameMarkBytes),
    details: key(`details ${number % 8}`),
    account: key(`account ${number % 8}`),
  };
}

/** Decides about most of the listed rows, each about some object, and in what chunks they are claimed. */
export function preparationsOf(
  { random, batches, newId, objects }: Pair,
  batchId: string,
  listed: readonly RowToPrepare[],
): { readonly preparations: readonly Preparation[]; readonly rowsPerChunk: number } {
  const batch = batches.find(({ id }) => id === batchId);
  if (batch === undefined) throw new Error('there is no such batch');
  const preparations = listed
    .filter(() => random.chance(0.7))
    .map(({ row, generation }): Preparation => {
      const to = random.pick(['ready', 'ready', 'ready', 'waiting', 'held', 'existing'] as const);
      const reason = { code: 'because', field: null, message: 'Because.' };
      if (to === 'existing') return { row, generation, to, objectId: 'object', reason };
      if (to !== 'ready') return { row, generation, to, reason };
      const number = random.whole(1, objects);
      const given = { generation, object: `${batch.environmentId} ${number}`, idempotencyKey: newId() };
      return readyPreparation(batch, row, { ...given, payee: payeeNumber(number) });
    });
  return { preparations, rowsPerChunk: random.pick([1, 2, 3, 64]) };
}

const verdicts = ['created', 'existing', 'not-created', 'send'] as const;

/** A person's verdict on some row that is held or unknown; undefined when there is none. */
export function decideOnRow({ random, model }: Pair, batchId: string): DecidedRow | undefined {
  const open = model.rowsOf(batchId).filter(({ state }) => state === 'held' || state === 'unknown');
  if (open.length === 0) return undefined;
  const row = random.pick(open);
  const verdict = random.pick(row.ownedKey === null ? (['existing', 'send'] as const) : verdicts);
  const to = verdict === 'not-created' || verdict === 'send' ? 'staged' : verdict;
  const objectId = to === 'staged' ? null : 'object';
  const fromState = row.state === 'held' ? 'held' : 'unknown';
  // Now and then somebody has looked before the last request left.
  const attempts = Math.max(0, row.attempts - (random.chance(0.5) ? 1 : 0));
  return { row: row.row, fromState, attempts, verdict, to, objectId, note: '', message: '' };
}

type ComparedRow = Omit<
  ModelRow,
  | 'environmentId'
  | 'kind'
  | 'resource'
  | 'record'
  | 'message'
  | 'firstSentAt'
  | 'refusedAt'
  | 'changedAt'
  | 'isSentRegardless'
  | 'chunk'
  | 'payee'
> & { readonly wasSent: boolean };

export function rowsOfLedger({ database, batches }: Pair): Promise<ComparedRow[]> {
  return query<ComparedRow>(
    database,
    `SELECT batch_id AS "batchId", row_number AS row, state, generation, handle,
       encode(natural_key, 'hex') AS "naturalKey", encode(owned_key, 'hex') AS "ownedKey", object_id AS "objectId",
       lease_token AS "leaseToken", run_id AS "runId", credential, first_sent_at IS NOT NULL AS "wasSent",
       may_exist AS "mayExist", attempts, http_status AS "httpStatus", code, field
     FROM rows WHERE batch_id = ANY(?::uuid[]) ORDER BY array_position(?::uuid[], batch_id), row_number`,
    [batches.map(({ id }) => id), batches.map(({ id }) => id)],
  );
}

export function rowsOfModel({ model, batches }: Pick<Pair, 'model' | 'batches'>): ComparedRow[] {
  return batches
    .flatMap(({ id }) => model.rowsOf(id))
    .map((row) => ({
      batchId: row.batchId,
      row: row.row,
      state: row.state,
      generation: row.generation,
      handle: row.handle,
      naturalKey: row.naturalKey,
      ownedKey: row.ownedKey,
      objectId: row.objectId,
      leaseToken: row.leaseToken,
      runId: row.runId,
      credential: row.credential,
      wasSent: row.firstSentAt !== null,
      mayExist: row.mayExist,
      attempts: row.attempts,
      httpStatus: row.httpStatus,
      code: row.code,
      field: row.field,
    }));
}

/** Time passes on the model's clock, and everything that the ledger noted becomes so much older. */
export async function passTime(pair: Pair, durationInMs: number): Promise<[unknown, unknown]> {
  pair.nowInMs += durationInMs;
  const ids = pair.batches.map(({ id }) => id);
  const older = (column: string): string => `${column} = ${column} - ? * interval '1 millisecond'`;
  const timed = {
    row_states: ['first_sent_at', 'changed_at'],
    claims: ['claimed_at'],
    created_objects: ['first_sent_at', 'created_at'],
  };
  for (const [table, columns] of Object.entries(timed)) {
    await executeByHand(
      pair.database,
      `UPDATE ${table} SET ${columns.map(older).join(', ')} WHERE batch_id = ANY(?::uuid[])`,
      [...columns.map(() => durationInMs), ids],
    );
  }
  await execute(
    pair.database,
    `UPDATE runs SET ${older('lease_until')}, ${older('started_at')} WHERE batch_id = ANY(?::uuid[])`,
    [durationInMs, durationInMs, ids],
  );
  return [null, null];
}

async function copyStagedRows({ batches, database, model }: Pair): Promise<void> {
  for (const { id, environmentId, kind } of batches) {
    const rows = await query<{ row: number; resource: string }>(
      database,
      'SELECT row_number AS row, resource FROM rows WHERE batch_id = ?',
      [id],
    );
    for (const { row, resource } of rows) {
      model.stage(stagedModelRow({ batchId: id, environmentId, kind, row, resource, record: {} }, null, 0));
    }
  }
}
