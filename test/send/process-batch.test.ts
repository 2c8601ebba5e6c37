import { describe, expect, it } from 'vitest';
import type { ClaimedRow, Preparation, RowToPrepare } from '../../src/domain/rows/ledger-row.ts';
import type { Conclusion } from '../../src/domain/sending/outcome.ts';
import type { LedgerVerbs } from '../../src/ledger/verbs.ts';
import { type ProcessBatchContext, processBatch } from '../../src/send/process-batch.ts';
import { fakeReferences, fakeRunLog, fakeSubmission, newKey, partly } from './fakes.ts';

const created: Conclusion = { state: 'created', objectId: 'object', code: null, message: null, attempts: [] };

const staged = (row: number): RowToPrepare => ({
  row,
  resource: 'customers',
  generation: 1,
  record: { external_id: `c-${row}`, first_name: 'Amina', last_name: 'Otieno' },
});

/** A ledger in memory: what is prepared can be claimed. */
function bench(given: { rows: number; beforeWriting?: (group: number, prepared: number) => Promise<void> }) {
  const rows = Array.from({ length: given.rows }, (_, at) => staged(at + 2));
  const ready: ClaimedRow[] = [];
  const recorded: number[] = [];
  const runLog = fakeRunLog();
  const prepared = { groups: 0, rows: 0 };
  const claimable = (request: Extract<Preparation, { to: 'ready' }>): ClaimedRow => ({
    row: request.row,
    resource: 'customers',
    generation: 1,
    leaseToken: '1',
    idempotencyKey: request.idempotencyKey,
    path: request.path,
    body: request.body,
    preparedBy: 'run',
    attempts: 0,
    wasUnknown: false,
    keyTimeLeftInMs: 1_000,
  });
  const ledger = partly<LedgerVerbs>({
    takeOverExpired: async () => 0,
    holdExpiredKeys: async () => 0,
    explainOtherCredentials: async () => 0,
    listRowsToPrepare: async (_, afterRow, limit) => rows.filter(({ row }) => row > afterRow).slice(0, limit),
    writePreparations: async (_batch, _run, preparations) => {
      prepared.groups += 1;
      await given.beforeWriting?.(prepared.groups, prepared.rows);
      prepared.rows += preparations.length;
      ready.push(...preparations.flatMap((each) => (each.to === 'ready' ? [claimable(each)] : [])));
      return true;
    },
    claimRows: async ({ limit, rows: scope }) => (scope === 'fresh' ? ready.splice(0, limit) : []),
    recordConclusions: async (_batch, _run, conclusions) => {
      recorded.push(...conclusions.map(({ row }) => row));
      return new Set(conclusions.map(({ row }) => row));
    },
  });
  const context: ProcessBatchContext = {
    ledger,
    references: fakeReferences(),
    runLog,
    newKey,
    sender: {
      send: async ({ idempotencyKey }) => {
        expect(runLog.keysOnDisk).toContain(idempotencyKey);
        return created;
      },
      isApiInDoubt: () => false,
    },
    ...fakeSubmission(),
    payees: undefined,
    leaseInMs: 30_000,
    waitingDelayInMs: 0,
    onProgress: () => {},
  };
  return { context, recorded, prepared };
}

/** An API that gives no answer until the test lets it. */
function slowSender(): { sender: ProcessBatchContext['sender']; answer: () => void } {
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  return {
    sender: { send: () => answered.then(() => created), isApiInDoubt: () => false },
    answer: () => answer(),
  };
}

async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 500; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const allRows = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 2);

const inOrder = (rows: readonly number[]): number[] => [...rows].sort((left, right) => left - right);

describe('moving a batch on', () => {
  it('sends what is ready while later rows are still being prepared', async () => {
    const sentBefore: number[] = [];
    const { context, recorded } = bench({
      rows: 3_000,
      beforeWriting: async (_, prepared) => {
        // Each group waits for all rows of those before it to be recorded.
        while (recorded.length < prepared) await new Promise((resolve) => setImmediate(resolve));
        sentBefore.push(recorded.length);
      },
    });
    await processBatch(context);
    expect(sentBefore).toEqual([0, 128, 1_128, 2_128]);
    expect(inOrder(recorded)).toEqual(allRows(3_000));
  });

  it('prepares only a limited number of rows ahead of the claims, and continues with them', async () => {
    const { context, recorded, prepared } = bench({ rows: 10_000 });
    const { sender, answer } = slowSender();
    const moving = processBatch({ ...context, sender });
    await someTurns();
    expect(prepared.rows).toBeGreaterThan(2_000);
    expect(prepared.rows).toBeLessThan(4_000);
    answer();
    await moving;
    expect(inOrder(recorded)).toEqual(allRows(10_000));
  });

  it('ends when the run is to stop while enough is ready', async () => {
    const { context, recorded } = bench({ rows: 10_000 });
    const { sender, answer } = slowSender();
    const moving = processBatch({ ...context, sender });
    await someTurns();
    context.halt.abort();
    answer();
    await moving;
    expect(recorded.length).toBeLessThan(10_000);
  });

  it('continues to prepare when others claim what is ready', async () => {
    const { context, prepared } = bench({ rows: 5_000 });
    const claimRows = async (): Promise<ClaimedRow[]> => [];
    await processBatch({ ...context, ledger: { ...context.ledger, claimRows } });
    expect(prepared.rows).toBe(5_000);
  });

  it('sends every row when the preparation is faster than the API', async () => {
    const { context, recorded } = bench({ rows: 2_500 });
    await processBatch(context);
    expect(inOrder(recorded)).toEqual(allRows(2_500));
  });

  it('stops when the preparation fails, once what is under way is recorded', async () => {
    const { context, recorded } = bench({
      rows: 3_000,
      beforeWriting: async (group) => {
        if (group === 2) throw new Error('the ledger is away');
      },
    });
    await expect(processBatch(context)).rejects.toThrow('the ledger is away');
    expect(context.halt.signal.aborted).toBe(true);
    expect(Math.max(...recorded, 0)).toBeLessThanOrEqual(1_001);
  });

  it('prepares no more groups once the run is to stop', async () => {
    const halt = new AbortController();
    const { context, recorded } = bench({
      rows: 5_000,
      beforeWriting: async (group) => {
        if (group === 2) halt.abort();
      },
    });
    await processBatch({ ...context, halt });
    expect(recorded.length).toBeLessThanOrEqual(2_000);
  });
});
