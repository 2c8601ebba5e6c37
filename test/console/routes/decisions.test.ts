import { describe, expect, inject, it } from 'vitest';
import { type Frame, pageOf } from '../../../src/console/pages/layout.ts';
import { closePage } from '../../../src/console/routes/decisions.ts';
import { csvOf, customer, customers } from '../../support/cli-files.ts';
import { type ConsoleOfTest, openConsole, uploadAndCheck, type Visitor } from '../../support/console.ts';

const hostile = '"><script>alert(1)</script>';

/** Three held customers, whom another file has created under other names, and one that is new. */
async function heldBatch({ visitor }: ConsoleOfTest): Promise<string> {
  const first = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(3)) }]);
  await visitor.post(`${first.path}/resume`);
  await visitor.until(first.path, ({ text }) => text.includes('All 3 rows created'));
  const changed = [1, 2, 3].map((number) => customer(number, { last_name: `${hostile}${number}` }));
  const second = csvOf([...changed, customer(4)]);
  const { path } = await uploadAndCheck(visitor, [{ name: 'again.csv', content: second }]);
  return path;
}

async function decided(visitor: Visitor, path: string, fields: Record<string, string>): Promise<string> {
  const { path: call } = await visitor.post(path, fields);
  const end = await visitor.until(call, ({ text }) => !text.includes('id="progress"'));
  return end.text;
}

describe.each(inject('ledgers'))('a held row on the %s ledger', (ledger) => {
  it('is shown with its cells and history, and is decided about by a person', async () => {
    const opened = await openConsole({ ledger });
    const { visitor } = opened;
    const path = await heldBatch(opened);
    const page = await visitor.get(path);
    expect(page.text).toMatch(/Look into 3 held rows: .*\s.*rows\?status=held">Look at them, and decide</);
    const { text } = await visitor.get(`${path}/rows/2`);
    expect(text).not.toContain('>Reconcile<');
    expect(text).not.toContain('<script>alert');
    expect(text).toContain('checked and staged');
    expect(text).toContain('An earlier object stands for it');
    expect(text).not.toContain('It was not created');
    const after = await decided(visitor, `${path}/rows/2/verdict`, {
      verdict: 'existing',
      note: hostile,
      attempts: '0',
      key: '',
    });
    expect(after).toContain('verdict of amina on the held row: existing');
    expect(after).not.toContain('<script>alert');
    expect(after).not.toContain('Decide about it');
    const again = await decided(visitor, `${path}/rows/2/verdict`, { verdict: 'send', attempts: '0' });
    expect(again).toContain('role="alert"');
    expect(again).toContain('Back to the row');
    expect((await visitor.get(`${path}/rows/9`)).status).toBe(404);
  });
});

it('takes a verdict for many rows once they were shown, and refuses it when one of them has changed', async () => {
  const opened = await openConsole();
  const { visitor, desk } = opened;
  const path = await heldBatch(opened);
  const grid = await visitor.get(`${path}/rows?status=held`);
  expect(grid.text).toContain('Decide about these rows');
  const chosen = await visitor.get(`${path}/decide?status=held`);
  expect(chosen.text).toContain('value="status=held"');
  const address = `${path}/decide?where=${encodeURIComponent('status=held')}&verdict=existing`;
  const shown = await visitor.get(address);
  expect(shown.text).toContain('An earlier object stands for it: 3 rows');
  expect(shown.text).not.toContain('<script>alert');
  const selection = /name="selection" value="([0-9a-f]{16})"/.exec(shown.text)?.[1] ?? '';
  await decided(visitor, `${path}/rows/3/verdict`, { verdict: 'existing', attempts: '0' });
  await visitor.get(address);
  const fields = { where: 'status=held', verdict: 'existing', note: 'seen', selection };
  const refused = await decided(visitor, `${path}/decide`, fields);
  expect(refused).toContain('The selection is not the one of the hash');
  const renewed = await visitor.get(address);
  const current = /name="selection" value="([0-9a-f]{16})"/.exec(renewed.text)?.[1] ?? '';
  const recorded = await decided(visitor, `${path}/decide`, { ...fields, selection: current });
  expect(recorded).toContain('Rows of again.csv');
  expect((await visitor.get(`${path}/rows?status=existing`)).text.match(/<th scope="row"/g)).toHaveLength(3);
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(3);
});

it('says what is wrong with conditions', async () => {
  const opened = await openConsole();
  const path = await heldBatch(opened);
  const ask = (where: string) =>
    opened.visitor.get(`${path}/decide?where=${encodeURIComponent(where)}&verdict=send`);
  expect((await ask('nothing')).text).toContain('is no condition');
  expect((await ask('status=unknown')).text).toContain('No row meets the conditions');
  expect((await opened.visitor.get('/batches/00000000/decide?where=a=b&verdict=send')).status).toBe(404);
});

it('closes a batch with a note, and never without one', async () => {
  const opened = await openConsole();
  const { visitor, desk } = opened;
  const path = await heldBatch(opened);
  const { text } = await visitor.get(`${path}/close`);
  expect(text).toContain('4 rows that were not sent will not be sent');
  expect((await visitor.post(`${path}/close`, { note: ' ' })).status).toBe(422);
  await visitor.get(`${path}/close`);
  const closed = await decided(visitor, `${path}/close`, { note: `wrong file ${hostile}` });
  expect(closed).toContain('wrong file');
  expect(closed).not.toContain('<script>alert');
  expect((await visitor.get(`${path}/close`)).text).toContain('It is closed');
  await visitor.get(path);
  await decided(visitor, `${path}/resume`, {});
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(3);
});

it('does not close a batch while rows of it may exist, and says what helps', async () => {
  const frame: Frame = {
    mode: 'sandbox',
    unprovenKey: null,
    place: '',
    viewer: 'amina',
    hasUsers: false,
    may: () => true,
    csrf: 'token',
    isForTrying: false,
    folders: [],
    address: null,
    kept: null,
  };
  const opened = await openConsole();
  const path = await heldBatch(opened);
  const { batch } = await opened.engine.overview({ batch: path.split('/').at(-1) ?? '' }).result;
  const text = pageOf(frame, closePage(frame, { ...batch, counts: { unknown: 2 } })).text;
  expect(text).toContain('2 rows may exist at the API');
  expect(text).not.toContain('Close the batch</button>');
});
