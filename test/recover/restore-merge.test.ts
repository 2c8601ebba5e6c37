import { expect, it } from 'vitest';
import { type LoggedRow, mergeRow } from '../../src/recover/logged-rows.ts';

type Row = Parameters<typeof mergeRow>[0];

const sentAt = '2026-11-21T08:00:00.000Z';

function row(state: Row['state'], given: Partial<Row> = {}): Row {
  const isSent = state === 'unknown' || state === 'rejected' || state === 'held';
  const request = isSent || state === 'ready' ? { key: 'own' } : null;
  return {
    state,
    code: null,
    generation: 1,
    firstSentAt: isSent ? sentAt : null,
    request,
    earlierKeys: [],
    ...given,
  };
}

function history(key: string, given: Partial<LoggedRow> = {}): LoggedRow {
  return {
    generation: 1,
    key,
    requestHash: 'hash',
    firstStagedAt: sentAt,
    credential: null,
    attempts: 1,
    httpStatus: 500,
    isTried: true,
    end: { state: 'unknown' },
    ...given,
  };
}

const created = { end: { state: 'created', objectId: 'object' } } as const;
const rejected = { end: { state: 'rejected', code: null } } as const;

it.each([
  ['a staged row that the log sent', row('staged'), history('other'), [], 'restore'],
  ['a row that is ready under the key of the log', row('ready'), history('own'), ['own'], 'restore'],
  ['a row that is ready under a key that was never used', row('ready'), history('other'), [], 'restore'],
  ['a row in doubt whose answer the log has', row('unknown'), history('own', created), ['own'], 'restore'],
  ['a row in doubt of which the log knows no more', row('unknown'), history('own'), ['own'], 'keep'],
  [
    'a refused row that was sent again',
    row('rejected'),
    history('new', { generation: 2 }),
    ['own', 'new'],
    'restore',
  ],
  [
    'a refused row of which the log knows the refusal',
    row('rejected'),
    history('own', rejected),
    ['own'],
    'keep',
  ],
  ['a held row that was created after all', row('held'), history('own', created), ['own'], 'restore'],
  ['a held row of which the log knows no more', row('held'), history('own'), ['own'], 'keep'],
  [
    'a row whose key was concluded since, as the ledger knows',
    row('staged', { generation: 2, earlierKeys: ['old'] }),
    history('old', rejected),
    ['old'],
    'keep',
  ],
  [
    'a row in doubt whose key was given up in the log',
    row('unknown'),
    history('new', { generation: 2 }),
    ['own'],
    'restore',
  ],
  ['a row in doubt under a key that the log does not name', row('unknown'), history('other'), [], 'hold'],
  ['the same with a later key of the log', row('unknown'), history('new', { generation: 2 }), [], 'hold'],
  [
    'a row in doubt beside whose key the log has one that was never used',
    row('unknown'),
    history('other', { isTried: false }),
    ['own', 'other'],
    'keep',
  ],
  [
    'a row in doubt beside whose key another one was used',
    row('unknown'),
    history('other'),
    ['own', 'other'],
    'hold',
  ],
  [
    'a row in doubt, and a key without its line',
    row('unknown'),
    history('other', { generation: null }),
    ['own'],
    'hold',
  ],
] as const)('%s', (_, standing, known, logged, expected) => {
  expect(mergeRow(standing, known, new Set(logged))).toBe(expected);
});
