import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { runCli } from '../support/cli.ts';
import { agreeing, openEngine } from '../support/engine.ts';

const header = 'Surname,First name,Client No,Mobile No.,Land';
const file = `Members of the year\n${header}\nOtieno,Amina,C-1,0712 345 678,Kenia\n`;

/** A folder with a file, whose reading was agreed to and is remembered under the name `umoja`. */
async function rememberedFolder(): Promise<string> {
  const cwd = await mkdtemp(join(inject('testFolder'), 'remembered-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  await writeFile(join(cwd, 'one.csv'), file);
  const paybatch = await openEngine({
    ledger: { ledgerDir: join(cwd, '.paybatch') },
    output: { out: join(cwd, 'results') },
    reading: { kind: 'customers' },
  });
  const request = { file: join(cwd, 'one.csv'), answer: () => 'accept', stem: join(cwd, 'umoja') };
  const { agreed } = await paybatch.mapping(request, agreeing).result;
  await paybatch.close();
  expect(agreed?.remembered).toBe('umoja');
  return cwd;
}

it('a mapping that was agreed to is used for the same header again, by name, and never half', async () => {
  const cwd = await rememberedFolder();
  await writeFile(join(cwd, 'two.csv'), file.replace('Otieno', 'Mushi'));
  const read = await runCli(['validate', 'two.csv'], { cwd });
  expect(read.exitCode, read.stderr).toBe(0);
  expect(read.stderr.split('\n')[0]).toContain('read with the remembered mapping "umoja"');
  expect(read.stdout).toContain('read with the remembered mapping "umoja"');
  const plan = await runCli(['plan', 'two.csv', '--local-sandbox'], { cwd });
  expect(plan.exitCode, plan.stderr).toBe(0);

  const imported = await runCli(['import', 'two.csv', '--local-sandbox', '--json'], { cwd });
  expect(imported.exitCode, imported.stderr).toBe(0);
  const { batches } = JSON.parse(imported.stdout);
  const accounted = await runCli(['reconcile', batches[0].batch, '--local-sandbox'], { cwd });
  expect(accounted.exitCode, accounted.stderr).toBe(0);
  expect(accounted.stdout + accounted.stderr).not.toContain('source_differs');

  const without = await runCli(['validate', 'two.csv', '--no-remembered-mapping'], { cwd });
  expect(without.exitCode).toBe(3);
  expect(without.stdout + without.stderr).not.toContain('remembered mapping "umoja"');

  const changed = file
    .replace('Client No', 'Kundennummer')
    .replace('Land', 'Land,Ort')
    .replace('Kenia', 'Kenia,X');
  await writeFile(join(cwd, 'three.csv'), changed);
  const refused = await runCli(['import', 'three.csv', '--local-sandbox'], { cwd });
  expect(refused.exitCode).toBe(3);
  expect(refused.stderr).toContain('“Client No” is missing, and “Kundennummer”, “Ort” is new');
  expect(refused.stderr).toContain('paybatch mapping three.csv --local-sandbox asks again');
});

it('another kind is proposed for a file that is remembered, also after a dialogue that ended early', async () => {
  const cwd = await rememberedFolder();
  const ended = await runCli(['mapping', 'one.csv', '--kind', 'recipients', '--dialogue'], {
    cwd,
    stdin: '',
  });
  expect([ended.exitCode, ended.stderr]).toEqual([2, expect.stringContaining('no mapping was kept')]);
  for (const kind of ['recipients', 'customers']) {
    const { exitCode, stdout, stderr } = await runCli(['mapping', 'one.csv', '--kind', kind], { cwd });
    expect(exitCode, stderr).toBe(0);
    expect(JSON.parse(stdout).kind).toBe(kind);
  }
});
