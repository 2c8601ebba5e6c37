import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { csvOf, customer } from '../../support/cli-files.ts';
import { openConsole, type Shown, startOn, uploadAndCheck, Visitor } from '../../support/console.ts';
import { workbook } from '../../support/workbook.ts';
import {
  beginMapping,
  fieldsOf,
  genders,
  headingOf,
  list,
  meaningsIn,
  open,
  say,
  sayAll,
} from './mapping-steps.ts';

describe.each(inject('ledgers'))('a file with unknown columns, on the %s ledger', (ledger) => {
  it('is read as a person says, from upload to its plan, and the next one needs no question', async () => {
    const { visitor, desk } = await openConsole({ ledger });
    const first = await beginMapping(visitor);
    expect(headingOf(first)).toBe('How the file is read');
    expect(first.text).toContain('would pass');
    const plan = await sayAll(visitor, first);
    expect(plan.path).toMatch(/^\/batches\//);
    expect(plan.text).toContain('Send 5 rows');
    const [upload = ''] = await readdir(join(desk.folder, 'uploads'));
    expect(await readdir(join(desk.folder, 'uploads', upload, '1'))).toEqual([
      'list _b_.csv',
      'list _b_.mapping.json',
    ]);
    const next = await uploadAndCheck(visitor, [{ name: 'dec.csv', content: list(['W', 'M'], 'dec') }]);
    expect(next.text).toContain('Send 2 rows');
    expect((await visitor.get('/mappings')).text).toContain('list _b_');
  });
});

it('shows titles, values and names as text', async () => {
  const { visitor } = await openConsole();
  const first = await beginMapping(visitor);
  expect(first.text).toContain('&lt;script&gt;alert(1)');
  expect(first.text).toContain('&lt;img src=x');
  expect(first.text).not.toMatch(/<script>alert|<img/);
  const table = await visitor.get(`${first.path}/table`);
  expect(table.text).toContain('&lt;img src=x');
  expect(table.text).not.toMatch(/<script>alert|<img/);
});

it('goes back, and refuses what is not possible', async () => {
  const { visitor } = await openConsole();
  const first = await beginMapping(visitor);
  const second = await say(visitor, first);
  expect(headingOf(second)).toBe('What do the values of &quot;Geschlecht&quot; mean?');
  const back = await visitor.post(second.path, { ...fieldsOf(second), do: 'back' });
  expect(headingOf(await open(visitor, back.path))).toBe('How the file is read');
  const again = await open(visitor, back.path);
  const wrong = await visitor.post(again.path, { ...fieldsOf(again), 'field.0': 'no_such_field' });
  expect([wrong.status, wrong.text.includes('That answer is not possible')]).toEqual([409, true]);
  expect(headingOf(wrong)).toBe('How the file is read');
  expect(headingOf(await say(visitor, wrong))).toBe(headingOf(second));
});

it('shows the whole reading again after a column was changed, and leaves out an ignored column', async () => {
  const { visitor } = await openConsole();
  const first = await beginMapping(visitor);
  const at = /id="column-(\d+)">E-Mail/.exec(first.text)?.[1] ?? '';
  let shown = await say(visitor, first, { [`field.${at}`]: 'ignore' });
  shown = await say(visitor, shown, meaningsIn(shown));
  expect(headingOf(shown)).toBe('How the file is read');
  expect(shown.text).toContain('Show what would be sent');
  expect(fieldsOf(shown)[`field.${at}`]).toBe('ignore');
  const plan = await sayAll(visitor, shown);
  expect(plan.text).toContain('Send 5 rows');
});

it('shows the present question in a second tab, and takes no answer to one that is over', async () => {
  const { visitor } = await openConsole();
  const first = await beginMapping(visitor);
  const tab = await visitor.get(first.path);
  expect(tab.text).toContain(`name="turn" value="${fieldsOf(first)['turn']}"`);
  const second = await say(visitor, first);
  const late = await visitor.post(tab.path, { ...fieldsOf(tab), 'field.0': 'ignore', do: 'answer' });
  expect(late.status).toBe(409);
  expect(late.text).toMatch(/<section class="problem" role="alert"><p [^>]*>[^<]*not open any more/);
  expect([headingOf(late), fieldsOf(late)['turn']]).toEqual([headingOf(second), fieldsOf(second)['turn']]);
});

it('starts again after the questions were stopped, and says so', async () => {
  const { visitor } = await openConsole();
  const first = await beginMapping(visitor);
  const second = await say(visitor, first);
  const fields = fieldsOf(second);
  const stopped = await visitor.post(`${second.path}/stop`);
  expect(stopped.path).toBe(`${second.path}/stopped`);
  expect(headingOf(stopped)).toBe('Stopped: nothing was kept');
  expect(stopped.text).toContain('Your answers are deleted, and no row was taken in or sent by them.');
  expect(stopped.text).toContain('href="/">To do</a>');
  expect(stopped.text).toContain('Upload and check');
  expect(stopped.text).not.toContain('Say how the file is read');
  const late = await visitor.post(second.path, { ...fields, do: 'answer' });
  expect([late.status, late.text.includes('begin anew')]).toEqual([409, true]);
  expect(headingOf(late)).toBe('How the file is read');
});

it('is in the work list while questions are open, and can be continued or discarded', async () => {
  const { visitor, desk } = await openConsole();
  const first = await beginMapping(visitor);
  expect((await visitor.get('/')).text).toContain('0 of at least 2 questions answered');
  const second = await say(visitor, first);
  const todo = await visitor.get('/');
  expect(todo.text).toContain('Files with open questions');
  expect(todo.text).toContain('1 of at least 2 questions answered');
  expect(todo.text).toContain(`href="${first.path}">Go on</a>`);
  expect(headingOf(await open(visitor, first.path))).toBe(headingOf(second));
  const again = await visitor.upload('/uploads', [{ name: 'same.csv', content: list(genders) }]);
  expect([again.path, again.status]).toEqual([`${first.path}?dropped=again`, 200]);
  expect(again.text).toMatch(/<section class="note" role="status"><p [^>]*>This file is here already/);
  expect(headingOf(again)).toBe(headingOf(second));
  const kept = await readdir(join(desk.folder, 'uploads'));
  expect(kept.filter((name) => name !== 'open-questions')).toHaveLength(1);
  await visitor.get('/');
  const discarded = await visitor.post(`${first.path}/stop?from=list`);
  expect(discarded.path).toBe('/');
  expect(discarded.text).not.toContain('Files with open questions');
  const fresh = await visitor.upload('/uploads', [{ name: 'same.csv', content: list(genders) }]);
  expect(fresh.path).not.toBe(first.path);
});

it('continues with the answers after a restart of the console', async () => {
  const world = await openConsole();
  const first = await beginMapping(world.visitor);
  const second = await say(world.visitor, first);
  await world.console.close();
  const visitor = new Visitor((await startOn(world)).url, world.visitor.cookie);
  const todo = await visitor.get('/');
  expect(todo.text).toContain('1 of at least 2 questions answered');
  expect(todo.text).toContain(`href="${first.path}">Go on</a>`);
  const shown = await open(visitor, first.path);
  expect(headingOf(shown)).toBe(headingOf(second));
  expect((await sayAll(visitor, shown)).text).toContain('Send 5 rows');
  expect((await visitor.get('/')).text).not.toContain('Files with open questions');
});

it('keeps the answers where an error ends the questions, and goes back behind the last one or begins anew', async () => {
  const { visitor, desk } = await openConsole();
  const first = await beginMapping(visitor);
  const values = await say(visitor, first);
  const last = await say(visitor, values, meaningsIn(values));
  expect(last.text).toContain('Show what would be sent');
  const [upload = ''] = await readdir(join(desk.folder, 'uploads'));
  const folder = join(desk.folder, 'uploads', upload, '1');
  // The mapping cannot be written.
  await rename(folder, `${folder}-away`);
  const failed = await say(visitor, last);
  expect(headingOf(failed)).toBe('The file cannot be read');
  expect(failed.text).toContain('Your answers are kept');
  expect((await visitor.get('/')).text).toMatch(/3 (?:of at least \d )?questions answered/);
  await rename(`${folder}-away`, folder);
  const before = await visitor.post(`${first.path}/again?without=last`);
  const again = await open(visitor, before.path);
  expect(again.text).toContain('Show what would be sent');
  const plan = await sayAll(visitor, again);
  expect(plan.text).toContain('Send 5 rows');
  const edited = await open(visitor, `${first.path}?again=yes`);
  await say(visitor, edited);
  const anew = await visitor.post(`${first.path}/again?without=all`);
  expect(headingOf(await open(visitor, anew.path))).toBe('How the file is read');
  expect((await visitor.get('/')).text).toContain('0 of at least');
});

it('counts the rows that pass anew once customers were created, and where a person asks for it', async () => {
  const { visitor } = await openConsole();
  const person = customer(1);
  const payees = `payee_type;Kd-Nr;Kontoinhaber;IBAN;Notiz\r\nsepa;${person['external_id']};Vogel, Lena;DE89370400440532013000;x\r\n`;
  const before = await beginMapping(visitor, 'payees.csv', payees);
  const refused = 'no customer “C-1” was created here before';
  expect(before.text).toContain(refused);
  const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf([person]) }]);
  await visitor.get(path);
  const { path: call } = await visitor.post(`${path}/resume`);
  await visitor.until(call, ({ text }) => !text.includes('id="progress"'));
  const after = await open(visitor, before.path);
  expect(headingOf(after)).toBe(headingOf(before));
  expect(after.text).not.toContain(refused);
  const again = await visitor.post(`${before.path}/again`);
  expect(headingOf(await open(visitor, again.path))).toBe(headingOf(before));
  const late = await visitor.post(before.path, { ...fieldsOf(after), do: 'answer' });
  expect([late.status, late.text.includes('not open any more')]).toEqual([409, true]);
});

