import { expect, it } from 'vitest';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customers, recipient } from '../support/cli-files.ts';

it('import works on the embedded ledger with the built-in sandbox, which outlives the command', async () => {
  const desk = await openDesk({ ledger: 'embedded' });
  const people = await desk.write('people.csv', csvOf(customers(2)));
  const payees = await desk.write('payees.csv', csvOf([recipient(1)]));
  const env = { PAYBATCH_BASE_URL: '', PAYBATCH_API_KEY: '', PAYBATCH_LOCAL_SANDBOX: 'true' };
  const { PAYBATCH_LEDGER_DIR = '' } = desk.env;
  const alone = { cwd: desk.folder, env: { ...env, PAYBATCH_LEDGER_DIR } };
  expect((await desk.run(['import', people], alone)).exitCode).toBe(0);
  const { exitCode, summary } = await desk.json(['import', payees, people], alone);
  expect({ exitCode, counts: summary.batches.map(({ counts }) => counts) }).toEqual({
    exitCode: 0,
    counts: [{ created: 2 }, { created: 1 }],
  });
});
