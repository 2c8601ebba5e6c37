import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { runCli } from '../support/cli.ts';
import { openDesk } from '../support/cli-desk.ts';

const kinds = ['customers', 'accounts', 'recipients', 'collections'];

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(inject('testFolder'), 'template-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('template', () => {
  it.each(['csv', 'xlsx'])('writes %s files whose examples are never sent', async (format) => {
    const desk = await openDesk();
    for (const kind of kinds) {
      expect((await desk.run(['template', kind, '--format', format])).exitCode).toBe(0);
    }
    const files = kinds.map((kind) => `${kind}.${format}`);
    const { exitCode, summary, stderr } = await desk.json(['import', ...files]);
    expect(
      summary.batches.map(({ kind, rows, counts }) => [kind, rows, counts]),
      stderr,
    ).toEqual(kinds.map((kind) => [kind, 0, {}]));
    expect(exitCode).toBe(0);
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(0);
    expect(stderr).toContain('4 example rows of the template left out: 2, 3, 4, 5');
    const checked = await desk.run(['validate', ...files]);
    expect(checked.stdout).toContain('1 example row of the template left out: 2');
  });

  it('has examples that are an import without a mistake once they are somebody’s', async () => {
    const desk = await openDesk();
    for (const kind of kinds) {
      await desk.run(['template', kind]);
      const text = await readFile(join(desk.folder, `${kind}.csv`), 'utf8');
      await desk.write(`${kind}.csv`, text.replaceAll('EXAMPLE-', 'C-'));
    }
    const { summary, stderr } = await desk.json(['import', ...kinds.map((kind) => `${kind}.csv`)]);
    expect(
      summary.batches.map(({ kind, counts }) => [kind, counts]),
      stderr,
    ).toEqual([
      ['customers', { created: 1 }],
      ['accounts', { created: 1 }],
      ['recipients', { created: 4 }],
      ['collections', { created: 1 }],
    ]);
  });

  it('has only the columns of a payee type that is named', async () => {
    const cwd = await emptyFolder();
    await runCli(['template', 'recipients', '--payee-type', 'sepa'], { cwd });
    const [header = '', example = ''] = (await readFile(join(cwd, 'recipients-sepa.csv'), 'utf8')).split(
      '\r\n',
    );
    expect(header).toContain('iban');
    expect(header).not.toContain('routing_number');
    expect(example).toMatch(/^sepa,/);
  });

  it('never overwrites a file without being told to', async () => {
    const cwd = await emptyFolder();
    const words = ['template', 'customers', '--out', 'forms'];
    expect((await runCli(words, { cwd })).exitCode).toBe(0);
    const again = await runCli(words, { cwd });
    expect(again.exitCode).toBe(2);
    expect(again.stderr).toContain('--force');
    expect((await runCli([...words, '--force'], { cwd })).exitCode).toBe(0);
    await expect(readFile(join(cwd, 'forms/customers.csv'), 'utf8')).resolves.toContain('external_id');
  });

  it('writes to standard output for -', async () => {
    const cwd = await emptyFolder();
    const { stdout } = await runCli(['template', 'accounts', '--out', '-'], { cwd });
    expect(stdout).toMatch(/^\uFEFFcustomer_id,/);
  });

  it.each([
    [['template', 'cheques']],
    [['template', 'customers', '--payee-type', 'sepa']],
    [['template', 'recipients', '--format', 'pdf']],
  ])('refuses %j', async (words) => {
    expect((await runCli(words, { cwd: await emptyFolder() })).exitCode).toBe(2);
  });
});
