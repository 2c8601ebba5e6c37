import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import { uncheckedRows as query } from '../../src/ledger/query/sql.ts';
import type { LedgerVerbs } from '../../src/ledger/verbs.ts';
import { type ContestName, drawContest } from './contests.ts';
import { openPair, type Pair, rowsOfLedger, rowsOfModel } from './ledger-pair.ts';
import type { ModelLedger } from './model-ledger.ts';
import type { OverlappingCall } from './overlapping-calls.ts';
import type { StatementTurns } from './statement-turns.ts';

const overlaps = 8;
/** Most preparations succeed, and now and then two are about the same object. */
const sizes = { mostRows: 14, objects: 300 };

/** A ledger, with the programs that use it at the same time. */
export interface OverlapStage {
  readonly database: Knex;
  /** For what happens between overlaps, one call after the other. */
  readonly verbs: LedgerVerbs;
  readonly turns: StatementTurns;
  readonly verbsOfPrograms: readonly LedgerVerbs[];
  readonly newId: () => string;
}

export interface OverlapOptions {
  /** What the programs contend for each time; anything when absent. */
  readonly contest?: ContestName;
  /** Each call begins when the one before it has ended. */
  readonly isInTurn?: boolean;
}

/**
 * Lets programs call at the same moment, in one random sequence of such moments. What the calls come to, together
 * with the rows afterwards, has to be what they come to in the model in some order of their moments.
 * @throws when there is no such order
 */
export async function compareOverlaps(
  seed: number,
  stage: OverlapStage,
  { contest, isInTurn = false }: OverlapOptions = {},
): Promise<void> {
  const pair = await openPair(seed, stage.database, stage.verbs, stage.newId, sizes);
  const firstRevisions = (await batchesOfLedger(pair)).map(({ revision }) => revision);
  for (let round = 1; round <= overlaps; round += 1) {
    const calls = await drawContest(pair, contest);
    const { results, turns } = await stage.turns.overlap(
      calls.map(
        ({ ofLedger }, at) =>
          () =>
            ofLedger(programOf(stage, at)),
      ),
      pair.random,
      isInTurn,
    );
    const place = placeOf(seed, round, calls, turns);
    const answers = results.map((result) => {
      if (result.status === 'fulfilled') return result.value;
      throw new Error(`${place}\na call fails`, { cause: result.reason });
    });
    const standing = await standingOfLedger(pair, firstRevisions);
    const found = findOutcome(pair, calls, { answers, standing });
    if (found === undefined)
      throw new Error(
        `${place}\nno order of the calls comes to these answers and rows: ${JSON.stringify(answers)}`,
      );
    pair.model = found.model;
  }
}

function programOf({ verbsOfPrograms }: OverlapStage, at: number): LedgerVerbs {
  const verbs = verbsOfPrograms[at];
  if (verbs === undefined) throw new Error('there are more calls than programs');
  return verbs;
}

function placeOf(
  seed: number,
  round: number,
  calls: readonly OverlappingCall[],
  turns: readonly string[],
): string {
  return [
    `seed ${seed}, overlap ${round} of ${calls.map(({ name }) => name).join(' and ')}`,
    `to see it again: PAYBATCH_OVERLAP_SEED=${seed} npx vitest run test/simulation/overlapping-calls.test.ts`,
    'whose statement came when:',
    ...turns,
  ].join('\n');
}

function findOutcome(
  pair: Pair,
  calls: readonly OverlappingCall[],
  { answers, standing }: { readonly answers: readonly unknown[]; readonly standing: unknown },
): Outcome | undefined {
  for (const outcome of outcomesOf(pair.model, calls)) {
    const ofModel = [outcome.answers, standingOfModel(pair, outcome.model)];
    if (isDeepStrictEqual(ofModel, [answers, standing])) return outcome;
  }
  return undefined;
}

/** What calls that were made at the same time come to in one order of their moments. */
interface Outcome {
  readonly answers: readonly unknown[];
  readonly model: ModelLedger;
}

