import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { expect } from 'vitest';
import type { RowConclusion } from '../../src/domain/rows/ledger-row.ts';
import { type ResultStatus, resultStatus, type StatusCounts } from '../../src/domain/rows/row-state.ts';
import type { RefusedAlike } from '../../src/domain/sending/stops.ts';
import type { LedgerVerbs } from '../../src/ledger/verbs.ts';
import { attempt } from '../support/ledger-rows.ts';
import {
  claimRequestOf,
  comparable,
  conclusionOn,
  credentials,
  decideOnRow,
  failingRows,
  keyLifetimeInMs,
  leaseInMs,
  openPair,
  type Pair,
  passTime,
  payeeNumber,
  preparationsOf,
  rowsOfLedger,
  rowsOfModel,
} from './ledger-pair.ts';
import type { Random } from './random.ts';

const steps = 40;
/** Known payees are looked for after this number of steps. */
const stepsPerLook = 8;
/** All that there are. */
const payees = Array.from({ length: 24 }, (_, index) => payeeNumber(index + 1));
/** Few enough objects for rows to be about the same one now and then. */
const sizes = { mostRows: 9, objects: payees.length };
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
  const pair = await openPair(seed, database, verbs, newId, sizes);
  const { random } = pair;
  const names: string[] = [];
  for (let step = 1; step <= steps; step += 1) {
    const [name, act] = random.pick(Object.entries(verbsInTurn));
    names.push(name);
    const [ofLedger, ofModel] = await act(pair);
    const place = `seed ${seed}, after ${names.join(', ')}`;
    expect(ofLedger, place).toEqual(ofModel);
    expect(await rowsOfLedger(pair), place).toEqual(rowsOfModel(pair));
    expect(await countsOfLedger(pair), place).toEqual(countsOfModel(pair));
    if (step % stepsPerLook === 0) expect(await payeesOfLedger(pair), place).toEqual(payeesOfModel(pair));
  }
  // At the end, since few verbs change a batch that is stopped.
  for (const { id } of pair.batches) {
    const place = `seed ${seed}, after ${names.join(', ')}, refused alike`;
    const [isBegun] = await beginRun(pair, id, true);
    const [ofLedger, ofModel] = await refuseAlike(pair, isBegun === true ? pair.runs.at(-1) : undefined);
    expect(ofLedger, place).toEqual(ofModel);
    expect(await rowsOfLedger(pair), place).toEqual(rowsOfModel(pair));
  }
  for (const { id } of pair.batches) {
    const place = `seed ${seed}, after ${names.join(', ')}, closed`;
    const [ofLedger, ofModel] = await close(pair, id);
    expect(ofLedger, place).toEqual(ofModel);
    expect(await rowsOfLedger(pair), place).toEqual(rowsOfModel(pair));
  }
}

/**
 * A person closes a batch, now and then twice or in two steps, and a program that holds it continues as if it were open.
 */
async function close(pair: Pair, batchId: string): Promise<[unknown, unknown]> {
  const { random, verbs, model } = pair;
  const answers: [unknown, unknown][] = [];
  answers.push(await beginRun(pair, batchId, true));
  const joined = pair.runs.findLast((run) => run.batchId === batchId);
  if (random.chance(0.3)) answers.push(await claimFor(pair, joined));
  if (random.chance(0.3)) await passTime(pair, 40_000_000);
  if (random.chance(0.5))
    answers.push([await verbs.takeOverExpired(batchId), model.takeOverExpired(batchId)]);
  for (let round = 0; round < 2; round += 1) {
    const by = { by: 'somebody', note: 'the wrong file' };
    answers.push([await verbs.closeBatch(batchId, by), model.closeBatch(batchId)]);
    answers.push(await claimFor(pair, joined));
    answers.push([await verbs.returnRejected(batchId), model.returnRejected(batchId)]);
    if (random.chance(0.8)) answers.push(await closeRows(pair, batchId));
    answers.push(await beginRun(pair, batchId, true));
    answers.push(await claimFor(pair, joined));
  }
  answers.push([(await verbs.findClosing(batchId)) !== null, model.isClosed(batchId)]);
  return inOne(answers);
}

async function closeRows({ verbs, model }: Pair, batchId: string): Promise<[unknown, unknown]> {
  const { rows } = await verbs.closeUnsentRows(batchId, 0);
  return [rows, model.closeUnsentRows(batchId)];
}

/** Each carries one verb out on both sides and returns both answers. */
const verbsInTurn: Readonly<Record<string, (pair: Pair) => Promise<[unknown, unknown]>>> = {
  passTime: (pair) => passTime(pair, pair.random.pick([50_000, 200_000, 400_000, 10_000_000])),
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
    return [await verbs.endRun(run.id, 'done'), model.endRun(run.id, 'done')];
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

/** A worker claims rows and pauses, another run takes them over and claims them, and the first is late. */
async function loseWorker(pair: Pair): Promise<[unknown, unknown]> {
  const { random, verbs, model, runs } = pair;
  const answers: [unknown, unknown][] = [await claim(pair)];
  await passTime(pair, random.pick([400_000, 40_000_000]));
  const batchId = pair.claims.at(-1)?.batchId ?? random.pick(pair.batches).id;
  answers.push([await verbs.takeOverExpired(batchId), model.takeOverExpired(batchId)]);
  answers.push(await beginRun(pair, batchId, true));
  answers.push(await claimFor(pair, runs.at(-1)));
  answers.push(await recordClaim(pair, pair.claims.at(-2)));
  return inOne(answers);
}

/** A worker records some rows of a claim, and then reports others, and the same ones, as created. */
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

/** Rows were claimed just now, and another run looks for those that no run sends any more. */
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
  // A run that was declared lost, now and then.
  const runId = (begun === null ? random.pick(ofBatch()) : ofBatch().at(-1))?.id ?? newId();
  const listed = await verbs.listRowsToPrepare(batch.id, 0, 100);
  expect(listed.map(({ row, generation }) => [row, generation])).toEqual(
    model.listRowsToPrepare(batch.id, 0, 100).map(({ row, generation }) => [row, generation]),
  );
  const { preparations, rowsPerChunk } = preparationsOf(pair, batch.id, listed);
  return [
    await verbs.writePreparations(batch.id, runId, preparations, rowsPerChunk),
    model.writePreparations(batch.id, runId, preparations, rowsPerChunk),
  ];
}

