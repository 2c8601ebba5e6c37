import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AttentionCollector } from '../../src/account/attention.ts';
import {
  type Report,
  reportOfBatch,
  reportOfCheck,
  reportPage,
  writeReport,
} from '../../src/account/report.ts';
import { figure, type Table } from '../../src/account/table.ts';
import type { Attention, BatchAccount } from '../../src/domain/batches/account.ts';
import type { BatchRecord } from '../../src/domain/batches/batch.ts';
import type { BatchFacts } from '../../src/domain/batches/batch-facts.ts';
import type { Finding } from '../../src/domain/rows/finding.ts';
import type { ResultRow } from '../../src/domain/rows/result-row.ts';
import { say } from '../../src/domain/settings/message.ts';
import { mask } from '../../src/domain/text/characters.ts';
import { sampleAccount, sampleBatch } from '../support/accounts.ts';
import { bareWords } from '../support/words.ts';
import { faultyDisk } from './faulty-disk.ts';
import { sampleRow } from './sample-rows.ts';
import { temporaryFolder } from './temporary-folder.ts';

function attentionOf(rows: readonly ResultRow[]): Attention {
  const collector = new AttentionCollector(['Phone <number>', 'name']);
  for (const row of rows) collector.add(row);
  return collector.result();
}

const rejected = sampleRow({
  row: 3,
  status: 'rejected',
  objectId: null,
  code: 'invalid_phone',
  field: 'Phone <number>',
  message: 'Phone: found +2547••••78 & "more"',
});

const files = {
  results: 'out/people.3f2a9c1e.results.csv',
  failed: 'out/people.3f2a9c1e.failed.csv',
  log: null,
  report: null,
};

const run: BatchFacts['runs'][number] = {
  ...{ id: 'a run', number: 1, command: 'import', actor: null },
  owner: { host: 'elsewhere', process: '1' },
  ...{ startedAt: '2026-11-20T09:00:00Z', leaseUntil: '2026-11-20T09:01:00Z', endedAt: null, outcome: null },
};

const facts: Partial<BatchFacts> = {
  counts: { created: 119, rejected: 1 },
  sums: [{ status: 'created', currency: 'KES', rows: 119, amount: '12345678901234567890.50' }],
  runs: [run],
};

function accountWith(
  changes: Partial<BatchFacts> = {},
  attention = attentionOf([sampleRow(), rejected]),
  batch: Partial<BatchRecord> = {},
): BatchAccount {
  return sampleAccount({ ...facts, ...changes }, { files, attention }, batch);
}

const made = { madeAt: '2026-11-20T10:00:00Z', words: bareWords };

function reportWith(account = accountWith(), tables: readonly Table[] = []): Report {
  return reportOfBatch(account, made, { behind: tables });
}

function words(page: string): string {
  return page
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');
}