/** Each order of the calls' moments, on a copy of the model. */
function* outcomesOf(model: ModelLedger, calls: readonly OverlappingCall[]): Generator<Outcome> {
  const counts = calls.map(({ moments }) => moments().length);
  for (const order of ordersOf(counts)) {
    const copy = model.copy();
    const coming = calls.map(({ moments }) => moments().values());
    const answers: unknown[] = [];
    for (const turn of order) answers[turn] = coming[turn]?.next().value?.(copy);
    yield { answers, model: copy };
  }
}

/** Whose turn it is, for a number of turns of each. */
function* ordersOf(counts: readonly number[]): Generator<number[]> {
  if (counts.every((count) => count === 0)) yield [];
  for (const [turn, count] of counts.entries()) {
    if (count === 0) continue;
    for (const rest of ordersOf(counts.with(turn, count - 1))) yield [turn, ...rest];
  }
}

interface BatchStanding {
  readonly batchId: string;
  readonly revision: number;
  /** In the order of their numbers. */
  readonly runs: readonly { readonly id: string; readonly hasEnded: boolean; readonly isTrusted: boolean }[];
  /** Row, generation and key of each. */
  readonly requests: readonly (readonly [number, number, string])[];
  /** Chunks that count more or fewer open rows than there are. */
  readonly miscounted: number;
}

function batchesOfLedger({ database, batches }: Pair): Promise<BatchStanding[]> {
  const ids = batches.map(({ id }) => id);
  return query<BatchStanding>(
    database,
    `SELECT b.id AS "batchId", b.revision::int AS revision,
       coalesce((SELECT json_agg(json_build_object('id', r.id, 'hasEnded', r.ended_at IS NOT NULL,
           'isTrusted', r.lease_until > now()) ORDER BY r.number) FROM runs r WHERE r.batch_id = b.id), '[]') AS runs,
       coalesce((SELECT json_agg(json_build_array(q.row_number, q.generation, q.idempotency_key)
           ORDER BY q.row_number, q.generation) FROM requests q WHERE q.batch_id = b.id), '[]') AS requests,
       (SELECT count(*)::int FROM send_chunks c WHERE c.batch_id = b.id AND c.open_rows <> (
           SELECT count(*) FROM row_states s WHERE s.batch_id = c.batch_id AND s.chunk = c.chunk
             AND NOT EXISTS (SELECT FROM created_objects f WHERE f.batch_id = s.batch_id AND f.row_number = s.row_number)
         )) AS miscounted
     FROM batches b WHERE b.id = ANY(?::uuid[]) ORDER BY array_position(?::uuid[], b.id)`,
    [ids, ids],
  );
}

async function standingOfLedger(pair: Pair, firstRevisions: readonly number[]): Promise<unknown> {
  const batches = await batchesOfLedger(pair);
  return {
    rows: await rowsOfLedger(pair),
    batches: batches.map((batch, at) => ({ ...batch, revision: batch.revision - (firstRevisions[at] ?? 0) })),
  };
}

function standingOfModel(pair: Pair, model: ModelLedger): unknown {
  const batches = pair.batches.map(({ id: batchId }): BatchStanding => {
    const runs = [...model.runs.values()].filter((run) => run.batchId === batchId);
    const requests = [...model.requests].flatMap(([name, { idempotencyKey }]) => {
      const [ofBatch, row, generation] = name.split(' ');
      return ofBatch === batchId ? [[Number(row), Number(generation), idempotencyKey] as const] : [];
    });
    return {
      batchId,
      revision: model.revisionOf(batchId),
      runs: runs
        .toSorted((left, right) => left.number - right.number)
        .map(({ id, endedAt, leaseUntil }) => ({
          id,
          hasEnded: endedAt !== null,
          isTrusted: leaseUntil > pair.nowInMs,
        })),
      requests: requests.toSorted((left, right) => left[0] - right[0] || left[1] - right[1]),
      miscounted: 0,
    };
  });
  return { rows: rowsOfModel({ model, batches: pair.batches }), batches };
}
