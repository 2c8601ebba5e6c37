import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { batchSummary } from '../../../src/cli/views/summary.ts';
import type { BatchAccount } from '../../../src/domain/batches/account.ts';
import type { BatchFacts } from '../../../src/domain/batches/batch-facts.ts';
import { sampleAccount } from '../../support/accounts.ts';
import { bareWords } from '../../support/words.ts';

const plain = { useColour: false, words: bareWords } as const;

const files = {
  results: 'results/people.3f2a9c1e.results.csv',
  failed: 'results/people.3f2a9c1e.failed.csv',
  log: 'results/people.3f2a9c1e.run.jsonl',
  report: 'results/people.3f2a9c1e.report.html',
};

function accountWith(facts: Partial<BatchFacts> = {}): BatchAccount {
  return sampleAccount({ counts: { created: 19_990, rejected: 2, not_sent: 8 }, ...facts }, { files });
}

const account = accountWith();

describe('the summary for a terminal', () => {
  it('breaks its sentences between words on a narrow terminal', () => {
    const lines = batchSummary(account, { ...plain, terminalColumns: 40 }).split('\n');
    const sentences = lines.filter((line) => !/results\/|paybatch /.test(line));
    expect(sentences.filter((line) => line.length > 40)).toEqual([]);
    expect(sentences.slice(0, 2)).toEqual(['people.csv · recipients · sandbox ·', 'batch 3f2a9c1e']);
    const at = sentences.findIndex((line) => line.startsWith('  not sent'));
    expect(sentences.slice(at, at + 2)).toEqual([
      '  not sent       8  it is ready, and was',
      '                    not sent yet',
    ]);
  });

  it('shows file, counts in columns, files and what to type next', () => {
    expect(batchSummary(account, plain)).toBe(`people.csv · recipients · sandbox · batch 3f2a9c1e
  Recipients registered; nothing was paid
  19,990 of 20,000 rows created; 2 rejected, 8 not sent

  created   19,990  the API confirmed it, and its id is recorded
  rejected       2  the API refused it
  not sent       8  it is ready, and was not sent yet

  results   results/people.3f2a9c1e.results.csv
  failed    results/people.3f2a9c1e.failed.csv
  report    results/people.3f2a9c1e.report.html
  run log   results/people.3f2a9c1e.run.jsonl

  Go on with 8 rows not sent yet.
    paybatch resume 3f2a9c1e
  Correct 2 invalid or rejected rows in the failed file, save it and import it.
    paybatch import results/people.3f2a9c1e.failed.csv
  Send again 2 rejected rows as they are, if the refusal was not their fault.
    paybatch retry 3f2a9c1e`);
  });

  it('shows for a sum how many rows of its status have an amount, and writes it in its currency', () => {
    const sums = [
      { status: 'created', currency: 'KES', rows: 19_990, amount: '1234.5' },
      { status: 'rejected', currency: 'UGX', rows: 1, amount: '2500.00' },
    ] as const;
    const lines = batchSummary(accountWith({ sums }), plain).split('\n');
    const at = lines.indexOf('  Amounts');
    expect(lines.slice(at + 1, at + 8)).toEqual([
      '  status    currency    rows       sum',
      '  created   KES       19,990  1,234.50',
      '  rejected  UGX            1     2,500',
      '  all       KES       19,990  1,234.50',
      '  all       UGX            1     2,500',
      '  Amounts in the file, only checked: none is paid; rejected: 1 of 2 rows has an amount; not sent: 0',
      '  of 8 rows have an amount.',
    ]);
    const narrow = batchSummary(accountWith({ sums }), { ...plain, terminalColumns: 40 }).split('\n');
    expect(narrow).toContain('  Amounts in the file, only checked:');
  });

  it('says little when there is nothing to say', () => {
    expect(batchSummary(sampleAccount({}, {}, { sheet: 'Nov' }), plain)).toBe(
      'people.csv, sheet Nov · recipients · sandbox · batch 3f2a9c1e\n  No rows: nothing to do',
    );
  });

  it('is at most 100 columns wide, but for paths and commands, which stay whole', () => {
    const counts = { created: 1, not_sent: 123_456, unknown: 123_456, rejected: 123_456, waiting: 123_456 };
    const summary = batchSummary(accountWith({ counts }), plain);
    for (const line of summary.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });

  it('is coloured only when asked, and says the same then', () => {
    const bare = batchSummary(account, plain);
    const coloured = batchSummary(account, { ...plain, useColour: true });
    expect(bare).toBe(stripVTControlCharacters(bare));
    expect(coloured).not.toBe(bare);
    expect(stripVTControlCharacters(coloured)).toBe(bare);
  });

  it('lets no file name write control sequences to the terminal', () => {
    const name = 'a\u001b[31m\u202Eb.csv';
    const summary = batchSummary({ ...account, file: name, files: { ...files, failed: name } }, plain);
    for (const hidden of ['\u001b', '\u202E']) expect(summary).not.toContain(hidden);
  });

  it('names live mode', () => {
    const live = sampleAccount({}, {}, { mode: 'live', origin: 'https://api.example.test' });
    expect(batchSummary(live, plain)).toContain('· LIVE ·');
  });
});