it('reads another line as the header, and says where there is none', async () => {
  const { visitor } = await openConsole();
  const first = await beginMapping(visitor, 'list.csv', `Liste;;;;;\r\n${list(genders)}`);
  const table = await visitor.get(`${first.path}/table`);
  expect(table.text).toContain('name="row" value="2" checked');
  const other = await visitor.post(`${first.path}/table`, {
    ...fieldsOf(table),
    sheet: '0',
    row: '3',
    kind: 'customers',
  });
  const review = await open(visitor, other.path);
  expect(review.text).toContain('row 3');
  const nowhere = await visitor.post(`${first.path}/table`, {
    ...fieldsOf(review),
    sheet: '0',
    row: '99',
    kind: 'customers',
  });
  expect([nowhere.status, nowhere.text.includes('there is no such row')]).toEqual([409, true]);
  const last = await visitor.post(`${first.path}/table`, {
    ...fieldsOf(review),
    sheet: '0',
    row: '7',
    kind: 'customers',
  });
  expect((await open(visitor, last.path)).status).toBe(200);
  const tableAgain = await visitor.get(`${first.path}/table`);
  const back = await visitor.post(`${first.path}/table`, {
    ...fieldsOf(tableAgain),
    sheet: '0',
    row: '2',
    kind: 'customers',
  });
  const plan = await sayAll(visitor, await open(visitor, back.path));
  expect(plan.text).toContain('Send 5 rows');
});

