import { describe, expect, it } from 'vitest';
import type { CallResult } from '../../src/account/result.ts';
import { account, csvOf, customer, customers } from '../support/cli-files.ts';
import { type InProcessDesk, openInProcessDesk } from './reconciling/in-process.ts';

/** Two files that are refused by their headers, one by its rows, and one that is as it should be. */
async function deskWithFiles(): Promise<{ desk: InProcessDesk; files: string[] }> {
  const desk = await openInProcessDesk();
  const files = [
    await desk.write('no-header.csv', 'x,y\n1,2\n'),
    await desk.write('extra.csv', csvOf([{ ...customer(1), colour: 'red' }])),
    await desk.write('bad-rows.csv', csvOf([customer(2, { email: 'none' })])),
    await desk.write('good.csv', csvOf(customers(2))),
  ];
  return { desk, files };
}

function resultOf({ document }: { document: unknown }): CallResult {
  return document as CallResult;
}

describe('several files of which some are refused', () => {
  it('are all named, not the first one, and nothing of any is sent', async () => {
    const { desk, files } = await deskWithFiles();
    for (const command of ['import', 'plan', 'validate']) {
      const end = await desk.call([command, ...files]);
      expect(end.exitCode).toBe(3);
      expect(end.stderr).toContain('no-header.csv');
      expect(end.stderr).toContain('extra.csv');
    }
    const [header = '', , badRows = '', good = ''] = files;
    // All are reported at once, whatever the reason: the second is not reported only after the first is corrected.
    for (const command of ['import', 'plan', 'validate']) {
      const end = await desk.call([command, header, good, badRows, '--max-invalid', '0']);
      expect(end).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('2 files are refused:') });
      expect(end.stderr).toContain('no-header.csv');
      expect(end.stderr).toMatch(/(^|[^-])bad-rows\.csv: 1 of /);
      expect(end.stderr).not.toContain('good.csv: ');
    }
    const other = await desk.write('other-bad-rows.csv', csvOf([customer(3, { email: 'none' })]));
    for (const command of ['import', 'validate']) {
      const end = await desk.call([command, badRows, other, good, '--max-invalid', '0']);
      expect(end.exitCode).toBe(3);
      expect(end.stderr).toMatch(/(^|[^-])bad-rows\.csv: 1 of /);
      expect(end.stderr).toContain('other-bad-rows.csv: 1 of ');
    }
    expect(desk.sandbox.counts().sandbox.created.customers ?? 0).toBe(0);
    expect((await desk.call(['status'])).stdout).toContain('No batch was imported yet');
  });

  it('are left out with --skip-refused: the others go on, and the exit code is 3 all the same', async () => {
    const { desk, files } = await deskWithFiles();
    const end = await desk.call(['import', ...files, '--max-invalid', '0', '--skip-refused']);
    expect(end.exitCode).toBe(3);
    const { batches, failure } = resultOf(end);
    expect(batches.map(({ file, counts }) => ({ file, counts }))).toEqual([
      { file: 'good.csv', counts: { created: 2 } },
    ]);
    expect(failure).toMatchObject({ code: 'files_refused', kind: 'file_refused' });
    for (const name of files.slice(0, 3)) expect(failure?.message).toContain(name);
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(2);
    const checked = await desk.call(['validate', ...files, '--max-invalid', '0', '--skip-refused']);
    expect(checked.exitCode).toBe(3);
    expect(resultOf(checked).batches.map(({ file }) => file)).toEqual(['good.csv']);
    for (const name of files.slice(0, 3)) expect(checked.stderr).toContain(name);
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(2);
  });

  it('are no reason to refuse those that refer to their rows', async () => {
    const desk = await openInProcessDesk();
    const people = await desk.write('people.csv', csvOf([{ ...customer(1), colour: 'red' }]));
    const wallets = await desk.write('wallets.csv', csvOf([account(1)]));
    for (const command of ['import', 'plan', 'validate']) {
      const end = await desk.call([command, people, wallets, '--max-invalid', '0']);
      expect(end.exitCode).toBe(3);
      expect(end.stderr).toContain('people.csv');
      expect(end.stderr).not.toContain('wallets.csv: 1 of ');
    }
  });

  it('are named before anything else that is in the way of the others', async () => {
    const { desk, files } = await deskWithFiles();
    const withoutKey = { PAYBATCH_API_KEY: '' };
    const end = await desk.call(['import', ...files], withoutKey);
    expect(end.exitCode).toBe(3);
    expect(end.stderr).toContain('no-header.csv');
    expect(end.stderr).toContain('extra.csv');
  });

  it('do not lend their rows to others that are taken in', async () => {
    const desk = await openInProcessDesk();
    const people = await desk.write('people.csv', csvOf([customer(1), customer(2, { email: 'none' })]));
    const wallets = await desk.write('wallets.csv', csvOf([account(1)]));
    const end = await desk.call(['import', people, wallets, '--max-invalid', '0', '--skip-refused']);
    // The account's customer is in no file that is left.
    expect(end.exitCode).toBe(3);
    expect(end.stderr).toContain('wallets.csv');
    expect((await desk.call(['status'])).stdout).toContain('No batch was imported yet');
  });

  it('say why themselves when all of them are refused', async () => {
    const { desk, files } = await deskWithFiles();
    const end = await desk.call(['import', files[0] ?? '', '--skip-refused']);
    expect(end).toMatchObject({
      exitCode: 3,
      document: { error: { code: expect.not.stringMatching('files_refused') } },
    });
  });
});

describe('a pattern that matches no file', () => {
  it('is a file that is not there, unless --allow-none says that there may be none', async () => {
    const { desk } = await deskWithFiles();
    expect((await desk.call(['import', 'drop/*.csv'])).exitCode).toBe(3);
    for (const command of ['import', 'plan', 'validate']) {
      const end = await desk.call([command, 'drop/*.csv', '--allow-none']);
      expect(end).toMatchObject({
        exitCode: 0,
        stderr: expect.stringContaining('No file matches drop/*.csv.'),
      });
    }
    expect((await desk.call(['import', 'drop/2026.csv', '--allow-none'])).exitCode).toBe(3);
    const one = await desk.call(['import', 'drop/*.csv', 'good.csv', '--allow-none']);
    expect(one).toMatchObject({ exitCode: 0 });
    expect(resultOf(one).batches).toHaveLength(1);
  });
});
