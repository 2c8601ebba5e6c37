import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { expect } from 'vitest';
import { exitCodes } from '../../src/domain/exit-code.ts';
import type { BatchRecord, ClaimedRow, Preparation, RowConclusion } from '../../src/domain/ledger-row.ts';
import type { Conclusion } from '../../src/domain/outcome.ts';
import { type ResultStatus, resultStatus, type StatusCounts } from '../../src/domain/row-state.ts';
import { execute, query } from '../../src/ledger/query/sql.ts';
import type { LedgerVerbs } from '../../src/ledger/verbs.ts';
import { attempt, executeByHand, readyPreparation, stagedBatch } from '../support/ledger-rows.ts';
import { ModelLedger } from './model-ledger.ts';
import { type ModelRow, stagedModelRow } from './model-row.ts';
import { createRandom, type Random } from './random.ts';

const steps = 40;
/** How many the rows are about: few enough for rows to be about the same one now and then. */
const objects = 24;
const leaseInMs = 30_000;
const keyLifetimeInMs = 3_600_000;
const credentials = ['key one', 'key one', 'key one', 'key two'];

/** A ledger and its model side by side: both get the same verbs, and have to give the same answers. */
interface Pair {
  readonly random: Random;
  readonly database: Knex;
  readonly verbs: LedgerVerbs;
  readonly model: ModelLedger;
  readonly batches: readonly BatchRecord[];
  readonly runs: { readonly id: string; readonly batchId: string }[];
  readonly claims: {
    readonly batchId: string;
    readonly runId: string;
    readonly rows: readonly ClaimedRow[];
  }[];
  readonly newId: () => string;
  nowInMs: number;
  tokens: number;
}

/**
 * Sends one random sequence of verbs to a ledger and to its model.
 * @throws when an answer or a row differs
 */
export async function compareSequence(
  seed: number,
  database: Knex,
  verbs: LedgerVerbs,
  newId: () => string,
): Promise<void> {
  const random = createRandom(seed);
  const origin = `https://${newId()}.example.test`;
  const environment = { mode: 'sandbox', origin } as const;
  const batches = [
    await stagedBatch(database, random.whole(5, 9), { environment }),
    await stagedBatch(database, random.whole(2, 4), { environment }),
  ];
  const start = 1_000_000;
  const pair: Pair = {
    random,
    database,
    verbs,
    batches,
    runs: [],
    claims: [],
    newId,
    nowInMs: start,
    tokens: seed * 1_000,
    model: new ModelLedger(() => {
      pair.nowInMs += 0.001;
      return pair.nowInMs;
    }),
  };
  await copyStagedRows(pair);
  const names: string[] = [];
  for (let step = 1; step <= steps; step += 1) {
    const [name, act] = random.pick(Object.entries(verbsInTurn));
    names.push(name);
    const [ofLedger, ofModel] = await act(pair);
    const place = `seed ${seed}, after ${names.join(', ')}`;
    expect(ofLedger, place).toEqual(ofModel);
    expect(await rowsOfLedger(pair), place).toEqual(rowsOfModel(pair));
    expect(await countsOfLedger(pair), place).toEqual(countsOfModel(pair));
  }
}

