import pLimit from 'p-limit';
import { describe, expect, it } from 'vitest';
import type { Sender } from '../../src/api/sender.ts';
import type { ClaimedRow, RowConclusion } from '../../src/domain/rows/ledger-row.ts';
import type { Conclusion } from '../../src/domain/sending/outcome.ts';
import { RunStop } from '../../src/domain/sending/stops.ts';
import type { LedgerVerbs } from '../../src/ledger/verbs.ts';
import { type SubmitContext, submitRows } from '../../src/send/submit.ts';
import { attempt } from '../support/ledger-rows.ts';
import { type FakeRunLog, fakeClock, fakeRunLog, fakeSubmission, partly } from './fakes.ts';

function claimed(row: number, given: Partial<ClaimedRow> = {}): ClaimedRow {
  return {
    row,
    resource: 'customers',
    generation: 1,
    leaseToken: '1',
    idempotencyKey: `key-${row}`,
    path: '/v1/customers',
    body: Buffer.from('{}'),
    preparedBy: 'run',
    attempts: 0,
    wasUnknown: false,
    keyTimeLeftInMs: 1_000,
    ...given,
  };
}

const created: Conclusion = { state: 'created', objectId: 'object', code: null, message: null, attempts: [] };

const unsent: Conclusion = { state: 'ready', objectId: null, code: null, message: null, attempts: [] };

interface Bench {
  readonly context: SubmitContext;
  readonly runLog: FakeRunLog;
  readonly recorded: RowConclusion[];
  readonly claims: { readonly limit: number; readonly leaseToken: string }[];
}

function bench(rows: readonly ClaimedRow[], send: Sender['send'], given: Partial<SubmitContext> = {}): Bench {
  const left = [...rows];
  const runLog = fakeRunLog();
  const recorded: RowConclusion[] = [];
  const claims: { limit: number; leaseToken: string }[] = [];
  const context: SubmitContext = {
    ledger: partly<LedgerVerbs>({
      claimRows: async ({ limit, leaseToken }) => {
        claims.push({ limit, leaseToken });
        return left.splice(0, limit);
      },
      recordConclusions: async (_batch, _run, conclusions) => {
        recorded.push(...conclusions);
        return new Set(conclusions.map(({ row }) => row));
      },
    }),
    sender: { send, isApiInDoubt: () => false },
    runLog,
    ...fakeSubmission(),
    leaseInMs: 30_000,
    onRecorded: () => {},
    ...given,
  };
  return { context, runLog, recorded, claims };
}

const manyRows = (count: number): ClaimedRow[] => Array.from({ length: count }, (_, at) => claimed(at + 2));

