import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { runCli } from '../support/cli.ts';
import { agreeing, openEngine } from '../support/engine.ts';

const header = 'Surname,First name,Client No,Mobile No.,Land,Mobile No.';

it('a repeated title is asked about, and the next file of this header is read as the answer says', async () => {
  const cwd = await mkdtemp(join(inject('testFolder'), 'same-titles-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  await writeFile(
    join(cwd, 'one.csv'),
    `${header}\nOtieno,Amina,C-1,0712345678,Kenia,0722345671\nMushi,Joseph,C-2,0712345679,Kenia,0722345672\n`,
  );
  const paybatch = await openEngine({
    ledger: { ledgerDir: join(cwd, '.paybatch') },
    output: { out: join(cwd, 'results') },
    reading: { kind: 'customers' },
  });
  const asked: string[] = [];
  const answer = ({ kind, about }: { readonly kind: string; readonly about: string }) => {
    if (kind === 'column') asked.push(about);
    return about === 'Mobile No. (1 of 2)' ? 'ignore' : about === 'Mobile No. (2 of 2)' ? 'phone' : 'accept';
  };
  const { agreed } = await paybatch.mapping(
    { file: join(cwd, 'one.csv'), answer, stem: join(cwd, 'umoja') },
    agreeing,
  ).result;
  await paybatch.close();
  expect(asked).toContain('Mobile No. (1 of 2)');
  expect(agreed?.remembered).toBe('umoja');
  const mapping = JSON.parse(await readFile(join(cwd, 'umoja.mapping.json'), 'utf8'));
  expect(mapping.columns).toMatchObject({ 'Mobile No. (2 of 2)': 'phone' });

  await writeFile(join(cwd, 'two.csv'), `${header}\nWere,Joan,C-3,0712345670,Kenia,0722345673\n`);
  const imported = await runCli(['import', 'two.csv', '--local-sandbox', '--json', '--out', 'results'], {
    cwd,
  });
  expect(imported.exitCode, imported.stderr).toBe(0);
  const [batch] = JSON.parse(imported.stdout).batches;
  expect(batch.counts).toEqual({ created: 1 });
  const shown = await runCli(['status', batch.batch, '--row', '2', '--json', '--local-sandbox'], { cwd });
  expect(shown.stdout).toContain('722345673');
});

it('a column without a title that has values is left out once a person has seen it, and the next file is read so', async () => {
  const cwd = await mkdtemp(join(inject('testFolder'), 'untitled-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const titles = ',first_name,last_name,external_id,email,';
  const rows = '1,Amina,Otieno,C-1,a@example.com,\n2,Joseph,Mushi,C-2,j@example.com,called twice\n';
  await writeFile(join(cwd, 'one.csv'), `${titles}\n${rows}`);
  const refused = await runCli(['import', 'one.csv', '--kind', 'customers', '--local-sandbox'], { cwd });
  expect(refused.exitCode).not.toBe(0);
  expect(refused.stderr).toContain('column 1 has no name in the header');

  const paybatch = await openEngine({
    ledger: { ledgerDir: join(cwd, '.paybatch') },
    output: { out: join(cwd, 'results') },
    reading: { kind: 'customers' },
  });
  const { agreed } = await paybatch.mapping(
    { file: join(cwd, 'one.csv'), answer: () => 'accept', stem: join(cwd, 'agreed') },
    agreeing,
  ).result;
  await paybatch.close();
  expect(agreed?.remembered).toBe('agreed');
  const mapping = JSON.parse(await readFile(join(cwd, 'agreed.mapping.json'), 'utf8'));
  expect(mapping.ignore).toEqual(['(column 1)', '(column 6)']);

  const imported = await runCli(['import', 'one.csv', '--local-sandbox', '--json', '--out', 'results'], {
    cwd,
  });
  expect(imported.exitCode, imported.stderr).toBe(0);
  const [batch] = JSON.parse(imported.stdout).batches;
  expect(batch.counts).toEqual({ created: 2 });

  // The file is the same one when it comes again, and when its rows are accounted for.
  const again = await runCli(['import', 'one.csv', '--local-sandbox', '--json', '--out', 'results'], { cwd });
  expect(JSON.parse(again.stdout).batches[0].batch).toBe(batch.batch);
  const reconciled = await runCli(['reconcile', batch.batch, '--local-sandbox', '--out', 'results'], { cwd });
  expect(reconciled.exitCode, reconciled.stderr).toBe(0);
  expect(reconciled.stdout).not.toContain('not compared');
});