/** Rows no longer pass, whatever has become of them meanwhile. */
async function recheck(pair: Pair): Promise<[unknown, unknown]> {
  const { random, batches, verbs, model } = pair;
  const { id } = random.pick(batches);
  const rows = failingRows(pair, id);
  return [await verbs.writeRechecked(id, rows), model.writeRechecked(id, rows)];
}

function claim(pair: Pair): Promise<[unknown, unknown]> {
  return claimFor(pair, pickRun(pair.random, pair.runs));
}

async function claimFor(pair: Pair, run: Pair['runs'][number] | undefined): Promise<[unknown, unknown]> {
  if (run === undefined) return [null, null];
  const { verbs, model, claims } = pair;
  const request = claimRequestOf(pair, run);
  const rows = await verbs.claimRows(request);
  claims.push({ batchId: run.batchId, runId: run.id, rows });
  return [comparable(rows), comparable(model.claimRows(request))];
}

/**
 * Rows are refused for one reason: a batch of which none was created stops, now and then until a person lets it continue.
 */
async function refuseAlike(pair: Pair, run: Pair['runs'][number] | undefined): Promise<[unknown, unknown]> {
  const { random, verbs, model } = pair;
  if (run === undefined) return [null, null];
  const { id, batchId } = run;
  const answers: [unknown, unknown][] = [await claimFor(pair, run)];
  const conclusions = (pair.claims.at(-1)?.rows ?? [])
    .filter(({ wasUnknown }) => !wasUnknown)
    .map((row): RowConclusion => {
      const attempts = [attempt({ number: row.attempts + 1, httpStatus: 400 })];
      const why = { code: 'invalid_value', message: `row ${row.row} has a wrong owner` };
      return { ...row, conclusion: { state: 'rejected', objectId: null, ...why, attempts } };
    });
  if (conclusions.length > 0) {
    answers.push([
      [...(await verbs.recordConclusions(batchId, id, conclusions))],
      [...model.recordConclusions(batchId, id, conclusions)],
    ]);
  }
  const limit = random.pick([1, 1, 2, null]);
  answers.push([
    comparableStop(await verbs.stopIfRefusedAlike(batchId, limit)),
    comparableStop(model.stopIfRefusedAlike(batchId, limit)),
  ]);
  answers.push(await claimFor(pair, run));
  if (random.chance(0.7))
    answers.push([await verbs.continueRefused(batchId), model.continueRefused(batchId)]);
  return [answers.map(([ofLedger]) => ofLedger), answers.map(([, ofModel]) => ofModel)];
}

/** Of rows that are refused for one reason in words of their own, any may be the one that is quoted. */
function comparableStop(verdict: RefusedAlike | 'some_created' | null): unknown {
  return verdict === null || verdict === 'some_created'
    ? verdict
    : { code: verdict.code, rows: verdict.rows };
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

/** As the file of the second batch would be compared: its own payees do not count. */
async function payeesOfLedger({ batches, verbs }: Pair): Promise<unknown> {
  const [first, second] = batches;
  const asked = payees.map((keys, n) => ({ n, ...keys }));
  const known = await verbs.findPayees(first?.environmentId ?? 0, asked, [second?.id ?? '']);
  return known
    .map(({ n, batch, row, ...same }) => [`${n} ${batch} ${row}`, Object.values(same)])
    .sort(byFirst);
}

function payeesOfModel({ batches, model }: Pair): unknown {
  const [first, second] = batches;
  return payees
    .flatMap((asked, n) =>
      model
        .findPayees(first?.environmentId ?? 0, asked, [second?.id ?? ''])
        .map(({ batchId, row, payee }) => [
          `${n} ${batchId} ${row}`,
          [payee?.customer === asked.customer, payee?.name === asked.name, payee?.details === asked.details],
        ]),
    )
    .sort(byFirst);
}

function byFirst([one]: readonly unknown[], [other]: readonly unknown[]): number {
  return String(one) < String(other) ? -1 : 1;
}

async function findKeyOwners({ random, batches, verbs, model }: Pair): Promise<[unknown, unknown]> {
  const { environmentId, kind } = random.pick(batches);
  const keys = Array.from({ length: sizes.objects }, (_, index) =>
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

async function resolve(pair: Pair): Promise<[unknown, unknown]> {
  const { random, batches, verbs, model, newId } = pair;
  const { id } = random.pick(batches);
  const decided = decideOnRow(pair, id);
  const row = model.rows.get(`${id} ${decided?.row}`);
  if (decided === undefined || row === undefined) return [null, null];
  const { to, objectId, verdict, attempts } = decided;
  const isWritten = await verbs.writeVerdicts(id, { runId: newId(), user: 'somebody' }, () => [[decided]]);
  return [isWritten, model.writeVerdict(row, { to, objectId, isSend: verdict === 'send', attempts })];
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
