import { describe, expect, inject, it } from 'vitest';
import { cellText } from '../../../src/account/table.ts';
import { workSection } from '../../../src/account/tasks.ts';
import type { Frame } from '../../../src/console/pages/layout.ts';
import { sendingTable } from '../../../src/console/pages/worklist-sending.ts';
import { csvOf, customer, customers } from '../../support/cli-files.ts';
import { openConsole, uploadAndCheck, type Visitor } from '../../support/console.ts';
import { openConsoleWithUsers, visitorAs } from '../../support/console-users.ts';
import { proposePolicy, testRule } from '../../support/controls.ts';

const hostile = '"><script>alert(1)</script>';

/** The markup of a section of the list. */
function sectionIn(text: string, id: string): string {
  return new RegExp(`<section id="${id}">[\\s\\S]*?</section>`).exec(text)?.[0] ?? '';
}

describe.each(inject('ledgers'))('the work list on the %s ledger', (ledger) => {
  it('leads from each thing to where it is done', async () => {
    let doubts = false;
    const { visitor } = await openConsole(
      { ledger, onRequest: () => (doubts ? 'empty_answer' : undefined) },
      {},
      undefined,
      { sending: { maxAttempts: 1 } },
    );
    const empty = await visitor.get('/');
    expect(empty.text).toContain('Nothing waits for you');
    expect(empty.text).toContain('Upload a file to begin');
    const upload = async (name: string, rows: readonly Readonly<Record<string, string>>[]) => {
      const { path } = await uploadAndCheck(visitor, [{ name, content: csvOf(rows) }]);
      return path;
    };
    const send = async (path: string): Promise<void> => {
      await visitor.get(path);
      const { path: call } = await visitor.post(`${path}/resume`);
      await visitor.until(call, ({ text }) => !text.includes('id="progress"'));
    };
    await send(await upload('people.csv', customers(3)));
    const held = await upload('again.csv', [customer(1, { last_name: hostile }), customer(4)]);
    const wrong = await upload('wrong.csv', [customer(7, { email: hostile })]);
    const doubtful = await upload('doubt.csv', [customer(30)]);
    doubts = true;
    await send(doubtful);
    const { text } = await visitor.get('/');
    expect(text).not.toContain('<script>alert');
    expect(text).toContain('4 things to do');
    expect(text).toContain('<a href="#doubts">In doubt</a> <b>1</b>');
    const ofDoubts = sectionIn(text, 'doubts');
    expect(ofDoubts).toContain(`${doubtful}/rows?status=unknown`);
    expect(ofDoubts).toMatch(/runs out <time datetime="\d{4}-/);
    expect(ofDoubts).toContain(`action="${doubtful}/resume"`);
    const ofHeld = sectionIn(text, 'held');
    expect(ofHeld).toContain(`${held}/rows?status=held&amp;code=differs_from_created`);
    expect(ofHeld).toContain(`${held}/decide?status=held&amp;code=differs_from_created`);
    expect(ofHeld).toContain(
      '&quot;An earlier object stands for it&quot; if the earlier object stands, &quot;Send it all the same&quot; if',
    );
    expect(sectionIn(text, 'sending')).toContain(`href="${held}"`);
    expect(sectionIn(text, 'corrections')).toContain(`${wrong}/rows?status=invalid`);
    const rows = await visitor.get(`${held}/rows?status=held&code=differs_from_created`);
    expect([rows.status, rows.text.match(/<th scope="row"/g)?.length]).toEqual([200, 1]);
    const [, own = ''] = /href="([^"]*\/rows\/\d+)"/.exec(rows.text) ?? [];
    const row = (await visitor.get(own)).text;
    expect(row).toContain('What differs from the object that is there');
    expect(row.replaceAll('\n', '')).toMatch(
      /last name<\/t[hd]><td[^>]*>Odhiambo<\/td><td[^>]*>&quot;&gt;&lt;script&gt;/,
    );
    expect(row).toMatch(/It was created by <a href="[^"]*\/rows\/2">row 2 of batch [0-9a-f]{8}<\/a>/);
    const deciding = (await visitor.get(`${held}/decide?status=held&code=differs_from_created`)).text;
    expect(deciding).toContain('Rows: <b>all that are held, because: differs from created</b>.');
    expect(deciding).toContain('value="status=held and code=differs_from_created"');
    const byColumn = await visitor.get(`${held}/decide?where=email%3Dx%40post.example`);
    expect(byColumn.text).toContain(
      'Rows: <b>all that are held or unknown, with x@post.example in email</b>.',
    );
    const unreadable = await visitor.get(`${held}/decide?where=email`);
    expect(unreadable.text).toContain('<details open><summary>Choose the rows by a condition</summary>');
  });
});

