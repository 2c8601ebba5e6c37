import type { LimitFunction } from 'p-limit';
import { describe, expect, it } from 'vitest';
import type { Reply } from '../../src/api/exchange.ts';
import { createConcurrencyLimit } from '../../src/api/limiters.ts';
import type { ClaimedRow, RowConclusion } from '../../src/domain/rows/ledger-row.ts';
import type { LedgerVerbs } from '../../src/ledger/verbs.ts';
import { type SubmitContext, submitRows } from '../../src/send/submit.ts';
import { created, lost, notSent, refused, reply, SenderBench } from '../api/sender-bench.ts';
import { fakeRunLog, fakeSubmission, partly } from './fakes.ts';

const timeout: Reply = { kind: 'maybe_sent', reason: 'timeout' };

function claimed(row: number, given: Partial<ClaimedRow> = {}): ClaimedRow {
  return {
    row,
    resource: 'customers',
    generation: 1,
    leaseToken: '1',
    idempotencyKey: `key-${row}`,
    path: '/v1/customers',
    body: Buffer.from(JSON.stringify({ name: `row ${row}` })),
    preparedBy: 'run',
    attempts: 0,
    wasUnknown: false,
    keyTimeLeftInMs: 86_400_000,
    ...given,
  };
}

interface Rows {
  /** Rows 1 to this one. */
  readonly count: number;
  readonly bad: Readonly<Record<number, Reply[]>>;
  readonly inDoubt?: readonly number[];
}

/** A submission of the product's own sender before a scripted API, in virtual time. */
async function submit({ count, bad, inDoubt = [] }: Rows, given: Partial<SubmitContext> = {}) {
  const api = new SenderBench();
  for (const [row, script] of Object.entries(bad)) api.api.scripts.set(`row ${row}`, script);
  const rows = Array.from({ length: count }, (_, index) =>
    claimed(index + 1, inDoubt.includes(index + 1) ? { wasUnknown: true, attempts: 3 } : {}),
  );
  const left = {
    in_doubt: rows.filter(({ wasUnknown }) => wasUnknown),
    fresh: rows.filter((row) => !row.wasUnknown),
  };
  const recorded: RowConclusion[] = [];
  const halt = new AbortController();
  const { concurrency = 4 } = given;
  let limiter: LimitFunction | undefined;
  const limit = createConcurrencyLimit({
    maximum: concurrency,
    onLimitChange: (most) => {
      if (limiter !== undefined) limiter.concurrency = most;
    },
  });
  const context: SubmitContext = {
    ledger: partly<LedgerVerbs>({
      claimRows: async ({ limit, rows: scope }) => (scope === 'all' ? [] : left[scope].splice(0, limit)),
      recordConclusions: async (_batch, _run, conclusions) => {
        recorded.push(...conclusions);
        return new Set(conclusions.map(({ row }) => row));
      },
    }),
    runLog: fakeRunLog(),
    ...fakeSubmission(),
    readAnswer: () => ({ id: 'object-1', object: {} }),
    halt,
    leaseInMs: 30_000,
    onRecorded: () => {},
    onLimiter: (own) => {
      limiter = own;
    },
    ...given,
    clock: { now: () => new Date(api.timing.monotonicInMs()), monotonicInMs: api.timing.monotonicInMs },
    sender: api.sender({ stopSignal: (given.halt ?? halt).signal, concurrency: limit }),
  };
  const failure = await submitRows({ ...context, concurrency }).then(
    () => null,
    (error: unknown) => error,
  );
  const counts: Partial<Record<RowConclusion['conclusion']['state'], number>> = {};
  for (const { conclusion } of recorded) counts[conclusion.state] = (counts[conclusion.state] ?? 0) + 1;
  const names = api.api.received.map(({ request }): string => JSON.parse(request.body.toString()).name);
  return { api, recorded, counts, failure, names };
}

const badRows = (first: number, count: number, script: Reply[]): Record<number, Reply[]> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [first + index, [...script]]));