it('proposes the earlier answers where the reading is edited', async () => {
  const { visitor } = await openConsole();
  const plan = await sayAll(visitor, await beginMapping(visitor));
  const again = await open(visitor, (await visitor.get(`${plan.path}/mapping`)).path);
  expect(headingOf(again)).toBe('How the file is read');
  const values = await say(visitor, again);
  const at = /id="value-(\d+)">W</.exec(values.text)?.[1] ?? '';
  expect(fieldsOf(values)[`value.${at}`]).toBe('word:female');
  const changed = await say(visitor, values, { ...meaningsIn(values), [`value.${at}`]: 'refuse' });
  const other = await sayAllAsShown(visitor, changed);
  expect(other.text).toContain('Send 3 rows');
  // As after an answer that was lost: what was agreed to leads on to its plan.
  const [address = ''] = again.path.split('?');
  const led = await visitor.until(address, ({ text }) => !text.includes('id="progress"'));
  expect(led.text).toContain('Send 3 rows');
  const next = await uploadAndCheck(visitor, [{ name: 'dec.csv', content: list(['M'], 'dec') }]);
  const [known = ''] = (await visitor.get(`${next.path}/mapping`)).path.split('?');
  await visitor.post(`${known}/stop`);
  expect(headingOf(await open(visitor, known))).toBe('Nothing in this file is new');
});

