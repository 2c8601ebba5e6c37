import { expect, it } from 'vitest';
import { csvOf, customers, readCsv } from '../../support/cli-files.ts';
import { uploadAndCheck, type Visitor } from '../../support/console.ts';
import { openConsoleWithUsers, visitorAs } from '../../support/console-users.ts';

/** A batch that is created, and the ids of its rows. */
async function created(visitor: Visitor, name: string): Promise<{ path: string; ids: readonly string[] }> {
  const { path } = await uploadAndCheck(visitor, [{ name, content: csvOf(customers(2)) }]);
  await visitor.post(`${path}/resume`);
  await visitor.until(path, ({ text }) => text.includes('All 2 rows created'));
  const results = await readCsv((await visitor.get(`${path}/files/results`)).text);
  return { path, ids: results.map((row) => row['result_id'] ?? '') };
}

/** Reconciles with an export that has these strangers, or alone. @returns the address of its page */
async function reconciled(
  visitor: Visitor,
  path: string,
  strangers: readonly string[] | null,
): Promise<string> {
  await visitor.get(`${path}/reconcile`);
  const content = ['id,email', ...(strangers ?? []).map((id) => `${id},${id}@example.com`)].join('\r\n');
  const files = strangers === null ? [] : [{ name: 'export.csv', content }];
  const began = await visitor.upload(`${path}/reconcile`, files, {});
  return (await visitor.until(began.path, ({ text }) => !text.includes('id="progress"'))).path;
}

async function differencesOf(visitor: Visitor): Promise<string> {
  const { text } = await visitor.get('/');
  return /<section id="differences">[\s\S]*?<\/section>/.exec(text)?.[0] ?? '';
}

it('lists differences until they are accepted or gone, with a link to where they are decided about', async () => {
  const world = await openConsoleWithUsers();
  const mo = await visitorAs(world, 'mo');
  const { path } = await created(mo, 'people.csv');
  expect(await differencesOf(mo)).toBe('');
  const page = await reconciled(mo, path, ['S-1', 'S-2', 'S-3']);
  const listed = await differencesOf(mo);
  expect(listed).toContain(`href="${page}"`);
  expect(listed).toContain('not assigned: 3');
  expect((await mo.get('/')).text).toContain(
    '<a href="#differences">Differences to decide about</a> <b>1</b>',
  );
  // Alone, nothing is said of what the export has.
  await reconciled(mo, path, null);
  expect(await differencesOf(mo)).toContain('not assigned: 3');

  const of = await mo.get(`${page}?kind=unknown_here`);
  const [tick = ''] = [...of.text.matchAll(/name="(tick-[0-9a-f]{64})"/g)].map(([, name = '']) => name);
  const kind = 'unknown_here';
  await mo.post(`${page}/decide`, { kind, which: 'ticked', [tick]: 'yes', to: 'Mo', do: 'give' });
  expect(await differencesOf(mo)).toMatch(/you: 1[\s\S]*not assigned: 2/);
  const ada = await visitorAs(world, 'ada');
  const ofAda = await differencesOf(ada);
  expect(ofAda).toMatch(/not assigned: 2[\s\S]*Mo: 1/);
  expect(ofAda).toContain(`href="${page}"`);

  await mo.get(of.path);
  await mo.post(`${page}/decide`, { kind, which: 'all', note: 'known', do: 'accept' });
  expect(await differencesOf(mo)).toBe('');
  const later = await reconciled(mo, path, ['S-1', 'S-4']);
  expect(await differencesOf(mo)).toContain('not assigned: 1');
  expect(await differencesOf(mo)).toContain(`href="${later}"`);
  expect(await differencesOf(mo)).toContain('export.csv');
  // Each page says which list counts.
  expect((await mo.get(page)).text).toContain('A later comparison has replaced this list');
  expect((await mo.get(page)).text).toContain(`<a href="${later}">the comparison with export.csv</a>`);
  const newest = (await mo.get(later)).text;
  expect(newest).toContain('This list has replaced that of');
  expect(newest).toContain(`<a href="${page}">the comparison with export.csv</a>`);
  expect(newest).not.toContain('A later comparison');
  // People are offered by name, also those who have no user.
  expect(newest).toMatch(/<input id="to"[^>]* list="people">/);
  for (const name of ['mo', 'ada', 'Mo']) expect(newest).toContain(`<option value="${name}"></option>`);
  await reconciled(mo, path, ['S-2']);
  expect(await differencesOf(mo)).toBe('');
});

it('leads those that the viewer looks into, before newer ones', async () => {
  const world = await openConsoleWithUsers();
  const mo = await visitorAs(world, 'mo');
  const { path: first } = await created(mo, 'first.csv');
  const { path: second } = await uploadAndCheck(mo, [{ name: 'second.csv', content: csvOf(customers(3)) }]);
  const page = await reconciled(mo, first, ['S-1']);
  await reconciled(mo, second, ['S-2']);
  const order = async (): Promise<string[]> =>
    [...(await differencesOf(mo)).matchAll(/>((?!export)\w+\.csv)</g)].map(([, name = '']) => name);
  expect(await order()).toEqual(['second.csv', 'first.csv']);
  await mo.get(page);
  await mo.post(`${page}/decide`, { kind: '', which: 'all', to: 'mo', do: 'give' });
  expect(await order()).toEqual(['first.csv', 'second.csv']);
});
