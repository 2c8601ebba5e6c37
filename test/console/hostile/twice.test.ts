/* One form sent twice, after each other and at the same moment: it is done once. */

import { describe, expect, it } from 'vitest';
import { cheapScrypt } from '../../support/cheap-scrypt.ts';
import { csvOf, customer, customers } from '../../support/cli-files.ts';
import {
  type ConsoleOfTest,
  openConsole,
  type Shown,
  uploadAndCheck,
  type Visitor,
} from '../../support/console.ts';
import { openConsoleWithUsers, visitorAs } from '../../support/console-users.ts';
import { proposePolicy, testRule } from '../../support/controls.ts';
import { password } from '../../support/passwords.ts';
import { addTestUser } from '../../support/user-key.ts';

cheapScrypt();

const ways = ['after each other', 'at the same moment'] as const;

/** Sends a form twice, and gives what both came to once nothing is under way any more. */
async function twice(
  visitor: Visitor,
  way: (typeof ways)[number],
  path: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<readonly Shown[]> {
  const once = (): Promise<Shown> => visitor.post(path, fields);
  const shown =
    way === 'at the same moment' ? await Promise.all([once(), once()]) : [await once(), await once()];
  return Promise.all(
    shown.map((each) => visitor.until(each.path, ({ text }) => !text.includes('id="progress"'))),
  );
}

const created = ({ desk }: ConsoleOfTest): number => desk.sandbox.counts().sandbox.created.customers ?? 0;

/** A batch with one row that was never sent and is held, since it differs from what was created. */
async function heldBatch({ visitor }: ConsoleOfTest): Promise<string> {
  const first = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(2)) }]);
  await visitor.post(`${first.path}/resume`);
  await visitor.until(first.path, ({ text }) => text.includes('All 2 rows created'));
  const changed = csvOf([customer(1, { last_name: 'Another' }), customer(3)]);
  return (await uploadAndCheck(visitor, [{ name: 'again.csv', content: changed }])).path;
}