describe('rows that always fail', () => {
  it.each([
    ['HTTP 500', reply(500), 4],
    ['HTTP 500, one at a time', reply(500), 1],
    ['no answer in time', timeout, 4],
    ['a lost connection', lost, 16],
  ])('by %s keep no other row back, and end in doubt', async (_why, failure, concurrency) => {
    const {
      counts,
      failure: stop,
      names,
    } = await submit({ count: 200, bad: badRows(50, 35, [failure]) }, { concurrency });
    expect(stop).toBeNull();
    expect(counts).toEqual({ created: 165, unknown: 35 });
    // Others go first: what was set aside comes at the end.
    const isBad = (name: string): boolean => Number(name.slice(4)) >= 50 && Number(name.slice(4)) < 85;
    const withOthers = names.slice(
      0,
      names.findLastIndex((name) => !isBad(name)),
    );
    expect(withOthers.filter((name) => name === 'row 50').length).toBeLessThanOrEqual(2);
  });

  it('are created by their later tries, once what was wrong is over', async () => {
    const { counts, recorded } = await submit({
      count: 40,
      bad: badRows(10, 8, [reply(500), reply(500), reply(500), created]),
    });
    expect(counts).toEqual({ created: 40 });
    const tries = recorded.find(({ row }) => row === 10)?.conclusion.attempts ?? [];
    expect(tries.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  });

  it('are refused where a later try says so and nothing had left before', async () => {
    const { recorded } = await submit({ count: 20, bad: badRows(3, 1, [notSent, notSent, refused]) });
    expect(recorded.find(({ row }) => row === 3)?.conclusion).toMatchObject({ state: 'rejected' });
  });

  it('wait longer and longer', async () => {
    const { api } = await submit({ count: 20, bad: badRows(3, 1, [reply(500)]) });
    const times = api.api.received.flatMap(({ request, atInMs }) =>
      JSON.parse(request.body.toString()).name === 'row 3' ? [atInMs] : [],
    );
    const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0) - 100);
    expect(pauses).toHaveLength(4);
    expect(pauses.toSorted((one, other) => one - other)).toEqual(pauses);
  });

  it('and are left in doubt by a run that came to its end prove nothing in the next one', async () => {
    const inDoubt = Array.from({ length: 35 }, (_, index) => index + 1);
    const bad = badRows(1, 35, [reply(500)]);
    const { counts, failure, names } = await submit(
      { count: 100, bad, inDoubt },
      { latestRunWasWhole: true },
    );
    expect([failure, counts]).toEqual([null, { created: 65, unknown: 35 }]);
    expect(names.length).toBeLessThan(65 + 60);
  });

  it('are the only ones left: the run ends by itself, after some tens of requests', async () => {
    const inDoubt = Array.from({ length: 200 }, (_, index) => index + 1);
    const { counts, failure, names } = await submit(
      { count: 200, bad: badRows(1, 200, [reply(500)]), inDoubt },
      { latestRunWasWhole: true },
    );
    expect([failure, counts]).toEqual([null, { unknown: 200 }]);
    expect(names.length).toBeLessThan(60);
  });
});

describe('a run that is to stop', () => {
  it('gives rows that were set aside their end, with what is known of them', async () => {
    const halt = new AbortController();
    let requests = 0;
    const holdsBatch = (): boolean => {
      requests += 1;
      if (requests > 60) halt.abort();
      return true;
    };
    const { recorded } = await submit(
      { count: 60, bad: badRows(5, 3, [reply(500)]) },
      { halt, concurrency: 1, holdsBatch },
    );
    expect(recorded).toHaveLength(60);
    const bad = recorded.filter(({ row }) => row >= 5 && row < 8);
    expect(bad.map(({ conclusion }) => [conclusion.state, conclusion.attempts.length])).toEqual([
      ['unknown', 2],
      ['unknown', 2],
      ['unknown', 2],
    ]);
  });
});
