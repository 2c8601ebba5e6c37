import { join } from 'node:path';
import { expect, it } from 'vitest';
import { accounts, collections, customer } from '../../cli/reconciling/batches.ts';
import { readCsv } from '../../support/cli-files.ts';
import { openConsole, type Shown, type Visitor } from '../../support/console.ts';

const days = { covers_from: '2020-01-01', covers_to: '2100-01-01' };

/** A batch of collections that was sent, and the ids of its objects by reference. */
async function openBatch() {
  const { visitor, desk, engine } = await openConsole();
  const rows = Array.from({ length: 8 }, (_, at) => [`INV-${at}`, `${100 + at}.50`] as const);
  const contents = { 'c.csv': customer, 'a.csv': accounts('Main'), 'p.csv': collections(...rows) };
  const files: string[] = [];
  for (const [name, content] of Object.entries(contents))
    files.push(join(desk.folder, await desk.write(name, content)));
  const { batches } = await engine.import({ files }).result;
  const path = `/batches/${batches.at(-1)?.id}`;
  const results = await readCsv((await visitor.get(`${path}/files/results`)).text);
  const lines = results.map((result, at) => ({
    id: result['result_id'] ?? '',
    reference: result['client_reference'] ?? '',
    amount: at % 2 === 0 ? `9${result['amount']}` : (result['amount'] ?? ''),
  }));
  return { visitor, path, lines };
}

/** Sends the form of the reconciliation, and follows it to its end. */
async function reconciled(visitor: Visitor, path: string, address: string, content?: string): Promise<Shown> {
  const form = await visitor.get(address);
  const kept = /name="kept" value="([^"]+)"/.exec(form.text)?.[1];
  const files = content === undefined ? [] : [{ name: 'export.csv', content }];
  const fields = { ...days, ...(kept === undefined ? {} : { kept }) };
  const began = await visitor.upload(`${path}/reconcile`, files, fields);
  return visitor.until(began.path, ({ text }) => !text.includes('id="progress"'));
}

/** A page of the questions, once the file was looked at. */
function question(visitor: Visitor, address: string): Promise<Shown> {
  return visitor.until(address, ({ text }) => !text.includes('Looking at the file'));
}

/** Answers what is asked: as proposed, and columns as they are named here. */
async function answerAll(
  visitor: Visitor,
  first: Shown,
  columns: Readonly<Record<string, string>>,
): Promise<Shown> {
  let shown = first;
  for (let count = 0; shown.text.includes('name="turn"'); count += 1) {
    expect(count).toBeLessThan(8);
    const fields: Record<string, string> = { turn: /name="turn" value="(\d+)"/.exec(shown.text)?.[1] ?? '' };
    for (const [, at = '', title = ''] of shown.text.matchAll(/id="column-(\d+)">([^<]*)</g))
      if (columns[title] !== undefined) fields[`field.${at}`] = columns[title];
    for (const [, name = '', value = ''] of shown.text.matchAll(
      /type="radio" name="([^"]+)" value="([^"]*)" checked/g,
    ))
      fields[name] = value;
    const asked = /<h1>What is the column &quot;([^<]*)&quot;\?/.exec(shown.text)?.[1];
    if (asked !== undefined) fields['answer'] = columns[asked] ?? 'ignore';
    if (shown.text.includes('of all rows</label>')) fields['text'] = 'KES';
    const next = await visitor.post(shown.path, { ...fields, do: 'answer' });
    shown = await question(visitor, next.path);
  }
  return shown;
}

it('finds every changed amount of an export with other titles, and says what its columns were read as', async () => {
  const { visitor, path, lines } = await openBatch();
  const day = new Date().toISOString();
  const rows = lines.map(({ id, reference, amount }) => [id, reference, amount, 'KES', day].join());
  const content = ['Transaction ID,Merchant ref,Amount paid,Currency,Created at', ...rows].join('\n');
  const shown = await reconciled(visitor, path, `${path}/reconcile`, content);
  expect(shown.text).toContain('4 differences');
  expect(shown.text).toContain('Merchant ref as reference, Amount paid as amount');
  expect(shown.text.match(/<mark>91\d\d\.50/g)).toHaveLength(4);
});

it('asks how an export is read after what was not compared, remembers it, and asks nothing about the next one', async () => {
  const { visitor, path, lines } = await openBatch();
  // Net amounts agree with none of the ledger, and no title says that they are the amount.
  const rows = lines.map(({ id, amount }) => `${id},7${amount}`);
  const content = ['Transaction ID,Column 7', ...rows].join('\n');
  const first = await reconciled(visitor, path, `${path}/reconcile`, content);
  expect(first.text).toContain('Amounts were not compared');
  expect(first.text).toContain('8 differences');

  const button = /action="([^"]+\/again\/1)"/.exec(first.text)?.[1] ?? '';
  const began = await visitor.post(button);
  const review = await question(visitor, began.path);
  expect(review.text).toContain('<h1>How the file is read</h1>');
  const form = await answerAll(visitor, review, { 'Column 7': 'amount' });
  expect(form.text).toContain('Your files: export.csv.');
  const second = await reconciled(visitor, path, form.path);
  expect(second.text).not.toContain('Amounts were not compared');
  expect(second.text.match(/<mark>7\d+\.50/g)).toHaveLength(8);
  // What was found before stays as it was found.
  expect((await visitor.get(first.path)).text).toContain('Amounts were not compared');

  const next = await reconciled(visitor, path, `${path}/reconcile`, content);
  expect(next.text).not.toContain('Amounts were not compared');
  await visitor.get(`${path}/reconcile`);
  const known = await visitor.upload(`${path}/reconcile`, [{ name: 'december.csv', content }], {
    ...days,
    do: 'mapping',
  });
  const told = await question(visitor, known.path);
  expect(told.text).toContain('It is read with the remembered mapping');
  const list = await visitor.get('/mappings');
  expect(list.text).toContain('Transaction ID, Column 7');
  const mapping = /href="(\/mappings\/[0-9a-f]{64})"/.exec(list.text)?.[1] ?? '';
  expect((await visitor.get(mapping)).text).toContain('exports to compare with');
  await visitor.get(`${mapping}/forget`);
  expect((await visitor.post(`${mapping}/forget`)).text).toContain('Nothing is remembered yet');
});

it('refuses to ask about no file, and about one of somebody else', async () => {
  const { visitor, path } = await openBatch();
  await visitor.get(`${path}/reconcile`);
  const empty = await visitor.upload(`${path}/reconcile`, [], { do: 'mapping' });
  expect([empty.status, empty.text.includes('Choose the export')]).toEqual([422, true]);
  const id = '00000000-0000-0000-0000-000000000000';
  expect((await visitor.get(`${path}/reconcile/${id}/mapping/1`)).status).toBe(404);
  expect((await visitor.post(`${path}/reconcile/${id}/again/1`)).status).toBe(404);
});
