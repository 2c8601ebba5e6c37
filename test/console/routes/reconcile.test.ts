import { expect, it } from 'vitest';
import { csvOf, customers, readCsv } from '../../support/cli-files.ts';
import { openConsole, uploadAndCheck } from '../../support/console.ts';

it('accounts for every row, and shows what an export of the other side has otherwise', async () => {
  const { visitor } = await openConsole();
  const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(3)) }]);
  await visitor.post(`${path}/resume`);
  await visitor.until(path, ({ text }) => text.includes('All 3 rows created'));
  const form = await visitor.get(`${path}/reconcile`);
  expect(form.text).toContain('Reconcile people.csv');
  const alone = await visitor.upload(`${path}/reconcile`, []);
  const account = await visitor.until(alone.path, ({ text }) => !text.includes('id="progress"'));
  expect(account.text).toContain('every row accounted for');
  expect(account.text).toContain('in order');
  // The file that was uploaded is found again.
  expect(account.text).not.toContain('not compared');

  const results = await visitor.get(`${path}/files/results`);
  const [first] = await readCsv(results.text);
  const content = `id,external_id\r\n${first?.['result_id']},${first?.['external_id']}\r\n`;
  await visitor.get(`${path}/reconcile`);
  const days = { covers_from: '2020-01-01', covers_to: '2100-01-01' };
  const began = await visitor.upload(`${path}/reconcile`, [{ name: 'export.csv', content }], days);
  const compared = await visitor.until(began.path, ({ text }) => !text.includes('id="progress"'));
  expect(compared.text).toContain('Reconciliation: differences');
  expect(compared.text).toContain('DIFFERENCE');
  expect(compared.text).toContain(`href="${path}"`);
});

it('shows what is wrong with an export that cannot be read', async () => {
  const { visitor } = await openConsole();
  const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(1)) }]);
  await visitor.get(`${path}/reconcile`);
  const began = await visitor.upload(`${path}/reconcile`, [{ name: 'a.pdf', content: '%PDF-1.7\n' }]);
  const shown = await visitor.until(began.path, ({ text }) => !text.includes('id="progress"'));
  expect(shown.text).toContain('role="alert"');
});