/** Each carries one verb out on both sides and returns both answers. */
const verbsInTurn: Readonly<Record<string, (pair: Pair) => Promise<[unknown, unknown]>>> = {
  passTime: (pair) => passTime(pair, pair.random.pick([5_000, 20_000, 40_000, 1_000_000])),
  beginRun: (pair) => beginRun(pair, pair.random.pick(pair.batches).id, pair.random.chance(0.5)),
  loseWorker,
  loseAnotherWorker: loseWorker,
  recordTwice,
  lookForLost,
  putBack,
  prepare,
  prepareMore: prepare,
  recheck,
  claim,
  claimMore: claim,
  claimYetMore: claim,
  record,
  recordMore: record,
  recordYetMore: record,
  prolongRun: async ({ random, runs, verbs, model }) => {
    const run = pickRun(random, runs);
    if (run === undefined) return [null, null];
    return [await verbs.prolongRun(run.id, leaseInMs), model.prolongRun(run.id, leaseInMs)];
  },
  endRun: async ({ random, runs, verbs, model }) => {
    const run = pickRun(random, runs);
    if (run === undefined) return [null, null];
    return [await verbs.endRun(run.id, exitCodes.done), model.endRun(run.id, exitCodes.done)];
  },
  takeOverExpired: async ({ random, batches, verbs, model }) => {
    const { id } = random.pick(batches);
    return [await verbs.takeOverExpired(id), model.takeOverExpired(id)];
  },
  holdExpiredKeys: async ({ random, batches, verbs, model }) => {
    const { id } = random.pick(batches);
    return [await verbs.holdExpiredKeys(id, keyLifetimeInMs), model.holdExpiredKeys(id, keyLifetimeInMs)];
  },
  explainOtherCredentials: async ({ random, batches, verbs, model }) => {
    const { id } = random.pick(batches);
    const credential = random.pick(credentials);
    return [
      await verbs.explainOtherCredentials(id, credential),
      model.explainOtherCredentials(id, credential),
    ];
  },
  returnRejected: async ({ random, batches, verbs, model }) => {
    const { id } = random.pick(batches);
    return [await verbs.returnRejected(id), model.returnRejected(id)];
  },
  hasMovableRows: async ({ random, batches, verbs, model }) => {
    const { id } = random.pick(batches);
    return [await verbs.hasMovableRows(id), model.hasMovableRows(id)];
  },
  findKeyOwners,
  resolve,
};

function pickRun(random: Random, runs: Pair['runs']): Pair['runs'][number] | undefined {
  return runs.length === 0 ? undefined : random.pick(runs);
}