/** Accepts everything as it is shown. */
async function sayAllAsShown(visitor: Visitor, first: Shown): Promise<Shown> {
  let shown = first;
  while (shown.text.includes('name="turn"')) shown = await say(visitor, shown);
  return visitor.until(shown.path, ({ text }) => !text.includes('id="progress"'));
}

it('accepts no invalid country, and reports a missing choice', async () => {
  const { visitor } = await openConsole();
  const phones = ['0712345001', '0712345002', '0712345003'];
  const rows = phones.map((phone, at) => `${at};Amina;Otieno${at};${phone}`);
  const first = await beginMapping(
    visitor,
    'phones.csv',
    `Emp No;Given name;Family name;Mobile\r\n${rows.join('\r\n')}\r\n`,
  );
  const asked = await say(visitor, first);
  expect(headingOf(asked)).toBe('Of which country are the phone numbers without +?');
  const nothing = await visitor.post(asked.path, { ...fieldsOf(asked), do: 'answer', text: ' ' });
  expect([nothing.status, nothing.text.includes('nothing was chosen')]).toEqual([409, true]);
  const wrong = await visitor.post(asked.path, { ...fieldsOf(nothing), do: 'answer', text: 'Kenya' });
  expect([wrong.status, wrong.text.includes('a country is its two letters')]).toEqual([409, true]);
  const plan = await sayAll(visitor, await say(visitor, wrong, { text: 'KE' }));
  expect(plan.text).toContain('Send 3 rows');
});

it('lets a person choose among the sheets of a workbook by their first lines', async () => {
  const { visitor } = await openConsole();
  const sheet = (name: string, count: number): { name: string; rows: string } => ({
    name,
    rows: [
      ['Mitarbeiter GmbH'],
      ['Personal-Nr', 'Vorname', 'Nachname', 'E-Mail'],
      ...Array.from({ length: count }, (_, at) => [
        `${name}-${at}`,
        'Lena',
        `Vogel${at}`,
        `l${at}.${name}@post.example`,
      ]),
    ]
      .map((cells, at) => sheetRow(at + 1, cells))
      .join(''),
  });
  const content = workbook({ sheets: [sheet('Mai', 4), sheet('Juni', 3)] });
  const first = await beginMapping(visitor, 'staff.xlsx', content);
  const asked = await say(visitor, first);
  expect(headingOf(asked)).toBe('Which sheet has the rows?');
  const other = /href="([^"]+\/table\?sheet=\d)">Juni/.exec(asked.text)?.[1] ?? '';
  const shown = await visitor.get(other);
  expect(shown.text).toContain('Juni-0');
  // Its own header is proposed, and its own place is named.
  expect(shown.text).toContain('name="row" value="2" checked');
  expect(shown.text).toMatch(/<dd>Juni<\/dd>.*<dd>row 2<\/dd>/);
  const fields = { ...fieldsOf(shown), sheet: other.slice(-1), kind: 'customers' };
  const placed = await open(visitor, (await visitor.post(`${first.path}/table`, fields)).path);
  expect([headingOf(placed), placed.text.includes('<dd>Juni</dd>')]).toEqual(['How the file is read', true]);
  const plan = await sayAll(visitor, placed);
  expect(plan.text).toContain('Send 3 rows');
});

function sheetRow(number: number, cells: readonly string[]): string {
  const written = cells.map(
    (cell, at) => `<c r="${String.fromCharCode(65 + at)}${number}" t="inlineStr"><is><t>${cell}</t></is></c>`,
  );
  return `<row r="${number}">${written.join('')}</row>`;
}

it('asks which of several files is meant', async () => {
  const { visitor } = await openConsole();
  const refused = await uploadAndCheck(visitor, [
    { name: 'one.csv', content: list(genders) },
    { name: 'two.csv', content: list(genders, 'dec') },
  ]);
  // What is refused leads to its own file.
  const [first, second] = [...refused.text.matchAll(/href="(\/uploads\/[^"]+\/mapping)\/(\d)"/g)];
  expect([first?.[2], second?.[2]]).toEqual(['1', '2']);
  const address = first?.[1] ?? '';
  const which = await visitor.get(address);
  expect(which.text).toContain('two.csv');
  expect(headingOf(await open(visitor, `${address}/2`))).toBe('How the file is read');
  expect((await visitor.get(`${address}/3`)).status).toBe(404);
});
