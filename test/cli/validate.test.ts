import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { runCli } from '../support/cli.ts';
import { openDesk } from '../support/cli-desk.ts';
import { account, collection, csvOf, customer, customers, readCsv, recipient } from '../support/cli-files.ts';

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(inject('testFolder'), 'validate-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('validate', () => {
  it('needs no API, no key and no ledger for rows that name no institution, and makes none', async () => {
    const cwd = await emptyFolder();
    await writeFile(join(cwd, 'people.csv'), csvOf(customers(3)));
    await writeFile(join(cwd, 'wallets.csv'), csvOf([account(1)]));
    const { exitCode, stderr } = await runCli(['validate', 'wallets.csv', 'people.csv'], { cwd });
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    expect(existsSync(join(cwd, '.paybatch'))).toBe(false);
  });

  it('says that an institution needs the API’s address', async () => {
    const cwd = await emptyFolder();
    await writeFile(join(cwd, 'payees.csv'), csvOf([recipient(1)]));
    const { exitCode, stderr } = await runCli(['validate', 'payees.csv'], { cwd });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--base-url');
  });

  it('knows what earlier files of the call would create, whatever their order, and sends nothing', async () => {
    const desk = await openDesk();
    const files = [
      await desk.write('payins.csv', csvOf([collection(1)])),
      await desk.write('payees.csv', csvOf([recipient(1, { institution_country: '' }), recipient(9)])),
      await desk.write('wallets.csv', csvOf([account(1)])),
      await desk.write('people.csv', csvOf([customer(1, { country: 'KE' })])),
    ];
    const { exitCode, summary } = await desk.json(['validate', ...files]);
    expect(summary.batches.map(({ batch, kind, counts }) => [batch, kind, counts])).toEqual([
      [null, 'customers', { not_sent: 1 }],
      [null, 'accounts', { not_sent: 1 }],
      [null, 'recipients', { invalid: 1, not_sent: 1 }],
      [null, 'collections', { not_sent: 1 }],
    ]);
    expect(exitCode).toBe(1);
    expect(readCsv(await desk.resultText('payees.findings.csv'))).toMatchObject([
      { row: '3', column: 'customer_external_id', code: 'customer_unknown' },
    ]);
    expect(Object.values(desk.sandbox.counts().sandbox.created)).toEqual([0, 0, 0, 0]);
    expect((await desk.run(['status'])).stdout).toContain('No batch');
  });

  it('knows the ledger: rows created before are existing, changed ones are for a person', async () => {
    const desk = await openDesk();
    await desk.run(['import', await desk.write('people.csv', csvOf(customers(2)))]);
    const again = await desk.write(
      'again.csv',
      csvOf([customer(1), customer(2, { last_name: 'Otieno' }), customer(3)]),
    );
    const { exitCode, summary } = await desk.json(['validate', again]);
    expect(summary.batches[0]?.counts).toEqual({ existing: 1, held: 1, not_sent: 1 });
    expect(exitCode).toBe(5);
    expect(readCsv(await desk.resultText('again.findings.csv'))).toMatchObject([
      { row: '3', code: 'differs_from_created' },
    ]);
    const payees = await desk.write('payees.csv', csvOf([recipient(1)]));
    expect((await desk.json(['validate', payees])).summary.batches[0]?.counts).toEqual({ not_sent: 1 });
    const withoutAddress = await desk.json(['validate', again], { env: { PAYBATCH_BASE_URL: '' } });
    expect(withoutAddress.exitCode).toBe(5);
  });

  it('groups findings by code and column, with their first rows', async () => {
    const desk = await openDesk();
    const rows = [1, 2, 3, 4, 5, 6, 7].map((number) => customer(number, number > 1 ? { phone: '0712' } : {}));
    const { stdout } = await desk.run(['validate', await desk.write('people.csv', csvOf(rows))]);
    expect(stdout).toContain('7 rows: 6 invalid, 1 ready to be sent');
    expect(stdout).toMatch(/6 {2}invalid_phone {2}phone {2}rows 3, 4, 5, 6, 7, …/);
    expect(stdout).toContain('people.findings.csv');
    expect(stdout).toContain('paybatch import people.csv');
  });

  it('writes a findings file for each of two inputs of one name', async () => {
    const desk = await openDesk();
    await mkdir(join(desk.folder, 'may'));
    await desk.write('people.csv', csvOf([customer(1)]));
    await desk.write('may/people.csv', csvOf([customer(2, { phone: '0712' })]));
    const { summary } = await desk.json(['validate', 'people.csv', 'may/people.csv']);
    const paths = summary.batches.map(({ files }) => files.findings ?? '');
    expect(new Set(paths).size).toBe(2);
    expect(await readFile(paths[0] ?? '', 'utf8')).not.toContain('invalid_phone');
    expect(await readFile(paths[1] ?? '', 'utf8')).toContain('invalid_phone');
  });

  it('holds --max-invalid against the whole file, and lists every finding all the same', async () => {
    const desk = await openDesk();
    const rows = [1, 2, 3].map((number) => customer(number, { phone: '0712' }));
    const people = await desk.write('people.csv', csvOf(rows));
    const { exitCode, summary } = await desk.json(['validate', people, '--max-invalid', '1']);
    expect(exitCode).toBe(3);
    expect(summary).toMatchObject({ exit_code: 3, batches: [], error: { code: 'too_many_invalid' } });
    expect(summary.error?.message).toContain('people.csv');
    expect(readCsv(await desk.resultText('people.findings.csv'))).toHaveLength(3);
    expect((await desk.json(['validate', people, '--max-invalid', '100%'])).exitCode).toBe(1);
  });

  it('finds nothing to do in a file without rows', async () => {
    const cwd = await emptyFolder();
    await writeFile(join(cwd, 'people.csv'), 'first_name,last_name\n');
    const { exitCode, stdout } = await runCli(['validate', 'people.csv'], { cwd });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('nothing to do');
  });

  it('refuses a mapping for a column that none of the files has', async () => {
    const cwd = await emptyFolder();
    await writeFile(join(cwd, 'people.csv'), 'first_name,Sur name.\nAda,Byron\n');
    await writeFile(
      join(cwd, 'm.json'),
      JSON.stringify({ columns: { 'Sur name': 'last_name' }, ignore: ['Sur name.'] }),
    );
    const { exitCode, stderr } = await runCli(
      ['validate', 'people.csv', '--kind', 'customers', '--mapping', 'm.json'],
      { cwd },
    );
    expect(exitCode).toBe(3);
    expect(stderr).toContain('Sur name');
  });
});

