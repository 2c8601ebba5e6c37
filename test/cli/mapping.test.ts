import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { runCli } from '../support/cli.ts';
import { textRow, workbook } from '../support/workbook.ts';

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
  it('prints the mapping alone on standard output and the reasons beside it, and makes nothing', async () => {
    const cwd = await folderWith({ 'partner.csv': partnerFile });
    const { exitCode, stdout, stderr } = await runCli(['mapping', 'partner.csv'], { cwd });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      kind: 'recipients',
      columns: {
        Type: 'payee_type',
        'Client No': 'customer_external_id',
        'Beneficiary name': 'account_name',
        'IBAN No.': 'iban',
        Ccy: 'currency',
      },
      headerRows: [2],
      ignore: ['Foo'],
      values: { payee_type: { SEPA: 'sepa' } },
      places: 'names',
      open: [
        { about: 'reading', why: 'No person has looked at this reading yet.' },
        {
          about: 'account_owner_type',
          why: 'No column is account_owner_type: Kind of account holder. Every row needs it.',
        },
        {
          about: 'country',
          why: 'No column is country: Country of the address, ISO 3166-1. Every row needs it.',
        },
      ],
    });
    expect(stderr).toMatch(/IBAN No\. +IBAN \(iban\)/);
    expect(stderr).toMatch(/Foo +left out/);
    expect(stderr).not.toMatch(/Lukas|DE89/);
    expect(existsSync(join(cwd, '.paybatch')) || existsSync(join(cwd, 'results'))).toBe(false);
  });

  it.each([[[]], [['--dialogue']]])(
    'refuses a file whose damage is found only while its rows are read, with its name (%j)',
    async (options) => {
      const cwd = await folderWith({ 'broken.csv': 'Name,Bank,Account\nA,B,1\nC,D,2\nE,"F,3\nG,H,4\n' });
      const { exitCode, stdout, stderr } = await runCli(['mapping', 'broken.csv', ...options], { cwd });
      expect(exitCode).toBe(3);
      expect(`${stdout}${stderr}`).toContain('broken.csv: In row 4 a quotation mark opens a value');
      expect(`${stdout}${stderr}`).not.toContain('internal error');
    },
  );

  it('prints the same mapping with --json, as the only object', async () => {
    const cwd = await folderWith({ 'partner.csv': partnerFile });
    const { stdout } = await runCli(['mapping', 'partner.csv', '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ columns: { Ccy: 'currency' } });
  });

  it('asks for the kind if no header shows it', async () => {
    const cwd = await folderWith({ 'odd.csv': 'a,b\n1,2\n' });
    const { exitCode, stderr } = await runCli(['mapping', 'odd.csv'], { cwd });
    expect(exitCode).toBe(3);
    expect(stderr).toContain('--kind');
    expect((await runCli(['mapping', 'odd.csv', '--kind', 'customers'], { cwd })).exitCode).toBe(0);
  });

  it('works for a workbook whose kind a validation can tell', async () => {
    const cwd = await folderWith({});
    const header = ['customer_id', 'currency', 'country', 'amount', 'institution_name', 'account_name'];
    const columns = [...header, 'payee_type'];
    const rows =
      textRow(1, columns) +
      textRow(
        2,
        columns.map((title) => (title === 'currency' ? 'KES' : 'x')),
      );
    await writeFile(join(cwd, 'X.xlsx'), workbook({ sheets: [{ name: 'Sheet1', rows }] }));
    await writeFile(join(cwd, 'mine.csv'), `${header.join(',')}\nx,KES,KE,1,y,z\n`);
    for (const file of ['X.xlsx', 'mine.csv']) {
      const { exitCode, stdout, stderr } = await runCli(['mapping', file], { cwd });
      expect(exitCode, stderr).toBe(0);
      expect(JSON.parse(stdout)).toBeTypeOf('object');
      expect(stderr).toContain('recipients');
    }
  });

  it('never advises its own command, and reports an empty mapping file as empty', async () => {
    const cwd = await folderWith({ 'odd.csv': 'a,b\n1,2\n', 'empty.json': '' });
    const { stderr } = await runCli(['mapping', 'odd.csv'], { cwd });
    expect(stderr).not.toContain('paybatch mapping');
    const used = await runCli(['validate', 'odd.csv', '--mapping', 'empty.json'], { cwd });
    expect(used.exitCode).toBe(2);
    expect(used.stderr).toContain('empty.json is empty');
  });

  it('says that an option is at fault with the exit code of options', async () => {
    const cwd = await folderWith({ 'odd.csv': 'a,b\n1,2\n' });
    expect((await runCli(['mapping', 'odd.csv', '--encoding', 'klingon'], { cwd })).exitCode).toBe(2);
  });
});
