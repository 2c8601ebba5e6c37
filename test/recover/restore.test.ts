import { describe, expect, it } from 'vitest';
import type { KeyOwner, Restoration, RowToRestore } from '../../src/domain/rows/ledger-row.ts';
import { definitionNamed } from '../../src/kinds/registry.ts';
import { fingerprintOf, naturalKeyOf, writeBody } from '../../src/kinds/request.ts';
import type { LoggedRow } from '../../src/recover/logged-rows.ts';
import { restoreBatch } from '../../src/recover/restore.ts';
import type { BatchHistory } from '../../src/recover/run-history.ts';
import { type FakeReferences, fakeReferences, partly } from '../send/fakes.ts';

const record = { external_id: 'C-1', first_name: 'Amina', last_name: 'Odhiambo', email: 'a@b.example' };
const accountRecord = { customer_external_id: 'C-1', currency: 'USD', type: 'regular', label: 'Main' };

const definition = definitionNamed('customers');
const body = writeBody(definition, record);
const fingerprint = fingerprintOf(definition.path, body);
const naturalKey = naturalKeyOf(definition, record);

function history(given: Partial<LoggedRow> = {}): LoggedRow {
  return {
    generation: 1,
    key: '00000000-0000-4000-8000-000000000001',
    requestHash: fingerprint.toString('hex'),
    firstStagedAt: '2026-11-21T08:00:00.000Z',
    credential: 'key one',
    attempts: 1,
    httpStatus: 500,
    isTried: true,
    end: { state: 'unknown' },
    ...given,
  };
}

/** Restores rows that all have this record. */
async function restored(
  histories: Readonly<Record<number, LoggedRow>>,
  references: FakeReferences = fakeReferences(),
  resource = 'customers',
  given: Readonly<Record<number, Partial<RowToRestore>>> = {},
): Promise<Restoration[]> {
  const rows = [2, 3].map(
    (row): RowToRestore => ({
      row,
      resource,
      state: 'staged',
      code: null,
      generation: 1,
      firstSentAt: null,
      request: null,
      earlierKeys: [],
      ...given[row],
      record: resource === 'customers' ? record : accountRecord,
    }),
  );
  const written: Restoration[] = [];
  await restoreBatch({
    ledger: {
      findLastRow: async () => 3,
      listRowsToRestore: async (_, first, last) => rows.filter(({ row }) => row >= first && row <= last),
      restoreRows: async (_batch, _run, restorations) => {
        written.push(...restorations);
      },
      keepLoggedClaims: async () => {},
      keepLoggedKeys: async () => {},
    },
    references,
    batchId: 'batch',
    runId: 'run',
    history: partly<BatchHistory>({
      claims: [],
      lastRow: 3,
      between: async () => ({
        rows: new Map(Object.entries(histories).map(([row, of]) => [Number(row), of])),
        resting: new Map(),
        keys: new Map(Object.entries(histories).map(([row, { key }]) => [Number(row), new Set([key])])),
        shown: new Map(),
        doubtAbout: () => null,
        wasSent: (row) => row in histories,
      }),
    }),
    isLedgerWhole: false,
  });
  return written;
}

const owner: KeyOwner = {
  batch: 'abcdef01-2345-8678-9abc-def012345678',
  row: 9,
  state: 'created',
  objectId: 'object',
  fingerprint,
  body,
};

describe('a row that is given back what the run log knows', () => {
  it('is unknown under its key, with the very bytes of its request', async () => {
    const [row, ...others] = await restored({ 2: history() });
    expect(others).toEqual([]);
    expect(row).toMatchObject({ state: 'unknown', ready: { idempotencyKey: history().key, body } });
    expect(row?.ready.ownedKey ?? row?.ready.naturalKey).toEqual(naturalKey);
  });

  it('is held when the file now gives another request, unless its end is certain', async () => {
    const other = { requestHash: '0'.repeat(64) };
    const stateOf = async (given: Partial<LoggedRow>): Promise<string | undefined> =>
      (await restored({ 2: history(given) }))[0]?.state;
    expect(await stateOf(other)).toBe('held');
    expect(await stateOf({ ...other, end: { state: 'created', objectId: 'object' } })).toBe('created');
    expect(await stateOf({ ...other, end: { state: 'rejected', code: null } })).toBe('rejected');
  });

  it('has the answer that created its object only if that was an answer to the very request', async () => {
    const answer = { number: 1, httpStatus: 201, durationInMs: 12, answeredAt: '2026-11-21T08:00:01.000Z' };
    const end = { state: 'created', objectId: 'object', answer } as const;
    const answerOf = async (given: Partial<LoggedRow>): Promise<unknown> =>
      (await restored({ 2: history(given) }))[0]?.answer;
    expect(await answerOf({ end })).toEqual(answer);
    expect(await answerOf({ end, requestHash: '0'.repeat(64) })).toBeNull();
    expect(await answerOf({ end: { state: 'created', objectId: 'object' } })).toBeNull();
  });

  it('is held when it is unknown which of its keys was used', async () => {
    const [row] = await restored({ 2: history({ end: { state: 'unclear' } }) });
    expect(row).toMatchObject({ state: 'held', reason: { code: 'several_keys' } });
  });

  it('is held when the log has an answer to it, and not the line with its key, unless that answer created it', async () => {
    const cut = { generation: null, requestHash: null };
    const [row] = await restored({ 2: history(cut) });
    expect(row).toMatchObject({ state: 'held', reason: { code: 'key_line_missing' } });
    const end = { state: 'created', objectId: 'object' } as const;
    const [created] = await restored({ 2: history({ ...cut, end }) });
    expect(created).toMatchObject({ state: 'created', objectId: 'object', answer: null });
  });

  it('has the very bytes that the ledger has, where it has its key, and the earliest time of its sending', async () => {
    const request = {
      key: history().key,
      path: '/old',
      body: Buffer.from('old'),
      fingerprint: Buffer.from('00'),
    };
    const standing = { request, state: 'ready', firstSentAt: '2026-11-20T08:00:00.000Z' } as const;
    const [row] = await restored({ 2: history() }, fakeReferences(), 'customers', { 2: standing });
    expect(row).toMatchObject({
      state: 'unknown',
      firstSentAt: '2026-11-20T08:00:00.000Z',
      ready: { path: '/old', body: request.body },
    });
  });

  it('does not take the natural key from the row that owns it', async () => {
    const references = fakeReferences();
    references.owners.set(naturalKey.toString('hex'), owner);
    const [row] = await restored({ 2: history() }, references);
    expect(row?.ready.ownedKey).toBeDefined();
    expect(row?.ready.ownedKey?.equals(naturalKey)).toBe(false);
  });

  it('shares it with no other row of its file, and a refused one does not need it', async () => {
    const second = history({ key: '00000000-0000-4000-8000-000000000002' });
    const both = await restored({ 2: history(), 3: second });
    const owned = both.map(({ ready }) => (ready.ownedKey ?? ready.naturalKey).toString('hex'));
    expect(new Set(owned).size).toBe(2);
    const refused = history({ end: { state: 'rejected', code: null } });
    const [first, last] = await restored({ 2: refused, 3: second });
    expect(first?.ready.ownedKey).toBeDefined();
    expect(last?.ready.ownedKey).toBeUndefined();
  });

  it('refuses a row whose customer is not in the ledger', async () => {
    await expect(restored({ 2: history() }, fakeReferences(), 'accounts')).rejects.toMatchObject({
      kind: 'file_refused',
      code: 'parent_not_recovered',
      remedies: [{ action: 'advice', text: expect.stringContaining('the file of the customers') }],
    });
  });
});