describe('the submission', () => {
  it('sends every claimed row once and records it under its lease', async () => {
    const sent: string[] = [];
    const { context, recorded, claims } = bench(manyRows(300), async (request) => {
      sent.push(request.idempotencyKey);
      return created;
    });
    await submitRows(context);
    expect(sent.sort()).toEqual(
      manyRows(300)
        .map((row) => row.idempotencyKey)
        .sort(),
    );
    expect(recorded.map(({ row }) => row).sort((a, b) => a - b)).toEqual(manyRows(300).map(({ row }) => row));
    expect(new Set(claims.map(({ leaseToken }) => leaseToken)).size).toBe(claims.length);
    expect(claims[0]?.leaseToken).toBe(((3n << 32n) | 1n).toString());
  });

  it('has no more requests in flight than allowed, and frees a place before its answer is recorded', async () => {
    let inFlight = 0;
    let most = 0;
    let sent = 0;
    let release: () => void = () => {};
    const blocked = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { context } = bench(manyRows(12), async () => {
      inFlight += 1;
      sent += 1;
      most = Math.max(most, inFlight);
      await Promise.resolve();
      inFlight -= 1;
      return created;
    });
    const recording = context.ledger.recordConclusions;
    const ledger = {
      ...context.ledger,
      claimRows: context.ledger.claimRows,
      recordConclusions: async (...call: Parameters<typeof recording>) => {
        await blocked;
        return recording(...call);
      },
    };
    const submitting = submitRows({ ...context, ledger });
    while (sent < 12) await new Promise((resolve) => setTimeout(resolve, 1));
    release();
    await submitting;
    expect(most).toBeLessThanOrEqual(4);
  });

  it('claims on while nothing gets recorded, but only a few groups ahead', async () => {
    let release: () => void = () => {};
    const blocked = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { context, recorded, claims } = bench(manyRows(1_000), async () => created);
    const recording = context.ledger.recordConclusions;
    const ledger = {
      ...context.ledger,
      recordConclusions: async (...call: Parameters<typeof recording>) => {
        await blocked;
        return recording(...call);
      },
    };
    const submitted = submitRows({ ...context, ledger });
    await new Promise((resolve) => setTimeout(resolve, 50));
    const claimedAhead = claims.reduce((rows, { limit }) => rows + limit, 0);
    expect(claims.length).toBeGreaterThan(2);
    expect(claimedAhead).toBeLessThan(500);
    release();
    await submitted;
    expect(recorded).toHaveLength(1_000);
  });

  it('stops at the first failure, records what was in flight, and throws that failure', async () => {
    const { context, recorded } = bench(manyRows(500), async ({ idempotencyKey }) => {
      if (idempotencyKey === 'key-5') throw new RunStop('credentials', 'refused', unsent);
      await new Promise((resolve) => setTimeout(resolve, 1));
      return context.halt.signal.aborted ? unsent : created;
    });
    await expect(submitRows(context)).rejects.toMatchObject({ reason: 'credentials' });
    expect(context.halt.signal.aborted).toBe(true);
    expect(recorded.find(({ row }) => row === 5)?.conclusion.state).toBe('ready');
    expect(recorded.length).toBeLessThan(500);
    expect(recorded.filter(({ conclusion }) => conclusion.state === 'created').length).toBeLessThan(20);
  });

  it('stops when the ledger fails, however many rows are in flight', async () => {
    const { context } = bench(manyRows(200), async () => created);
    const ledger = partly<LedgerVerbs>({
      claimRows: context.ledger.claimRows,
      recordConclusions: () => Promise.reject(new Error('the ledger is away')),
    });
    await expect(submitRows({ ...context, ledger })).rejects.toThrow('the ledger is away');
  });

  it('claims nothing more once it is to stop', async () => {
    const halt = new AbortController();
    const { context, recorded, claims } = bench(
      manyRows(2_000),
      async () => {
        halt.abort();
        return created;
      },
      { halt },
    );
    await submitRows(context);
    expect(claims.length).toBeLessThanOrEqual(2);
    expect(recorded.length).toBeLessThan(2_000);
  });

  it('has the key of a request that an earlier run prepared in this run’s log before it sends', async () => {
    const early: string[] = [];
    const rows = [claimed(2, { preparedBy: 'an earlier run', attempts: 2 }), claimed(3)];
    const { context, runLog } = bench(rows, async ({ idempotencyKey }) => {
      if (!runLog.keysOnDisk.has(idempotencyKey)) early.push(idempotencyKey);
      return created;
    });
    await submitRows(context);
    expect(early).toEqual(['key-3']);
    expect(runLog.onDisk).toMatchObject([
      { event: 'claim.made', run: 'run', claim: 1 },
      { event: 'row.staged', key: 'key-2', attempt: 2 },
    ]);
  });

  it('writes to its log since when a row in doubt was sent by another run', async () => {
    const row = claimed(2, { preparedBy: 'an earlier run', wasUnknown: true, keyTimeLeftInMs: 86_340_000 });
    const { context, runLog } = bench([row], async () => created);
    const times: unknown[] = [];
    const append: FakeRunLog['append'] = (events, at) => {
      if (events.some(({ event }) => event === 'row.staged')) times.push(at?.toISOString());
      runLog.append(events, at);
    };
    await submitRows({ ...context, runLog: { ...runLog, append } });
    expect(times).toEqual(['2026-11-21T07:59:00.000Z']);
  });

  it('has every claim in its log, on disk, before anything of it is sent, and none that the ledger has not', async () => {
    const claimsWhenSent = new Set<number>();
    const { context, claims, runLog } = bench(manyRows(300), async () => {
      claimsWhenSent.add(runLog.onDisk.filter(({ event }) => event === 'claim.made').length);
      return created;
    });
    await submitRows(context);
    expect(claimsWhenSent.has(0)).toBe(false);
    const logged = runLog.onDisk.flatMap((event) => (event.event === 'claim.made' ? [event.claim] : []));
    expect(logged.length).toBeGreaterThan(1);
    expect(logged.length).toBeLessThan(claims.length + 1);
  });

  it('puts the rows of a claim back that the log could not take, and sends none of them', async () => {
    const { context, recorded, runLog } = bench(manyRows(2), async () => {
      if (!context.halt.signal.aborted) throw new Error('sent without its claim in the log');
      return unsent;
    });
    const gone = new Error('the log is gone');
    const failing = { ...runLog, flush: () => Promise.reject(gone), seal: () => Promise.reject(gone) };
    await expect(submitRows({ ...context, runLog: failing })).rejects.toBe(gone);
    expect(recorded.map(({ conclusion }) => conclusion.state)).toEqual(['ready', 'ready']);
  });

  it('counts a key’s time from the claim, and passes to the sender what is known of the row', async () => {
    const heard: unknown[] = [];
    let now = 5_000;
    const clock = { ...fakeClock, monotonicInMs: () => now };
    const rows = [claimed(2, { attempts: 3, wasUnknown: true, keyTimeLeftInMs: 700 })];
    const { context } = bench(
      rows,
      async (_, row) => {
        heard.push({
          ...row,
          mayLeave: row.mayLeave(),
          rowsLeft: row.rowsLeft?.(),
          readAnswer: undefined,
        });
        return created;
      },
      {
        clock,
        onLimiter: () => {
          now = 5_000;
        },
      },
    );
    await submitRows(context);
    expect(heard).toEqual([
      {
        attemptsBefore: 3,
        isEarlierTryUnknown: true,
        resendUntil: 5_700,
        failedAlone: false,
        rowsLeft: 0,
        mayLeave: true,
        readAnswer: undefined,
      },
    ]);
  });

  it('sends a row in doubt no more when its key has become too old while the machine slept', async () => {
    const may: unknown[] = [];
    // The monotonic clock does not count the sleep, the calendar does.
    let asleepInMs = 0;
    const clock = { monotonicInMs: () => 5_000, now: () => new Date(asleepInMs) };
    const rows = [2, 3].map((row) => claimed(row, { wasUnknown: row === 2, keyTimeLeftInMs: 700 }));
    const { context } = bench(
      rows,
      async (_, { mayLeave }) => {
        asleepInMs = 800;
        may.push(mayLeave());
        return created;
      },
      { clock, leaseInMs: 30_000 },
    );
    await submitRows(context);
    expect(may).toEqual([false, true]);
  });

  it('sends a row late that was never sent, while the run holds its batch, and then not again', async () => {
    const may: unknown[] = [];
    let now = 5_000;
    const clock = { ...fakeClock, monotonicInMs: () => now };
    const { context } = bench(
      [claimed(2, { keyTimeLeftInMs: 700 })],
      async (_, { mayLeave }, onAttempt) => {
        // A rate of some requests an hour: the row's turn comes long after its claim.
        now += 60_000;
        may.push(await mayLeave());
        onAttempt(attempt({ outcome: 'unknown', objectId: null }));
        may.push(await mayLeave());
        return created;
      },
      { clock, leaseInMs: 30_000, holdsBatch: () => true },
    );
    await submitRows(context);
    expect(may).toEqual([true, false]);
  });

  it('hands the limiter out, whose concurrency counts from then on', async () => {
    let limiter = pLimit(1);
    const { context } = bench([], async () => created, {
      onLimiter: (own) => {
        limiter = own;
      },
    });
    await submitRows(context);
    expect(limiter.concurrency).toBe(4);
  });
});