describe('the report', () => {
  it('says what came of the file, what to do, and where everything is', () => {
    const page = reportPage(reportWith());
    const text = words(page);
    for (const part of [
      'people.csv',
      'Recipients',
      'https://sandbox.example.test',
      sampleBatch,
      '2026-11-20 10:00:00 UTC',
      '119 of 120 rows created; 1 rejected',
      'Recipients registered; nothing was paid',
      'created KES 119 12,345,678,901,234,567,890.50 all KES 119 12,345,678,901,234,567,890.50',
      'Correct 1 invalid or rejected row in the failed file',
      'paybatch import out/people.3f2a9c1e.failed.csv',
      'paybatch retry 3f2a9c1e',
      'people.3f2a9c1e.results.csv',
      '2026-11-20 09:00:00 UTC not ended no sign of life: the next run takes over',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).toContain(
      'Amounts Amounts in the file, only checked: none is paid; rejected: 0 of 1 row has an amount. Status',
    );
    // A command that is wider than the page is broken on every screen, and not cut off.
    expect(page.slice(0, page.indexOf('@media screen'))).toMatch(
      /\npre \{[^}]*white-space: pre-wrap; overflow-wrap: anywhere;/,
    );
    expect(page).toContain('href="./people.3f2a9c1e.failed.csv"');
  });

  it('leaves no doubt about the environment', async () => {
    const sandbox = reportWith();
    const environment = { mode: 'live', origin: 'https://api.example.test' } as const;
    const live = reportWith(accountWith({}, undefined, environment));
    expect(words(reportPage(sandbox))).toContain('SANDBOX · NO REAL MONEY');
    expect(words(reportPage(sandbox))).not.toContain('LIVE');
    expect(words(reportPage(live))).toContain('LIVE · REAL MONEY');
    expect(words(reportPage(live))).not.toContain('SANDBOX');
  });

  it('does not show where on the machine the built-in sandbox keeps its things', async () => {
    const account = accountWith({}, undefined, { origin: '/home/somebody/.paybatch' });
    expect(reportPage(reportWith(account))).not.toContain('somebody');
  });

  it('needs nothing from outside: no script, no resource, no style but its own', () => {
    const page = reportPage(reportWith());
    expect(page).not.toMatch(/<(?:script|link|img|iframe|object|embed|form|base)\b/i);
    expect(page).not.toMatch(/\b(?:src|srcset|action)=|url\(|@import/i);
    expect([...page.matchAll(/href="([^"]*)"/g)].every((match) => match[1]?.startsWith('./'))).toBe(true);
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  });

  it('escapes everything that came from a file, an answer or a caller', async () => {
    const hostile = `</title><script>alert("1")</script><b onclick='x'>\u202Etxt\u0000`;
    const rows = [{ ...rejected, code: hostile, field: hostile, message: hostile, objectId: hostile }];
    const named = { fileName: hostile, sheet: hostile, origin: `https://${hostile}`, mode: 'live' } as const;
    const sums = [{ status: 'held', currency: hostile, rows: 1, amount: hostile }] as const;
    const account = {
      ...accountWith({ sums }, attentionOf(rows), named),
      files: { results: `${hostile}.csv`, failed: `x${hostile}`, log: hostile, report: null },
    };
    const table = { title: hostile, introduction: hostile, columns: [hostile], rows: [[hostile]] };
    const page = reportPage(reportWith(account, [table]));
    expect(page).not.toContain('<script');
    expect(page).not.toContain('<b ');
    for (const hidden of ['\u202E', '\u0000']) expect(page).not.toContain(hidden);
    expect(page).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&lt;b onclick=&#39;x&#39;&gt;');
  });

  it('shows what is wrong in full, and no other cell of the row', async () => {
    const cells = ['+25471', 'Amina Wanjiru'];
    const message = say`${{ value: mask('+25471'), isMasked: true }} is no phone number`;
    const { code, field } = rejected;
    const findings: Finding[] = [
      { severity: 'invalid', field: 'phone_number', column: field ?? '', code: code ?? '', message },
    ];
    const row = { ...rejected, cells, findings };
    const page = reportPage(reportWith(accountWith({}, attentionOf([row]))));
    expect(words(page)).toContain('“+25471” is no phone number');
    expect(page).not.toContain('Amina');
  });

  it('says a message once, however many rows it is about, and where they are', async () => {
    const rows = Array.from({ length: 1234 }, (_, index) => ({ ...rejected, row: 2 * index + 2 }));
    const page = reportPage(reportWith(accountWith({}, attentionOf(rows))));
    expect(page.split('found +2547').length - 1).toBe(1);
    expect(words(page)).toContain('rows 2, 4, 6, 8,');
    expect(words(page)).toContain('and 1,194 more');
    expect(page.length).toBeLessThan(30_000);
  });

  it('of a check has no batch, no environment and nothing to send', async () => {
    const checked = { ...accountWith(), id: null, plan: null, changes: { counts: {}, shown: [] } };
    const findings = { ...files, findings: 'out/people.findings.csv' };
    const page = words(reportPage(reportOfCheck({ ...checked, files: findings }, made)));
    expect(page).toContain('CHECKED ONLY · NOTHING SENT');
    expect(page).not.toMatch(/What to do next|Batch|SANDBOX/);
  });

  it('has a section for each table of its caller, and none for an empty one', () => {
    const page = reportPage(
      reportWith(undefined, [
        { title: 'Reconciliation', columns: ['What', figure('Rows')], rows: [['only in the export', 12345]] },
        { title: 'Empty', columns: ['What'], rows: [] },
      ]),
    );
    expect(words(page)).toContain('Reconciliation What Rows only in the export 12,345');
    expect(page).not.toContain('Empty');
  });

  it('asks for nothing when every row is done', async () => {
    const account = accountWith({ counts: { created: 120 } }, attentionOf([sampleRow()]));
    const page = words(reportPage(reportWith(account)));
    expect(page).toContain('All 120 rows created');
    expect(page).not.toMatch(/What to do next|attention/);
  });

  it('is well-formed: every element that is opened is closed', () => {
    const page = reportPage(reportWith());
    const open: string[] = [];
    for (const [, slash, name = ''] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
      if (['meta', 'wbr'].includes(name)) continue;
      if (slash === '') open.push(name);
      else expect(open.pop()).toBe(name);
    }
    expect(open).toEqual([]);
  });
});

describe('what a report of a batch says besides', () => {
  it('is why nothing more is sent, what a person wanted, and what objects no row has', () => {
    const account = accountWith({
      counts: { created: 1, rejected: 50 },
      refusedAlike: { code: 'invalid_value', message: 'no such type', rows: 50 },
      closing: { at: '2026-11-20T09:30:00Z', by: 'ama', note: 'wrong month' },
      unrecorded: 2,
      auditHead: { number: 7, hash: 'abc' },
      waiting: [{ code: 'kyc_required', rows: 3, since: '2026-11-20T09:00:00Z' }],
    });
    const text = words(reportPage(reportWith(account)));
    for (const part of [
      '2 objects that were created at the API, and that their rows do not have',
      'Sending stopped: the API refused 50 rows for one reason, and created none: no such type',
      'Closed by ama on 2026-11-20 09:30 UTC: wrong month. No run takes it up again',
      'event 7, abc',
      '3 rows wait since 2026-11-20 09:00 UTC: kyc_required',
      'To send rows of it after all, correct its failed file',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain('paybatch resume');
  });
});

describe('writing the report', () => {
  it('gives it its name when it is complete, for its owner only', async () => {
    const directory = temporaryFolder();
    const path = join(directory, 'people.report.html');
    await writeReport(path, reportWith());
    expect(readdirSync(directory)).toEqual(['people.report.html']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('leaves the older one on a full disk', async () => {
    const directory = temporaryFolder();
    const path = join(directory, 'people.report.html');
    await writeReport(path, reportWith());
    const before = readFileSync(path);
    const fileSystem = faultyDisk('write');
    await expect(writeReport(path, reportWith(sampleAccount()), fileSystem)).rejects.toMatchObject({
      code: 'disk_full',
    });
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(directory)).toEqual(['people.report.html']);
  });
});