describe.each(ways)('a form that is sent twice %s', (way) => {
  it('sends a plan once', async () => {
    const world = await openConsole();
    const { visitor } = world;
    const { path, text } = await uploadAndCheck(visitor, [
      { name: 'people.csv', content: csvOf(customers(5)) },
    ]);
    const planHash = /name="plan_hash" value="([0-9a-f]{64})"/.exec(text)?.[1] ?? '';
    await twice(visitor, way, `${path}/send`, { plan_hash: planHash });
    await visitor.until(path, (page) => page.text.includes('All 5 rows created'));
    expect(created(world)).toBe(5);
    expect(world.desk.sandbox.counts().sandbox.duplicates.customers).toBe(0);
  });

  it('stages an upload once, and keeps what came twice', async () => {
    const world = await openConsole();
    const { visitor, engine } = world;
    await visitor.get('/');
    const once = (): Promise<Shown> =>
      visitor.upload('/uploads', [{ name: 'people.csv', content: csvOf(customers(5)) }]);
    const shown =
      way === 'at the same moment' ? await Promise.all([once(), once()]) : [await once(), await once()];
    for (const { path } of shown) {
      const end = await visitor.until(path, ({ text }) => !text.includes('id="progress"'));
      expect(end.text).not.toContain('internal error');
    }
    const listed = (await engine.status({}).result).shown;
    const batches = listed.kind === 'list' ? listed.batches : [];
    expect(batches).toHaveLength(1);
    const { text } = await visitor.get(`/batches/${batches[0]?.id}`);
    const planHash = /name="plan_hash" value="([0-9a-f]{64})"/.exec(text)?.[1] ?? '';
    await twice(visitor, way, `/batches/${batches[0]?.id}/send`, { plan_hash: planHash });
    await visitor.until(`/batches/${batches[0]?.id}`, (page) => page.text.includes('All 5 rows created'));
    expect(created(world)).toBe(5);
  });

  it('sends the files of an upload once', async () => {
    const world = await openConsole();
    const { visitor } = world;
    const files = [0, 10].map((from) => ({ name: `people${from}.csv`, content: csvOf(customers(3, from)) }));
    const { text } = await uploadAndCheck(visitor, files);
    const hashes = /name="plan_hashes" value="([0-9a-f,]+)"/.exec(text)?.[1] ?? '';
    const address = /action="(\/uploads\/[0-9a-f-]+\/send)"/.exec(text)?.[1] ?? '';
    await twice(visitor, way, address, { plan_hashes: hashes });
    expect(created(world)).toBe(6);
  });

  it('records a verdict once', async () => {
    const world = await openConsole();
    const path = await heldBatch(world);
    await world.visitor.get(`${path}/rows/2`);
    const ends = await twice(world.visitor, way, `${path}/rows/2/verdict`, {
      verdict: 'existing',
      attempts: '0',
    });
    expect(ends.some(({ text }) => text.includes('verdict of amina'))).toBe(true);
    const row = await world.visitor.get(`${path}/rows/2`);
    expect(row.text.match(/verdict of amina/g)).toHaveLength(1);
    for (const end of ends) expect(end.text).not.toContain('internal error');
  });

  it('plans a draft once', async () => {
    const world = await openConsole();
    const { visitor, engine } = world;
    const people = [customer(1), customer(2, { email: 'nowhere' })];
    const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(people) }]);
    const { text } = await visitor.get(`${path}/rows/3`);
    const [, place = ''] = /name="cell-(\d+)" value="nowhere"/.exec(text) ?? [];
    await visitor.post(`${path}/rows/3/edit`, {
      [`was-${place}`]: 'nowhere',
      [`cell-${place}`]: 'two@people.example',
    });
    await visitor.get(`${path}/draft`);
    const ends = await twice(visitor, way, `${path}/draft/plan`);
    for (const end of ends) expect(end.text).not.toContain('internal error');
    const { shown } = await engine.status({}).result;
    expect(shown.kind === 'list' ? shown.batches : []).toHaveLength(2);
  });

  it('closes a batch once', async () => {
    const world = await openConsole();
    const { visitor } = world;
    const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(2)) }]);
    await visitor.get(`${path}/close`);
    const ends = await twice(visitor, way, `${path}/close`, { note: 'wrong file' });
    for (const end of ends) expect(end.text).not.toContain('internal error');
    const { text } = await visitor.get(path);
    expect(text).toContain('wrong file');
    await visitor.post(`${path}/resume`);
    await visitor.until(path, (page) => page.text.includes('role="alert"'));
    expect(created(world)).toBe(0);
  });

  it('approves a plan as one person', async () => {
    const world = await openConsoleWithUsers({}, {}, async (database) => {
      await addTestUser(database, 'ben', 'approver');
      await proposePolicy(database, {
        rules: [testRule({ mode: 'sandbox', console: true, approvers: 2 }), testRule({ approvers: 2 })],
        approvers: ['ada', 'ben'],
      });
    });
    const mo = await visitorAs(world, 'mo');
    const { path } = await uploadAndCheck(mo, [{ name: 'people.csv', content: csvOf(customers(2)) }]);
    const ada = await visitorAs(world, 'ada');
    const { text } = await ada.get(`${path}/approval`);
    const planHash = /<code>([0-9a-f]{64})</.exec(text)?.[1] ?? '';
    const ends = await twice(ada, way, `${path}/approval`, {
      decision: 'approve',
      plan_hash: planHash,
      password,
    });
    for (const end of ends) expect(end.text).not.toContain('internal error');
    expect((await ada.get(`${path}/approval`)).text).toContain('You have approved this plan');
    const { batch } = await world.engine.overview({ batch: path.split('/')[2] ?? '' }).result;
    expect([batch.state, batch.approval?.inForce]).toEqual(['unapproved', null]);
    await mo.get(path);
    await mo.post(`${path}/send`, { plan_hash: planHash });
    await mo.until(path, (page) => page.text.includes('role="alert"'));
    expect(created(world)).toBe(0);
  });
});

it('a form with a field twice is one whose last value counts', async () => {
  const { visitor } = await openConsole();
  const { path, text } = await uploadAndCheck(visitor, [
    { name: 'people.csv', content: csvOf(customers(1)) },
  ]);
  const csrf = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = `_csrf=x&_csrf=${csrf}&note=&note=`;
  expect((await visitor.ask(`${path}/close`, { method: 'POST', headers, body })).status).toBe(422);
  for (const address of [
    '/enter?token=a&token=b',
    '/search?q=a&q=people',
    `${path}/rows?status=held&status=invalid`,
  ]) {
    expect((await visitor.get(address)).status, address).toBeLessThan(500);
  }
});
