import { expect, it } from 'vitest';
import type { UndecidedRow } from '../../../src/domain/rows/ledger-row.ts';
import { adviceOn } from '../../../src/reconcile/verdicts/advice.ts';

const held: UndecidedRow = {
  changedAt: '2026-01-01T00:00:00.000Z',
  row: 2,
  state: 'held',
  code: null,
  message: null,
  record: {},
  attempts: 0,
  httpStatus: null,
  firstSentAt: null,
  idempotencyKey: null,
  ageInMs: 0,
  isUnsettled: false,
};

const sent = { ...held, state: 'unknown', firstSentAt: '2026-01-01T10:00:00.000Z', attempts: 1 } as const;
const hourInMs = 3_600_000;

it.each([
  [
    { ...held, code: 'differs_from_created' },
    { action: 'decide', reason: 'differs_from_created' },
  ],
  [
    { ...held, code: 'file_may_be_cut' },
    { action: 'decide', reason: 'file_may_be_cut' },
  ],
  [
    { ...held, code: 'something_new' },
    { action: 'decide', reason: null },
  ],
  [{ ...sent, state: 'held', code: 'conflict' } as const, { action: 'ask_provider' }],
  [{ ...sent, ageInMs: hourInMs }, { action: 'ask_provider' }],
  [{ ...sent, state: 'sending' } as const, { action: 'resume_interrupted' }],
  [
    { ...sent, code: 'other_credential' },
    { action: 'resume', needsOwnApiKey: true, runsOutAt: '2026-01-01T11:00:00.000Z' },
  ],
])('a row that waits is told what helps, as data: %o', (row, advice) => {
  expect(adviceOn(row, hourInMs, undefined).advice).toEqual(advice);
  expect(adviceOn(row, hourInMs, 'o-1').advice).toEqual({ action: 'confirm_found', id: 'o-1' });
});