it('links decided rows to their plan: nothing is sent by one click', async () => {
  const { visitor, desk } = await openConsole();
  const send = async (path: string): Promise<void> => {
    const { path: call } = await visitor.post(`${path}/resume`);
    await visitor.until(call, ({ text }) => !text.includes('id="progress"'));
  };
  const first = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(2)) }]);
  await send(first.path);
  const again = csvOf([customer(1, { last_name: 'Other' }), customer(2, { last_name: 'Other' })]);
  const { path } = await uploadAndCheck(visitor, [{ name: 'again.csv', content: again }]);
  const decide = async (row: number): Promise<string> => {
    await visitor.get(`${path}/rows/${row}`);
    const given = { verdict: 'send', attempts: '0', key: '', note: 'seen' };
    const { path: call } = await visitor.post(`${path}/rows/${row}/verdict`, given);
    await visitor.until(call, ({ text }) => !text.includes('id="progress"'));
    return sectionIn((await visitor.get('/')).text, 'sending');
  };
  const planned = await decide(2);
  expect(planned).toContain(`<a class="button second" href="${path}">Look at the plan</a>`);
  expect(planned).not.toContain('/resume');
  expect(planned).not.toContain('stopped');
  const { text } = await visitor.get(path);
  expect(text).toContain('What would be sent');
  expect(text).toContain('<button>Send 1 row</button>');
  await send(path);
  const joined = await decide(3);
  expect(joined).toContain('Rows may be sent since the last run');
  expect(joined).toContain(`<a class="button second" href="${path}">Look at it</a>`);
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(3);
});

it('leads from a batch whose rows the API refused to these rows', async () => {
  const { visitor } = await openConsole({ onRequest: () => '422' });
  const { path } = await uploadAndCheck(visitor, [{ name: 'refused.csv', content: csvOf(customers(1)) }]);
  await visitor.get(path);
  const { path: call } = await visitor.post(`${path}/resume`);
  await visitor.until(call, ({ text }) => !text.includes('id="progress"'));
  for (const page of ['/', path]) {
    const address = /href="([^"]+)">(?:Look at them, and correct them|Correct them)</.exec(
      (await visitor.get(page)).text,
    )?.[1];
    expect(address).toBe(`${path}/rows?status=rejected`);
    expect((await visitor.get(address ?? '')).text.match(/<th scope="row"/g)).toHaveLength(1);
  }
});

it('says below the amounts of a section what is not in them', () => {
  const frame = { may: () => true } as unknown as Frame;
  const batch = (id: string) => ({
    ...{ id, kind: 'recipients' as const, mode: 'live' as const, origin: 'https://api.example.test' },
    ...{ file: `${id}.csv`, sheet: null, isCorrection: id === 'b', createdAt: '2026-11-20T10:00:00Z' },
  });
  const state = { state: 'under_way', refusedAlike: null } as const;
  const tasks = [
    { ...state, batch: batch('a'), rows: 3, sums: [{ currency: 'XOF', rows: 2, amount: '6898301' }] },
    { ...state, batch: batch('b'), rows: 4, sums: null },
    { ...state, batch: batch('c'), rows: null, sums: null },
  ];
  const { table } = sendingTable(frame, workSection(tasks, 10)) ?? {};
  // As on the list of batches: a correction may have the name of the first file.
  expect(cellText(table?.rows[1]?.[0] ?? null)).toBe('Correction: b.csv b');
  const cells = [...(table?.rows ?? []), ...(table?.totals ?? [])].map((line) => line.map(cellText));
  expect(cells.map(([, rows, amounts]) => [rows, amounts])).toEqual([
    ['3', '6,898,301 XOF; of 2 of 3 rows'],
    ['4', 'not added up'],
    ['not counted yet', 'not added up'],
    ['7; without 1 line not counted yet', '6,898,301 XOF; of 2 of 7 rows; without 2 lines not added up'],
  ]);
});

describe('with people who sign in', () => {
  const policy = { rules: [testRule({ mode: 'sandbox', console: true }), testRule()], approvers: ['ada'] };
  const open = async () => {
    const world = await openConsoleWithUsers({}, {}, async (database) => {
      await proposePolicy(database, policy);
    });
    const mo = await visitorAs(world, 'mo');
    const content = csvOf([...customers(2), customer(9, { email: 'none' })]);
    const { path } = await uploadAndCheck(mo, [{ name: 'people.csv', content }]);
    return { world, mo, path };
  };
  const listOf = async (visitor: Visitor): Promise<string> => (await visitor.get('/')).text;

  it('says who may approve, and to each person what that person may do', async () => {
    const { world, mo, path } = await open();
    const ofMaker = sectionIn(await listOf(mo), 'approvals');
    expect(ofMaker).toContain(`${path}/approval`);
    expect(ofMaker).toContain('0 of 1');
    expect(ofMaker).toContain('>ada<');
    expect(ofMaker).toContain('may not approve it');
    const ada = await visitorAs(world, 'ada');
    expect(sectionIn(await listOf(ada), 'approvals')).toContain('may approve it');
    // What waits for approval is not offered to be sent.
    expect(sectionIn(await listOf(mo), 'sending')).toBe('');
  });

  it('offers no button that the role may not use', async () => {
    const { world, mo } = await open();
    expect(sectionIn(await listOf(mo), 'corrections')).toContain('Correct them');
    expect(await listOf(mo)).toContain('action="/uploads"');
    for (const name of ['ada', 'root'] as const) {
      const text = await listOf(await visitorAs(world, name));
      expect(text).not.toContain('action="/uploads"');
      expect(sectionIn(text, 'corrections')).toContain('Look at them');
      expect(text.match(/<form method="post" action="([^"]+)"/g)).toEqual([
        '<form method="post" action="/leave"',
      ]);
    }
  });
});
