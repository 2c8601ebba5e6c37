import { userInfo } from 'node:os';
import { expect, it } from 'vitest';
import type { CallResult } from '../../../src/account/result.ts';
import type { FaultName } from '../../../src/sandbox/faults.ts';
import { collections, importAll, importCollections } from '../reconciling/batches.ts';
import { type InProcessDesk, type InProcessEnd, openInProcessDesk } from '../reconciling/in-process.ts';

function countsOf({ document }: InProcessEnd): unknown {
  return (document as CallResult).batches[0]?.counts;
}

/** Three held collections, whose references are known with other amounts, and one that is new. */
async function heldBatch(): Promise<{ desk: InProcessDesk; batch: string }> {
  const desk = await openInProcessDesk();
  await importCollections(desk, ['R-1', '10.00'], ['R-2', '10.00'], ['R-3', '10.00']);
  const batch = await importAll(desk, {
    'q.csv': collections(['R-1', '11.00'], ['R-2', '12.50'], ['R-3', '11.00'], ['R-4', '1.00']),
  });
  return { desk, batch };
}

function hashIn({ document }: InProcessEnd): string {
  return (document as { selection: { hash: string } }).selection.hash;
}

const held = 'status=held and code=differs_from_created';

it('shows count, sums and samples, and records nothing until somebody agrees to the hash', async () => {
  const { desk, batch } = await heldBatch();
  const resolve = ['resolve', batch, '--where', held, '--as', 'send', '--note', 'by phone'];
  const shown = await desk.call(resolve);
  expect(shown.exitCode).toBe(2);
  expect(shown.stdout).toMatch(/send: 3 rows\n {2}KES 34\.50 in 3 rows\n/);
  expect(shown.stdout).toMatch(/R-2/);
  expect(shown.document).toMatchObject({
    exit_code: 2,
    recorded: 0,
    selection: { rows: 3, sums: [{ currency: 'KES', rows: 3, amount: '34.50' }] },
    error: { code: 'selection_not_confirmed', next: expect.stringContaining('--selection') },
  });
  const hash = hashIn(shown);
  expect((await desk.call([...resolve, '--selection', hash.toUpperCase()])).exitCode).toBe(0);
  expect(countsOf(await desk.call(['resume', batch]))).toEqual({ created: 4 });
  const { stdout } = await desk.call(['status', batch, '--row', '3']);
  expect(stdout).toContain('by phone');
});

it('takes a column of the file, and leaves the other rows as they are', async () => {
  const { desk, batch } = await heldBatch();
  const where = 'status=held and Amount=11.00';
  const end = await desk.call(['resolve', batch, '--where', where, '--as', 'existing', '--yes']);
  expect([end.exitCode, countsOf(end)]).toEqual([0, { created: 1, existing: 2, held: 1 }]);
});

it('refuses a selection that changed since it was shown, and shows the new one', async () => {
  const { desk, batch } = await heldBatch();
  const resolve = ['resolve', batch, '--where', held, '--as', 'existing'];
  const hash = hashIn(await desk.call(resolve));
  await desk.call(['resolve', batch, '--row', '2', '--as', 'existing']);
  const changed = await desk.call([...resolve, '--selection', hash]);
  expect([changed.exitCode, changed.stdout]).toEqual([2, expect.stringContaining('existing: 2 rows')]);
  expect(changed.document).toMatchObject({ error: { code: 'selection_changed' }, recorded: 0 });
  expect(hashIn(changed)).not.toBe(hash);
  expect((await desk.call([...resolve, '--selection', hashIn(changed)])).exitCode).toBe(0);
});

it('takes the hash for the verdict that it was shown with only', async () => {
  const { desk, batch } = await heldBatch();
  const hash = hashIn(await desk.call(['resolve', batch, '--where', held, '--as', 'existing']));
  const other = ['resolve', batch, '--where', held, '--as', 'send', '--selection', hash];
  expect((await desk.call(other)).document).toMatchObject({ error: { code: 'selection_changed' } });
});

it('says what there is where no row meets the conditions', async () => {
  const { desk, batch } = await heldBatch();
  const where = 'code=key_expired and amount=9';
  const { exitCode, stderr } = await desk.call(['resolve', batch, '--where', where, '--as', 'send', '--yes']);
  expect(exitCode).toBe(2);
  expect(stderr.replace(/\s+/g, ' ')).toContain('3 held with the code differs_from_created');
  expect(stderr.replace(/\s+/g, ' ')).toContain('"amount" is "11.00" (2), "12.50" (1)');
});

it('says that a pattern, which no row meets, is taken as it is written', async () => {
  const { desk, batch } = await heldBatch();
  const words = ['resolve', batch, '--as', 'send', '--yes', '--where'];
  const pattern = await desk.call([...words, 'code=differs_*']);
  expect(pattern).toMatchObject({ exitCode: 2, document: { error: { code: 'selection_empty' } } });
  expect(pattern.stderr).toContain('next: write the whole value: * and % stand for themselves');
  expect((await desk.call([...words, 'code=nothing'])).stderr).not.toContain('next:');
});

it('gives each of the rows a record of its own, with who decided and the note', async () => {
  const { desk, batch } = await heldBatch();
  await desk.call(['resolve', batch, '--where', held, '--as', 'existing', '--yes', '--note', 'by phone']);
  for (const row of ['2', '3', '4']) {
    const { stdout } = await desk.call(['status', batch, '--row', row]);
    expect(stdout.replace(/\s+/g, ' ')).toContain(userInfo().username);
    expect(stdout).toContain('by phone');
  }
  expect((await desk.call(['status', batch, '--row', '5'])).stdout).not.toContain('by phone');
});

it('refuses all where the verdict does not suit one of the rows', async () => {
  const { desk, batch } = await heldBatch();
  const end = await desk.call(['resolve', batch, '--where', held, '--as', 'not-created', '--yes']);
  expect([end.exitCode, end.stderr]).toEqual([2, expect.stringContaining('row 4')]);
  expect(countsOf(await desk.call(['results', batch]))).toEqual({ created: 1, held: 3 });
});

it.each([
  [['--as', 'created', '--yes'], 'own id'],
  [['--yes'], '--where needs --as'],
  [['--as', 'send', '--row', '2'], '--where and --row exclude each other'],
  [['--as', 'send', '--id', 'x'], '--where and --id exclude each other'],
])('refuses --where with %j', async (words, problem) => {
  const { desk, batch } = await heldBatch();
  const { exitCode, stderr } = await desk.call(['resolve', batch, '--where', 'status=held', ...words]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(problem)]);
});

it('does not take a yes without a look for rows that were sent again since', async () => {
  let fault: FaultName | undefined = 'reset_before';
  const desk = await openInProcessDesk({
    onRequest: ({ path, method }) => (method === 'POST' && path.includes('collection') ? fault : undefined),
  });
  const batch = await importCollections(desk, ['M-1', '10.00'], ['M-2', '20.00']);
  const resolve = ['resolve', batch, '--where', 'status=unknown', '--as', 'not-created'];
  const morning = hashIn(await desk.call(resolve));
  fault = 'reset_after';
  await desk.call(['resume', batch, '--max-attempts', '1']);
  fault = undefined;
  expect((await desk.call([...resolve, '--selection', morning])).exitCode).toBe(2);
  const unseen = await desk.call([...resolve, '--yes']);
  expect(unseen.document).toMatchObject({ error: { code: 'selection_not_confirmed' } });
  await desk.call(['resume', batch]);
  expect(desk.sandbox.counts().sandbox.created.collections).toBe(2);
});
