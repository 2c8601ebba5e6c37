import { expect, it } from 'vitest';
import { callWords } from '../../../src/account/words/row-words.ts';
import { documentOf, jsonSummary } from '../../../src/cli/json/document.ts';
import { PaybatchError } from '../../../src/domain/failures/paybatch-error.ts';
import { sampleAccount, sampleBatch } from '../../support/accounts.ts';

const printed = (document: object): unknown => JSON.parse(JSON.stringify(document));

const account = {
  ...sampleAccount(
    { counts: { rejected: 2, created: 118, held: 0 } },
    { files: { results: 'r', failed: 'f', log: 'l', report: 'h' } },
    { fileName: 'recipients.csv' },
  ),
  plan: { planHash: 'abc', totals: { send: [], skip: [] } },
};

it('the object has the public names, and only the statuses that occur', () => {
  expect(printed(jsonSummary({ outcome: 'rows_need_correction', batches: [account] }))).toStrictEqual({
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
  const summary = jsonSummary({ outcome: 'done', batches: [{ ...account, id: null, files }] });
  expect(summary.batches[0]).toMatchObject({
    batch: null,
    files: { results: null, findings: 'people.findings.csv' },
  });
});

it('a failure has its code, its sentence and the command that helps, and nothing else', () => {
  const failure = new PaybatchError('unknown_column', 'people.csv: ...', null, { cause: 'secret' });
  const end = { outcome: 'file_refused', batches: [], failure } as const;
  expect(printed(documentOf(end, callWords))).toStrictEqual({
    exit_code: 3,
    batches: [],
    error: { code: 'unknown_column', message: 'people.csv: ...', next: null },
  });
});
