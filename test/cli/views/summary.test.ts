import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { batchSummary } from '../../../src/cli/views/summary.ts';
import type { BatchSummary } from '../../../src/domain/batches/batch-summary.ts';
import { sampleBatch } from '../../output/sample-rows.ts';
import { bareWords } from '../../support/words.ts';

const sandbox = {
  environment: { mode: 'sandbox', origin: 'https://sandbox.example.test' },
  useColour: false,
  words: bareWords,
} as const;

const batch: BatchSummary = {
  batch: sampleBatch,
  kind: 'recipients',
  file: 'people.csv',
  sheet: null,
  rows: 20_000,
  counts: { created: 19_990, rejected: 2, not_sent: 8 },
  planHash: null,
  files: {
    results: 'results/people.3f2a9c1e.results.csv',
    failed: 'results/people.3f2a9c1e.failed.csv',
    log: 'results/people.3f2a9c1e.run.jsonl',
    report: 'results/people.3f2a9c1e.report.html',
  },
};

describe('the summary for a terminal', () => {
  it('breaks its sentences between words on a narrow terminal', () => {
    const lines = batchSummary(batch, { ...sandbox, terminalColumns: 40 }).split('\n');
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
    expect(batchSummary(batch, sandbox)).toBe(`people.csv · recipients · sandbox · batch 3f2a9c1e
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

  it('tells of a sum how many rows of its status have an amount, and writes it in its currency', () => {
    const totals = [
      { status: 'created', currency: 'KES', rows: 19_990, amount: '1234.5' },
      { status: 'rejected', currency: 'UGX', rows: 1, amount: '2500.00' },
    ] as const;
    const lines = batchSummary({ ...batch, totals }, sandbox).split('\n');
    const at = lines.findIndex((line) => line.startsWith('  amounts'));
    expect(lines.slice(at, at + 6)).toEqual([
      '  amounts   currency    rows       sum',
      '  created   KES       19,990  1,234.50',
      '  rejected  UGX            1     2,500',
      '  rejected: 1 of 2 rows has an amount',
      '  not sent: 0 of 8 rows have an amount',
      '',
    ]);
    const narrow = batchSummary({ ...batch, totals }, { ...sandbox, terminalColumns: 40 }).split('\n');
    expect(narrow).toContain('  rejected: 1 of 2 rows has an amount');
  });

  it('says little when there is nothing to say', () => {
    const none = { results: null, failed: null, log: null, report: null };
    const empty = { ...batch, batch: null, sheet: 'Nov', rows: 0, counts: {}, files: none };
    expect(batchSummary(empty, sandbox)).toBe(
      'people.csv, sheet Nov · recipients · sandbox\n  No rows: nothing to do',
    );
  });

  it('is at most 100 columns wide, but for paths and commands, which stay whole', () => {
    const counts = { created: 1, not_sent: 123_456, unknown: 123_456, rejected: 123_456, waiting: 123_456 };
    const summary = batchSummary({ ...batch, rows: 493_825, counts }, sandbox);
    for (const line of summary.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });

  it('is coloured only when asked, and says the same then', () => {
    const plain = batchSummary(batch, sandbox);
    const coloured = batchSummary(batch, { ...sandbox, useColour: true });
    expect(plain).toBe(stripVTControlCharacters(plain));
    expect(coloured).not.toBe(plain);
    expect(stripVTControlCharacters(coloured)).toBe(plain);
  });

  it('lets no file name write control sequences to the terminal', () => {
    const name = 'a\u001b[31m\u202Eb.csv';
    const summary = batchSummary({ ...batch, file: name, files: { ...batch.files, failed: name } }, sandbox);
    for (const hidden of ['\u001b', '\u202E']) expect(summary).not.toContain(hidden);
  });

  it('names live mode', () => {
    const live = { ...sandbox, environment: { mode: 'live', origin: 'https://api.example.test' } as const };
    expect(batchSummary(batch, live)).toContain('· LIVE ·');
  });
});
