import { expect, it } from 'vitest';
import { jsonSummary } from '../../../src/cli/json/document.ts';
import type { BatchSummary } from '../../../src/domain/batches/batch-summary.ts';
import { sampleBatch } from '../../output/sample-rows.ts';

const batch: BatchSummary = {
  batch: sampleBatch,
  kind: 'recipients',
  file: 'recipients.csv',
  sheet: null,
  rows: 120,
  counts: { rejected: 2, created: 118, held: 0 },
  planHash: 'abc',
  files: { results: 'r', failed: 'f', log: 'l', report: 'h' },
};

it('the object has the public names, and only the statuses that occur', () => {
  expect(jsonSummary({ outcome: 'rows_need_correction', batches: [batch], error: null })).toStrictEqual({
    exit_code: 1,
    batches: [
      {
        batch: sampleBatch,
        kind: 'recipients',
        file: 'recipients.csv',
        sheet: null,
        rows: 120,
        counts: { created: 118, rejected: 2 },
        plan_hash: 'abc',
        files: { results: 'r', failed: 'f', log: 'l', report: 'h' },
        audit_head: null,
      },
    ],
    error: null,
  });
});

it('a validation has no batch, but a findings file', () => {
  const files = { results: null, failed: null, log: null, report: null, findings: 'people.findings.csv' };
  const summary = jsonSummary({ outcome: 'done', batches: [{ ...batch, batch: null, files }], error: null });
  expect(summary.batches[0]).toMatchObject({
    batch: null,
    files: { results: null, findings: 'people.findings.csv' },
  });
});

it('a failure has its code, its sentence and the command that helps, and nothing else', () => {
  const failure = { code: 'unknown_column', message: 'people.csv: ...', next: null };
  const careless = { ...failure, cause: 'secret' };
  expect(jsonSummary({ outcome: 'file_refused', batches: [], error: careless })).toStrictEqual({
    exit_code: 3,
    batches: [],
    error: failure,
  });
});
