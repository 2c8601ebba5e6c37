import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/definitions/commands.ts';
import { type JsonEnd, openDesk } from '../support/cli-desk.ts';
import { csvOf, customer, customers } from '../support/cli-files.ts';
import { jsonObjects, jsonSchemas } from '../support/json-objects.ts';

/** Each end has to have exactly these keys, in this order, and counts that add up. */
function expectShape({ stdout, exitCode, summary }: JsonEnd): void {
  expect(stdout.trimEnd()).toBe(JSON.stringify(summary));
  expect(Object.keys(summary)).toEqual(['exit_code', 'batches', 'error']);
  expect(summary.exit_code).toBe(exitCode);
  for (const batch of summary.batches) {
    expect(Object.keys(batch)).toEqual([
      'batch',
      'kind',
      'file',
      'sheet',
      'rows',
      'counts',
      'plan_hash',
      'files',
      'audit_head',
    ]);
    expect(Object.keys(batch.files)).toEqual([
      'results',
      'failed',
      'failed_workbook',
      'log',
      'log_head',
      'report',
      'objects',
      'changes',
      'instructions',
    ]);
    const counts = Object.values(batch.counts).map(Number);
    expect(counts.every((count) => count > 0)).toBe(true);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(batch.rows);
  }
  if (summary.error !== null) expect(Object.keys(summary.error)).toEqual(['code', 'message', 'next']);
}

describe('the JSON Schemas in docs/json', () => {
  it.each(Object.entries(jsonSchemas()))('%s is what the types say', async (name, schema) => {
    const text = `${JSON.stringify(schema, null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(`../../docs/json/${name}.schema.json`);
  });

  it('each is there, and refers only to others of them', () => {
    const files = readdirSync(new URL('../../docs/json', import.meta.url)).sort();
    expect(files).toEqual(
      Object.keys(jsonSchemas())
        .map((name) => `${name}.schema.json`)
        .sort(),
    );
    const references = JSON.stringify(jsonSchemas()).matchAll(/"\$ref":"([^"]*)"/g);
    expect([...new Set(Array.from(references, ([, name]) => name))].sort()).toEqual([
      'decision.schema.json',
      'summary.schema.json',
    ]);
  });

  it('there is one for every command, but for mapping, whose object has one already', () => {
    const names = commands.map(({ name }) => name).filter((name) => name !== 'mapping');
    expect(Object.keys(jsonObjects).sort()).toEqual(names.sort());
  });
});

describe('--json prints one object', () => {
  it('that its schema describes, for every command', async () => {
    const desk = await openDesk();
    const file = await desk.write('people.csv', csvOf(customers(2)));
    const [batch] = (await desk.json(['plan', file])).summary.batches;
    const id = batch?.batch ?? '';
    const log = batch?.files.log ?? '';
    const lines = [
      ...[
        ['validate', file],
        ['submit', id],
        ['import', file],
        ['retry', id],
        ['results', id],
        ['reconcile', id],
      ],
      ...[
        ['reconcile', '--left', file, '--right', file],
        ['status'],
        ['status', id],
        ['status', id, '--row', '2'],
      ],
      ...[['institutions', 'KE'], ['template', 'customers'], ['doctor'], ['migrate'], ['completion', 'fish']],
      ...[
        ['recover', '--log', log, file],
        ['resolve', id, '--row', '2', '--as', 'send'],
        ['status', 'ffff'],
        ['imprt'],
      ],
    ];
    // `json` compares each with its schema.
    for (const words of lines) expect((await desk.json(words)).stdout.split('\n')).toHaveLength(2);
  });

  it('for a finished import, for a repeated one, for results and for resume', async () => {
    const desk = await openDesk();
    const rows = [...customers(2), customer(3, { email: 'x' })];
    const file = await desk.write('people.csv', csvOf(rows));
    // A real process: nothing in it prints beside the object.
    const first = await desk.json(['import', file], { program: 'started' });
    expectShape(first);
    const [batch] = first.summary.batches;
    const stem = join(desk.folder, 'results', `people.${batch?.batch?.slice(0, 8)}`);
    expect(batch).toMatchObject({
      kind: 'customers',
      file: 'people.csv',
      sheet: null,
      rows: 3,
      counts: { created: 2, invalid: 1 },
      plan_hash: null,
      files: {
        results: `${stem}.results.csv`,
        failed: `${stem}.failed.csv`,
        log: `${stem}.run.jsonl`,
        log_head: `${stem}.run.head`,
        report: `${stem}.report.html`,
      },
    });
    const again = await desk.json(['import', file]);
    // Each run adds events to the trail; all else is the same.
    expect(again.summary).toEqual({
      ...first.summary,
      batches: [{ ...batch, audit_head: expect.anything() }],
    });
    expect(again.summary.batches[0]?.audit_head?.number).toBeGreaterThan(batch?.audit_head?.number ?? 99);
    const results = await desk.json(['results', batch?.batch ?? '']);
    expect(results.summary).toEqual(again.summary);
    const resumed = await desk.json(['resume']);
    expectShape(resumed);
    expect(resumed.summary).toEqual({ exit_code: 0, batches: [], error: null });
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(2);
  });

  it('for a call with notes, which standard error has too', async () => {
    const desk = await openDesk();
    const text = csvOf(customers(2));
    await desk.json(['import', await desk.write('people.csv', text)]);
    const again = await desk.json(['import', await desk.write('copy.csv', text)]);
    const [note, ...others] = again.summary.notes ?? [];
    expect([note?.code, others]).toEqual(['same_content', []]);
    expect(again.stderr.replaceAll(/\s+/g, ' ')).toContain(note?.text);
  });

  it('for a run that stopped: batches in their present state, and the cause', async () => {
    const desk = await openDesk({ onRequest: () => 'redirect' });
    const file = await desk.write('people.csv', csvOf(customers(2)));
    const stopped = await desk.json(['import', file]);
    expectShape(stopped);
    expect(stopped.summary).toMatchObject({
      exit_code: 4,
      batches: [{ counts: { unknown: 2 } }],
      error: { code: 'redirect' },
    });
    expect(stopped.stderr).not.toBe('');
  });

  it('for a configuration that is wrong, even when JSON was asked for in a config file', async () => {
    const desk = await openDesk();
    await desk.write('people.csv', csvOf(customers(1)));
    const usage = await desk.json(['import', 'people.csv', '--timeout', 'long']);
    expectShape(usage);
    expect(usage.summary).toMatchObject({ exit_code: 2, batches: [], error: { code: 'option_invalid' } });
    await desk.write('config.json', '{"json": true, "mode": "live"}');
    const env = { DATABASE_URL: '' };
    const live = await desk.run(['import', 'people.csv', '--config', 'config.json'], { env });
    expect(JSON.parse(live.stdout)).toMatchObject({ exit_code: 2, error: { code: 'database_missing' } });
  });
});
