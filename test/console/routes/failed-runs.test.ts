import { expect, it } from 'vitest';
import { csvOf, customers } from '../../support/cli-files.ts';
import { openConsole, startOn, uploadAndCheck, Visitor } from '../../support/console.ts';

/** A file that no answer helps. */
const damaged = { name: 'damaged.xlsx', content: 'PK\u0003\u0004 cut off' };
/** Of which nobody knows how it is read. */
const unread = { name: 'unread.csv', content: 'foo,bar\n1,2\n' };

function failedIn(text: string): string {
  return /<section[^>]*>\s*<h2[^>]*>Runs that failed[\s\S]*?<\/section>/.exec(text)?.[0] ?? '';
}

it('does not list a file whose questions are open as failed, nor one that a person has stopped', async () => {
  const { visitor } = await openConsole();
  const questions = await uploadAndCheck(visitor, [unread]);
  const asked = await visitor.until(questions.path, ({ text }) => text.includes('Stop, and keep nothing'));
  const open = await visitor.get('/');
  expect(open.text).toContain('Files with open questions');
  expect(failedIn(open.text)).toBe('');
  await visitor.get(asked.path);
  await visitor.post(`${asked.path.replace(/\?.*/, '')}/stop`);
  const stopped = await visitor.get('/');
  expect(failedIn(stopped.text)).toBe('');
  expect(stopped.text).not.toContain('Files with open questions');
});

it('lists a file of several that is not read as failed only until its questions are open', async () => {
  const { visitor } = await openConsole();
  const of = await uploadAndCheck(visitor, [{ name: 'good.csv', content: csvOf(customers(1)) }, unread]);
  expect(failedIn((await visitor.get('/')).text)).toContain('>unread.csv</td>');
  const address = /href="(\/uploads\/[^"]+\/mapping\/2)"/.exec(of.text)?.[1] ?? '';
  await visitor.until(address, ({ text }) => text.includes('Stop, and keep nothing'));
  const open = await visitor.get('/');
  expect(open.text).toContain('Files with open questions');
  expect(failedIn(open.text)).toBe('');
  await visitor.get(address);
  await visitor.post(`${address}/stop`);
  expect(failedIn((await visitor.get('/')).text)).toBe('');
});

it('offers to open a failed file again, and to put it away until it fails again', async () => {
  const world = await openConsole();
  const { visitor, desk } = world;
  await uploadAndCheck(visitor, [damaged]);
  await desk.run(['import', await desk.write('night.csv', 'foo,bar\n1,2\n')]);
  const failed = failedIn((await visitor.get('/')).text);
  expect(failed).toContain('Upload it again');
  const again = /href="(\/uploads\/[^"]+)">Open it again/.exec(failed)?.[1] ?? '';
  expect((await visitor.get(again)).text).toContain('damaged.xlsx');
  // Another console on the same files knows it as well.
  const other = await startOn(world);
  const next = new Visitor(other.url);
  await next.get(other.entry);
  expect(failedIn((await next.get('/')).text)).toContain(`href="${again}"`);

  const [, away = ''] = /damaged\.xlsx[\s\S]*?action="(\/failed-runs\/\d+\/put-away)"/.exec(failed) ?? [];
  await visitor.get('/');
  const after = await visitor.post(away);
  expect(failedIn(after.text)).not.toContain('damaged.xlsx');
  expect(failedIn(after.text)).toContain('night.csv');
  expect((await visitor.get('/batches')).text).not.toContain('damaged.xlsx');
  await visitor.get('/');
  expect((await visitor.post('/failed-runs/none/put-away')).status).toBe(404);
  await uploadAndCheck(visitor, [damaged]);
  expect(failedIn((await visitor.get('/')).text)).toContain('damaged.xlsx');
});
