import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ResultRow } from '../../../src/domain/rows/result-row.ts';
import { mask } from '../../../src/domain/text/characters.ts';
import { AttentionCollector } from '../../../src/output/report/attention.ts';
import { type Report, reportPage, writeReport } from '../../../src/output/report/report.ts';
import { bareWords } from '../../support/words.ts';
import { faultyDisk } from '../faulty-disk.ts';
import { inGroups, sampleBatch, sampleRow } from '../sample-rows.ts';
import { temporaryFolder } from '../temporary-folder.ts';

async function attentionOf(rows: readonly ResultRow[]) {
  const collector = new AttentionCollector(['Phone <number>', 'name']);
  for await (const _ of collector.watch(inGroups(rows))) {
    // Only what passes by is of interest.
  }
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

async function sampleReport(changes: Partial<Report> = {}): Promise<Report> {
  return {
    file: 'people.csv',
    sheet: null,
    kindLabel: 'Recipients',
    environment: { mode: 'sandbox', origin: 'https://sandbox.example.test' },
    batch: sampleBatch,
    madeAt: '2026-11-20T10:00:00Z',
    headlines: ['Recipients registered; nothing was paid', '119 of 120 rows created; 1 rejected'],
    counts: { created: 119, rejected: 1 },
    totals: [{ status: 'created', currency: 'KES', rows: 119, amount: '12345678901234567890.50' }],
    attention: await attentionOf([sampleRow(), rejected]),
    files: {
      results: 'out/people.3f2a9c1e.results.csv',
      failed: 'out/people.3f2a9c1e.failed.csv',
      log: null,
    },
    runs: [{ startedAt: '2026-11-20T09:00:00Z', endedAt: null, outcome: null }],
    words: bareWords,
    ...changes,
  };
}

function words(page: string): string {
  return page
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');
}

describe('the report', () => {
  it('says what came of the file, what to do, and where everything is', async () => {
    const page = reportPage(await sampleReport());
    const text = words(page);
    for (const part of [
      'people.csv',
      'Recipients',
      'https://sandbox.example.test',
      sampleBatch,
      '2026-11-20 10:00:00 UTC',
      '119 of 120 rows created; 1 rejected',
      'Recipients registered; nothing was paid',
      'created KES 119 12,345,678,901,234,567,890.50',
      'Correct 1 invalid or rejected row in the failed file',
      'paybatch import out/people.3f2a9c1e.failed.csv',
      'paybatch retry 3f2a9c1e',
      'people.3f2a9c1e.results.csv',
      '2026-11-20 09:00:00 UTC not ended',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).toContain('Amounts rejected: 0 of 1 row has an amount. Status');
    // A command that is wider than the page is broken on every screen, and not cut off.
    expect(page.slice(0, page.indexOf('@media screen'))).toMatch(
      /\npre \{[^}]*white-space: pre-wrap; overflow-wrap: anywhere;/,
    );
    expect(page).toContain('href="./people.3f2a9c1e.failed.csv"');
  });

  it('leaves no doubt about the environment', async () => {
    const sandbox = await sampleReport();
    const live = { ...sandbox, environment: { mode: 'live', origin: 'https://api.example.test' } as const };
    expect(words(reportPage(sandbox))).toContain('SANDBOX · NO REAL MONEY');
    expect(words(reportPage(sandbox))).not.toContain('LIVE');
    expect(words(reportPage(live))).toContain('LIVE · REAL MONEY');
    expect(words(reportPage(live))).not.toContain('SANDBOX');
  });

  it('does not show where on the machine the built-in sandbox keeps its things', async () => {
    const environment = { mode: 'sandbox', origin: '/home/somebody/.paybatch' } as const;
    expect(reportPage(await sampleReport({ environment }))).not.toContain('somebody');
  });

  it('needs nothing from outside: no script, no resource, no style but its own', async () => {
    const page = reportPage(await sampleReport());
    expect(page).not.toMatch(/<(?:script|link|img|iframe|object|embed|form|base)\b/i);
    expect(page).not.toMatch(/\b(?:src|srcset|action)=|url\(|@import/i);
    expect([...page.matchAll(/href="([^"]*)"/g)].every((match) => match[1]?.startsWith('./'))).toBe(true);
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  });

  it('escapes everything that came from a file, an answer or a caller', async () => {
    const hostile = `</title><script>alert("1")</script><b onclick='x'>\u202Etxt\u0000`;
    const page = reportPage(
      await sampleReport({
        file: hostile,
        sheet: hostile,
        environment: { mode: 'live', origin: `https://${hostile}` },
        totals: [{ status: 'held', currency: hostile, rows: 1, amount: hostile }],
        attention: await attentionOf([
          { ...rejected, code: hostile, field: hostile, message: hostile, objectId: hostile },
        ]),
        files: { results: `${hostile}.csv`, failed: `x${hostile}`, log: hostile },
        words: bareWords,
        sections: [{ title: hostile, introduction: hostile, columns: [hostile], rows: [[hostile]] }],
      }),
    );
    expect(page).not.toContain('<script');
    expect(page).not.toContain('<b ');
    for (const hidden of ['\u202E', '\u0000']) expect(page).not.toContain(hidden);
    expect(page).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&lt;b onclick=&#39;x&#39;&gt;');
  });

  it('shows what is wrong in full, and no other cell of the row', async () => {
    const cells = ['+25471', 'Amina Wanjiru'];
    const row = { ...rejected, cells, message: `${mask('+25471')} is no phone number` };
    const page = reportPage(await sampleReport({ attention: await attentionOf([row]) }));
    expect(words(page)).toContain('“+25471” is no phone number');
    expect(page).not.toContain('Amina');
  });

  it('says a message once, however many rows it is about, and where they are', async () => {
    const rows = Array.from({ length: 1234 }, (_, index) => ({ ...rejected, row: 2 * index + 2 }));
    const page = reportPage(await sampleReport({ attention: await attentionOf(rows) }));
    expect(page.split('found +2547').length - 1).toBe(1);
    expect(words(page)).toContain('rows 2, 4, 6, 8,');
    expect(words(page)).toContain('and 1,194 more');
    expect(page.length).toBeLessThan(30_000);
  });

  it('of a check has no batch, no environment and nothing to send', async () => {
    const page = words(reportPage(await sampleReport({ batch: null, environment: null, runs: [] })));
    expect(page).toContain('CHECKED ONLY · NOTHING SENT');
    expect(page).not.toMatch(/What to do next|Batch|SANDBOX/);
  });

  it('has a section for each table of its caller, and none for an empty one', async () => {
    const page = reportPage(
      await sampleReport({
        sections: [
          { title: 'Reconciliation', columns: ['What', 'Rows'], rows: [['only in the export', 12345]] },
          { title: 'Empty', columns: ['What'], rows: [] },
        ],
      }),
    );
    expect(words(page)).toContain('Reconciliation What Rows only in the export 12,345');
    expect(page).not.toContain('Empty');
  });

  it('asks for nothing when every row is done', async () => {
    const page = words(
      reportPage(
        await sampleReport({
          headlines: ['All 120 rows created'],
          counts: { created: 120 },
          attention: await attentionOf([sampleRow()]),
        }),
      ),
    );
    expect(page).toContain('All 120 rows created');
    expect(page).not.toMatch(/What to do next|attention/);
  });

  it('is well-formed: every element that is opened is closed', async () => {
    const page = reportPage(await sampleReport());
    const open: string[] = [];
    for (const [, slash, name = ''] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
      if (['meta', 'wbr'].includes(name)) continue;
      if (slash === '') open.push(name);
      else expect(open.pop()).toBe(name);
    }
    expect(open).toEqual([]);
  });
});

describe('writing the report', () => {
  it('gives it its name when it is complete, for its owner only', async () => {
    const directory = temporaryFolder();
    const path = join(directory, 'people.report.html');
    await writeReport({ ...(await sampleReport()), path });
    expect(readdirSync(directory)).toEqual(['people.report.html']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('leaves the older one on a full disk', async () => {
    const directory = temporaryFolder();
    const path = join(directory, 'people.report.html');
    const report = await sampleReport();
    await writeReport({ ...report, path });
    const before = readFileSync(path);
    const fileSystem = faultyDisk('write');
    await expect(writeReport({ ...report, file: 'other', path, fileSystem })).rejects.toMatchObject({
      code: 'disk_full',
    });
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(directory)).toEqual(['people.report.html']);
  });
});