describe('a failed file', () => {
  it('comes back through an import with phones, formulas, apostrophes and leading zeros unharmed', async () => {
    const desk = await openDesk();
    const payee = recipient(1, { account_number: '000123456789', account_name: "'=cmd|' /C calc'!A0" });
    const mobile = {
      ...recipient(1, { payee_type: 'mobile_money', institution_name: 'M-PESA', account_number: '' }),
      phone_number: '+254712345678',
      account_name: "'quoted' name",
    };
    const rows = [
      { ...payee, phone_number: '' },
      mobile,
      { ...payee, phone_number: '', account_number: '0000000017', account_name: '=HYPERLINK("x")' },
    ];
    const people = await desk.write('people.csv', csvOf([customer(1)]));
    const payees = await desk.write('payees.csv', csvOf(rows.map((row) => ({ ...row, currency: 'XXX?' }))));
    const first = await desk.json(['import', people, payees]);
    const failed = first.summary.batches.find(({ kind }) => kind === 'recipients')?.files.failed ?? '';
    const kept = readCsv(await readFile(failed, 'utf8'));
    const corrected = (await readFile(failed, 'utf8')).replaceAll('XXX?', 'KES');
    expect(kept).toHaveLength(3);
    const again = await desk.json(['import', await desk.write('corrected.csv', corrected)]);
    expect(again.summary.batches[0]?.counts).toEqual({ created: 3 });
    const sent = readCsv(await readFile(again.summary.batches[0]?.files.results ?? '', 'utf8'));
    expect(
      sent.map(({ account_number, phone_number, account_name }) => [
        account_number,
        phone_number,
        account_name,
      ]),
    ).toEqual([
      ['000123456789', '', "'=cmd|' /C calc'!A0"],
      ['', "'+254712345678", "'quoted' name"],
      ['0000000017', '', '\'=HYPERLINK("x")'],
    ]);
  });

  it('says which rows repeat others, in the counts and in the findings', async () => {
    const cwd = await emptyFolder();
    const repeated = Array.from({ length: 2_500 }, () => customer(1));
    await writeFile(join(cwd, 'people.csv'), csvOf([...repeated, customer(2)]));
    const { exitCode, stdout } = await runCli(['validate', 'people.csv'], { cwd });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('2,501 rows: 2,499 repeats of an earlier row, 2 ready to be sent');
    const findings = readCsv(await readFile(join(cwd, 'results/people.findings.csv'), 'utf8'));
    expect(findings).toHaveLength(2_499);
    expect(findings[0]).toEqual({
      row: '3',
      column: '',
      code: 'duplicate',
      message: 'the same as row 2; it is sent once',
    });
  });
});

it('the output does not suggest to import other files if there are none', async () => {
  const desk = await openDesk();
  const bad = await desk.write('bad.csv', csvOf([customer(1, { email: 'none' })]));
  const { stdout } = await desk.run(['validate', bad]);
  expect(stdout).toContain('Every row is invalid');
  expect(stdout).not.toContain('paybatch import');
});
