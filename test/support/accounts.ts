/* Accounts of batches, made from facts as the ledger would give them. */

import { accountOf, type Observed } from '../../src/account/read-accounts.ts';
import type { BatchAccount } from '../../src/domain/batches/account.ts';
import type { BatchRecord } from '../../src/domain/batches/batch.ts';
import type { BatchFacts } from '../../src/domain/batches/batch-facts.ts';

export const sampleBatch = '3f2a9c1e-5b7d-8a40-9c3e-0d1f2a3b4c5d';

const record: BatchRecord = {
  id: sampleBatch,
  environmentId: 1,
  mode: 'sandbox',
  origin: 'https://sandbox.example.test',
  kind: 'recipients',
  fileName: 'people.csv',
  sheet: null,
  contentHash: '',
  readingHash: '',
  header: [],
  notes: [],
  createdAt: '2026-11-20T10:03:10Z',
  rowCount: null,
};

/** What the ledger knows of a batch of which nothing is to be said. */
export const noFacts: BatchFacts = {
  counts: {},
  repeats: {},
  contradicted: 0,
  sums: [],
  open: [],
  valuesRefusedIn: null,
  unrecorded: 0,
  corrected: {},
  edited: { notSent: 0, rejected: 0, invalid: 0 },
  superseded: { all: {}, done: {} },
  doubt: null,
  unanswered: null,
  refusedAlike: null,
  closing: null,
  approval: null,
  unprovenKey: null,
  waiting: [],
  family: null,
  auditHead: null,
  runs: [],
};

const nothingSeen: Observed = {
  files: { results: null, failed: null, log: null, report: null },
  source: null,
  notes: [],
  now: new Date('2026-11-20T10:05:00Z'),
};

/** The account of a batch with these facts, and nothing else. */
export function sampleAccount(
  facts: Partial<BatchFacts> = {},
  observed: Partial<Observed> = {},
  batch: Partial<BatchRecord> = {},
): BatchAccount {
  return accountOf({ ...record, ...batch }, { ...noFacts, ...facts }, { ...nothingSeen, ...observed });
}
