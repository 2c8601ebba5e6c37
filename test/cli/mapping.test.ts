import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { runCli } from '../support/cli.ts';

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(inject('testFolder'), 'mapping-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

const partnerFile = [
  'Payout list November;;;;;',
  'Type;Client No;Beneficiary name;IBAN No.;Ccy;Foo',
  'SEPA;C-1;Lukas Schneider;DE89370400440532013000;EUR;x',
].join('\r\n');

describe('mapping', () => {
  test('prints the mapping alone on standard output and the reasons beside it, and makes nothing', async () => {
    const cwd = await folderWith({ 'partner.csv': partnerFile });
    const { exitCode, stdout, stderr } = await runCli(['mapping', 'partner.csv'], { cwd });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      columns: {
        Type: 'payee_type',
        'Client No': 'customer_external_id',
        'Beneficiary name': 'account_name',
        'IBAN No.': 'iban',
        Ccy: 'currency',
      },
      values: { payee_type: { SEPA: 'sepa' } },
    });
    expect(stderr).toMatch(/IBAN No\. +→ +iban +sure/);
    expect(stderr).toMatch(/Foo +→ +\? +to decide/);
    expect(stderr).not.toMatch(/Lukas|DE89/);
    expect(existsSync(join(cwd, '.paybatch')) || existsSync(join(cwd, 'results'))).toBe(false);
  });

  test('prints the same mapping with --json, as the only object', async () => {
    const cwd = await folderWith({ 'partner.csv': partnerFile });
    const { stdout } = await runCli(['mapping', 'partner.csv', '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ columns: { Ccy: 'currency' } });
  });

  test('makes a mapping with which an import refuses what is open, by name', async () => {
    const cwd = await folderWith({ 'partner.csv': partnerFile });
    const { stdout } = await runCli(['mapping', 'partner.csv'], { cwd });
    await writeFile(join(cwd, 'm.json'), stdout);
    const { exitCode, stderr } = await runCli(['validate', 'partner.csv', '--mapping', 'm.json'], { cwd });
    expect(exitCode).toBe(3);
    expect(stderr).toContain('“Foo”');
    expect(stderr).not.toContain('IBAN No.');
  });

  test('asks for the kind where no header tells it', async () => {
    const cwd = await folderWith({ 'odd.csv': 'a,b\n1,2\n' });
    const { exitCode, stderr } = await runCli(['mapping', 'odd.csv'], { cwd });
    expect(exitCode).toBe(3);
    expect(stderr).toContain('--kind');
    expect((await runCli(['mapping', 'odd.csv', '--kind', 'customers'], { cwd })).exitCode).toBe(0);
  });
});