/** Time passes on the model's clock, and everything that the ledger noted becomes so much older. */
async function passTime(pair: Pair, durationInMs: number): Promise<[unknown, unknown]> {
  pair.nowInMs += durationInMs;
  const ids = pair.batches.map(({ id }) => id);
  const older = (column: string): string => `${column} = ${column} - ? * interval '1 millisecond'`;
  const timed = {
    stored_rows: ['first_sent_at', 'changed_at'],
    claims: ['claimed_at'],
    creations: ['first_sent_at', 'created_at'],
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

async function beginRun(
  { verbs, model, runs, newId }: Pair,
  batchId: string,
  join: boolean,
): Promise<[unknown, unknown]> {
  const run = { id: newId(), batchId, leaseInMs, join };
  const isBegun = await verbs.beginRun({ ...run, command: 'import' }).then(
    () => true,
    () => false,
  );
  let isBegunByModel = true;
  try {
    model.beginRun({ ...run, owner: 'this program', mayBeAlive: () => true });
  } catch {
    isBegunByModel = false;
  }
  if (isBegun) runs.push(run);
  return [isBegun, isBegunByModel];
}

/** A worker claims rows and stands still, another run takes them over and claims them, and the first is late. */
async function loseWorker(pair: Pair): Promise<[unknown, unknown]> {
  const { random, verbs, model, runs } = pair;
  const answers: [unknown, unknown][] = [await claim(pair)];
  await passTime(pair, random.pick([40_000, 4_000_000]));
  const batchId = pair.claims.at(-1)?.batchId ?? random.pick(pair.batches).id;
  answers.push([await verbs.takeOverExpired(batchId), model.takeOverExpired(batchId)]);
  answers.push(await beginRun(pair, batchId, true));
  answers.push(await claimFor(pair, runs.at(-1)));
  answers.push(await recordClaim(pair, pair.claims.at(-2)));
  return inOne(answers);
}

/** A worker records some rows of a claim, and then tells of others, and of the same ones, that they were created. */
async function recordTwice(pair: Pair): Promise<[unknown, unknown]> {
  const { random, batches, verbs, model, runs } = pair;
  const answers = [await beginRun(pair, random.pick(batches).id, true)];
  answers.push(await claimFor(pair, runs.at(-1)));
  const { batchId, runId, rows = [] } = pair.claims.at(-1) ?? {};
  answers.push(await recordClaim(pair, pair.claims.at(-1)));
  if (batchId === undefined || runId === undefined) return inOne(answers);
  const created = rows.slice(0, random.whole(1, 4)).map((row): RowConclusion => {
    const attempts = [attempt({ number: row.attempts + 7 })];
    const conclusion = { objectId: `object-${row.row}`, code: null, message: null, attempts };
    return { ...row, conclusion: { ...conclusion, state: 'created' } };
  });
  answers.push([
    await verbs.recordConclusions(batchId, runId, created),
    model.recordConclusions(batchId, runId, created),
  ]);
  return inOne(answers);
}

/** Rows were claimed just now, and somebody looks for those that nobody sends any more. */
async function lookForLost(pair: Pair): Promise<[unknown, unknown]> {
  const answers = [await claim(pair)];
  const { id } = pair.random.pick(pair.batches);
  answers.push([await pair.verbs.takeOverExpired(id), pair.model.takeOverExpired(id)]);
  return inOne(answers);
}

/** A run puts back what it could not send, and claims again. */
async function putBack(pair: Pair): Promise<[unknown, unknown]> {
  const { random, batches, claims, runs, verbs, model } = pair;
  const answers = [await beginRun(pair, random.pick(batches).id, true)];
  answers.push(await claimFor(pair, runs.at(-1)));
  const { batchId, runId, rows } = claims.at(-1) ?? {};
  if (batchId === undefined || runId === undefined || rows === undefined || rows.length === 0)
    return inOne(answers);
  const conclusions = rows.map((row): RowConclusion => {
    const state = row.wasUnknown ? 'unknown' : 'ready';
    return { ...row, conclusion: { state, objectId: null, code: null, message: null, attempts: [] } };
  });
  answers.push([
    await verbs.recordConclusions(batchId, runId, conclusions),
    model.recordConclusions(batchId, runId, conclusions),
  ]);
  answers.push(await claimFor(pair, runs.at(-1)));
  return inOne(answers);
}

function inOne(answers: readonly [unknown, unknown][]): [unknown, unknown] {
  return [answers.map(([ofLedger]) => ofLedger), answers.map(([, ofModel]) => ofModel)];
}

async function prepare(pair: Pair): Promise<[unknown, unknown]> {
  const { random, batches, verbs, model, newId } = pair;
  const batch = random.pick(batches);
  const ofBatch = (): Pair['runs'] => pair.runs.filter(({ batchId }) => batchId === batch.id);
  const begun = random.chance(0.8) || ofBatch().length === 0 ? await beginRun(pair, batch.id, true) : null;
  // A run that was taken for lost, now and then.
  const runId = (begun === null ? random.pick(ofBatch()) : ofBatch().at(-1))?.id ?? newId();
  const listed = await verbs.listRowsToPrepare(batch.id, 0, 100);
  expect(listed.map(({ row, generation }) => [row, generation])).toEqual(
    model.listRowsToPrepare(batch.id, 0, 100).map(({ row, generation }) => [row, generation]),
  );
  const preparations = listed
    .filter(() => random.chance(0.7))
    .map(({ row, generation }): Preparation => {
      const to = random.pick(['ready', 'ready', 'ready', 'waiting', 'held', 'existing'] as const);
      const reason = { code: 'because', field: null, message: 'Because.' };
      if (to === 'existing') return { row, generation, to, objectId: 'object', reason };
      if (to !== 'ready') return { row, generation, to, reason };
      const object = `${batch.environmentId} ${random.whole(1, objects)}`;
      return readyPreparation(batch, row, { generation, object, idempotencyKey: newId() });
    });
  const rowsPerChunk = random.pick([1, 2, 3, 64]);
  return [
    await verbs.writePreparations(batch.id, runId, preparations, rowsPerChunk),
    model.writePreparations(batch.id, runId, preparations, rowsPerChunk),
  ];
}

/** Rows no longer pass, whatever has become of them meanwhile. */
async function recheck({ random, batches, verbs, model }: Pair): Promise<[unknown, unknown]> {
  const { id } = random.pick(batches);
  const reason = { code: 'institution_unknown', field: 'institution_id', message: 'Not in the list.' };
  const rows = model
    .rowsOf(id)
    .filter(() => random.chance(0.3))
    .map(({ row }) => ({ row, to: random.pick(['invalid', 'held'] as const), findings: [], reason }));
  return [await verbs.writeRechecked(id, rows), model.writeRechecked(id, rows)];
}

function claim(pair: Pair): Promise<[unknown, unknown]> {
  return claimFor(pair, pickRun(pair.random, pair.runs));
}

async function claimFor(pair: Pair, run: Pair['runs'][number] | undefined): Promise<[unknown, unknown]> {
  const { random, verbs, model, claims } = pair;
  if (run === undefined) return [null, null];
  // Now and then the same token again, as after a reply that was lost.
  if (random.chance(0.85)) pair.tokens += 1;
  const request = {
    batchId: run.batchId,
    runId: run.id,
    leaseToken: String(pair.tokens),
    credential: random.pick(credentials),
    keyLifetimeInMs,
    limit: random.whole(1, 6),
    rows: random.pick(['all', 'all', 'fresh', 'in_doubt'] as const),
  };
  const rows = await verbs.claimRows(request);
  claims.push({ batchId: run.batchId, runId: run.id, rows });
  return [comparable(rows), comparable(model.claimRows(request))];
}

/** The time left is told to the second: the ledger's clock runs while it works. */
function comparable(rows: readonly ClaimedRow[]): unknown[] {
  return rows.map(({ keyTimeLeftInMs, ...row }) => ({
    ...row,
    keyTimeLeftInS: Math.round(keyTimeLeftInMs / 5_000),
  }));
}

function record(pair: Pair): Promise<[unknown, unknown]> {
  const { random, claims } = pair;
  return recordClaim(pair, claims.length === 0 ? undefined : random.pick(claims.slice(-3)));
}

async function recordClaim(
  { random, verbs, model }: Pair,
  claimed: Pair['claims'][number] | undefined,
): Promise<[unknown, unknown]> {
  const conclusions = (claimed?.rows ?? [])
    .filter(() => random.chance(0.7))
    .map((row): RowConclusion => ({ ...row, conclusion: conclusionOn(random, row) }));
  if (claimed === undefined || conclusions.length === 0) return [null, null];
  const { batchId, runId } = claimed;
  return [
    await verbs.recordConclusions(batchId, runId, conclusions),
    model.recordConclusions(batchId, runId, conclusions),
  ];
}

function conclusionOn(random: Random, { row, attempts: before, wasUnknown }: ClaimedRow): Conclusion {
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

async function findKeyOwners({ random, batches, verbs, model }: Pair): Promise<[unknown, unknown]> {
  const { environmentId, kind } = random.pick(batches);
  const keys = Array.from({ length: objects }, (_, index) =>
    createHash('sha256')
      .update(`${environmentId} ${index + 1}`)
      .digest(),
  );
  const hex = keys.map((key) => key.toString('hex'));
  const found = await verbs.findKeyOwners(environmentId, kind, keys);
  const expected = model.findKeyOwners(environmentId, kind, hex);
  return [sorted(found), sorted(expected)];
}

function sorted<Value>(found: ReadonlyMap<string, Value>): [string, Value][] {
  return [...found].sort(([left], [right]) => left.localeCompare(right));
}

async function resolve({ random, batches, verbs, model, newId }: Pair): Promise<[unknown, unknown]> {
  const { id } = random.pick(batches);
  const open = model.rowsOf(id).filter(({ state }) => state === 'held' || state === 'unknown');
  if (open.length === 0) return [null, null];
  const row = random.pick(open);
  const verdict = random.pick(row.ownedKey === null ? (['existing', 'send'] as const) : verdicts);
  const to = verdict === 'not-created' || verdict === 'send' ? 'staged' : verdict;
  const objectId = to === 'staged' ? null : 'object';
  const fromState = row.state === 'held' ? 'held' : 'unknown';
  const decided = { row: row.row, fromState, verdict, to, objectId, note: '', message: '' } as const;
  const isWritten = await verbs.writeVerdicts(id, { runId: newId(), user: 'somebody' }, () => [[decided]]);
  return [isWritten, model.writeVerdict(row, { to, objectId, isSend: verdict === 'send' })];
}

const verdicts = ['created', 'existing', 'not-created', 'send'] as const;

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

function countsOfLedger({ verbs, batches }: Pair): Promise<StatusCounts[]> {
  return Promise.all(batches.map(({ id }) => verbs.countStatuses(id)));
}

function countsOfModel({ model, batches }: Pair): StatusCounts[] {
  return batches.map(({ id }) => {
    const counts: Partial<Record<ResultStatus, number>> = {};
    for (const { state } of model.rowsOf(id)) {
      if (state === 'duplicate') throw new Error('the sequences stage no repetitions');
      counts[resultStatus(state)] = (counts[resultStatus(state)] ?? 0) + 1;
    }
    return counts;
  });
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
> & { readonly wasSent: boolean };

function rowsOfLedger({ database, batches }: Pair): Promise<ComparedRow[]> {
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

function rowsOfModel({ model, batches }: Pair): ComparedRow[] {
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
