import { expect, it } from 'vitest';
import { csvOf, customers } from '../../support/cli-files.ts';
import { openInProcessDesk } from '../reconciling/in-process.ts';

it('--verbose reports batch, row, status, code and latency of every request, and no value of the row', async () => {
  let requests = 0;
  const desk = await openInProcessDesk({
    onRequest: () => {
      requests += 1;
      return requests === 1 ? '422' : undefined;
    },
  });
  const file = await desk.write('people.csv', csvOf(customers(2)));
  const words = ['import', file, '--concurrency', '1', '--verbose'];
  const { stderr } = await desk.run(words);
  const told = stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'answered');
  const [result] = await desk.results();
  const ofRequest = {
    level: 'debug',
    msg: 'answered',
    batch: result?.['result_batch'],
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    latency_ms: expect.any(Number),
  };
  // Nothing but these fields: an unexpected one might be personal.
  expect(told).toEqual([
    { ...ofRequest, row: 2, attempt: 1, status: 422, outcome: 'refused', code: 'injected_fault' },
    { ...ofRequest, row: 3, attempt: 1, status: 201, outcome: 'created', code: null },
  ]);
  expect(stderr).not.toContain('Amina');
});
