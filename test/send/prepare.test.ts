import { describe, expect, it } from 'vitest';
import type { KeyOwner, Preparation, RowToPrepare } from '../../src/domain/rows/ledger-row.ts';
import type { LedgerVerbs } from '../../src/ledger/verbs.ts';
import { type PrepareContext, prepareRows } from '../../src/send/prepare.ts';
import { type FakeReferences, type FakeRunLog, fakeReferences, fakeRunLog, newKey, partly } from './fakes.ts';

interface Bench {
  readonly references: FakeReferences;
  readonly runLog: FakeRunLog;
  /** Every group that was written, in order. */
  readonly written: (readonly Preparation[])[];
  /** What the ledger answers to the next writings; true when there is nothing left. */
  readonly answers: boolean[];
  readonly prepare: (rows: readonly RowToPrepare[]) => Promise<void>;
}

function bench(given: Partial<PrepareContext> = {}): Bench {
  const references = fakeReferences();
  const runLog = fakeRunLog();
  const written: (readonly Preparation[])[] = [];
  const answers: boolean[] = [];
  const prepare = (rows: readonly RowToPrepare[]): Promise<void> =>
    prepareRows({
      ledger: partly<LedgerVerbs>({
        listRowsToPrepare: async (_, afterRow, limit) =>
          rows.filter(({ row }) => row > afterRow).slice(0, limit),
        writePreparations: async (_batch, _run, preparations) => {
          const keys = preparations.flatMap((each) => (each.to === 'ready' ? [each.idempotencyKey] : []));
          const onDisk = new Set(runLog.keysOnDisk);
          expect(keys.filter((key) => !onDisk.has(key))).toEqual([]);
          written.push(preparations);
          return answers.shift() ?? true;
        },
      }),
      references,
      runLog,
      batchId: 'batch',
      runId: 'run',
      newKey,
      waitingDelayInMs: 0,
      payees: undefined,
      approvalId: undefined,
      onPrepared: async () => {},
      stopSignal: new AbortController().signal,
      ...given,
    });
  return { references, runLog, written, answers, prepare };
}

function accountRow(row: number, record: Record<string, string>): RowToPrepare {
  const account = { currency: 'USD', type: 'regular', blockchain_network: 'polygon', label: 'Main' };
  return { row, resource: 'accounts', generation: 1, record: { ...account, ...record } };
}

const byRow = (preparations: readonly Preparation[] | undefined): string[] =>
  [...(preparations ?? [])]
    .sort((left, right) => left.row - right.row)
    .map((each) => `${each.row} ${each.to}${'reason' in each ? ` ${each.reason.code}` : ''}`);

describe('the preparation', () => {
  it('writes exact bytes under a new key, which is in the run log on disk before', async () => {
    const { prepare, written, runLog } = bench();
    await prepare([accountRow(2, { customer_id: 'customer-1' })]);
    const [ready] = written[0] ?? [];
    if (ready?.to !== 'ready') throw new Error('the row is not ready');
    expect(JSON.parse(ready.body.toString())).toMatchObject({ customer_id: 'customer-1', label: 'Main' });
    expect(ready.path).toBe('/v1/accounts');
    expect(runLog.onDisk).toEqual([
      {
        event: 'row.staged',
        row: 2,
        key: ready.idempotencyKey,
        attempt: 0,
        generation: 1,
        request_hash: ready.fingerprint.toString('hex'),
      },
    ]);
  });

  it('lets a row wait for its customer, and makes it ready once that is there', async () => {
    const { prepare, written, references } = bench();
    const row = accountRow(2, { customer_external_id: 'C-1' });
    references.objects.set('customers C-1', { id: null, country: null });
    await prepare([row]);
    references.objects.set('customers C-1', { id: 'customer-1', country: null });
    await prepare([row]);
    expect(written.map(byRow)).toEqual([['2 waiting customer_not_there'], ['2 ready']]);
  });

  it('lets the second of two rows wait that name one customer in two ways and mean one object', async () => {
    const { prepare, written, references } = bench();
    references.objects.set('customers C-1', { id: 'customer-1', country: null });
    await prepare([
      accountRow(2, { customer_external_id: 'C-1' }),
      accountRow(3, { customer_id: 'customer-1' }),
      accountRow(4, { customer_id: 'customer-1', label: 'Other' }),
    ]);
    expect(written.map(byRow)).toEqual([['2 ready', '3 waiting sent_elsewhere', '4 ready']]);
  });

  it('decides anew, under new keys, when another batch took a key meanwhile', async () => {
    const { prepare, written, references, answers } = bench();
    const row = accountRow(2, { customer_id: 'customer-1' });
    answers.push(false);
    await prepare([row]);
    const [first, second] = written.map(([each]) => each);
    if (first?.to !== 'ready' || second?.to !== 'ready') throw new Error('the row was not decided twice');
    expect(first.idempotencyKey).not.toBe(second.idempotencyKey);

    const owner: KeyOwner = {
      batch: 'other-batch',
      row: 9,
      state: 'created',
      objectId: 'account-9',
      fingerprint: first.fingerprint,
      body: first.body,
    };
    references.owners.set(first.naturalKey.toString('hex'), owner);
    await prepare([row]);
    expect(written.at(-1)).toMatchObject([{ row: 2, to: 'existing', objectId: 'account-9' }]);
  });

  it('does not continue for ever when its keys are taken again and again', async () => {
    const { prepare, written, answers } = bench();
    answers.push(...new Array<boolean>(20).fill(false));
    await expect(prepare([accountRow(2, { customer_id: 'customer-1' })])).rejects.toThrow('again and again');
    expect(written.length).toBeLessThan(20);
  });

  it('begins no further group once the run is to stop', async () => {
    const stop = new AbortController();
    const { prepare, written } = bench({ stopSignal: stop.signal });
    stop.abort();
    await prepare([accountRow(2, { customer_id: 'customer-1' })]);
    expect(written).toEqual([]);
  });
});
