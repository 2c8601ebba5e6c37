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

it.each([
  ['institution_unverifiable', 'resume: it goes on by itself once the list of institutions is complete'],
  ['file_may_be_cut', 'send if it is whole, else import the whole file'],
  ['differs_from_created', 'existing if the earlier object stands'],
  ['unknown_elsewhere', 'resolve the row that it names first'],
])('a row that is held for %s is told what helps: %s', (code, advice) => {
  expect(adviceOn({ ...held, code }, 1, undefined).advice).toContain(advice);
});
