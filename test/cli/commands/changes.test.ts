import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { CallResult } from '../../../src/account/result.ts';
import { type CommandEnd, jsonSummary } from '../../../src/cli/json/document.ts';
import { type InProcessDesk, type InProcessEnd, openInProcessDesk } from '../reconciling/in-process.ts';

const header = [
  ...[
    'payee_type',
    'customer_external_id',
    'account_name',
    'iban',
    'bank_name',
    'currency',
    'account_owner_type',
  ],
  ...['address_line1', 'city', 'postal_code', 'country', 'amount'],
].join(',');

const ibans = {
  first: 'DE89370400440532013000',
  second: 'DE75512108001245126199',
  third: 'AT611904300234573201',
  fourth: 'NL91ABNA0417164300',
};

function payee(name: string, iban: string, customer = 'C-1', amount = '10.00'): string {
  return `sepa,${customer},${name},${iban},Bank,EUR,individual,Street 1,Berlin,10115,DE,${amount}`;
}

function recipients(...rows: readonly string[]): string {
  return `${[header, ...rows].join('\n')}\n`;
}

function batchOf({ document }: InProcessEnd): CallResult['batches'][number] {
  const [batch] = (document as CallResult).batches;
  if (batch === undefined) throw new Error('no batch');
  return batch;
}

/** Two customers, and what was paid last month. */
async function lastMonth(...rows: readonly string[]): Promise<InProcessDesk> {
  const desk = await openInProcessDesk();
  const customers = 'external_id,first_name,last_name\nC-1,Amina,Otieno\nC-2,Brian,Kamau\n';
  writeFileSync(join(desk.folder, 'customers.csv'), customers);
  writeFileSync(join(desk.folder, 'october.csv'), recipients(...rows));
  expect((await call(desk, 'import', 'customers.csv', 'october.csv')).exitCode).toBe(0);
  return desk;
}

function call(desk: InProcessDesk, ...words: readonly string[]): Promise<InProcessEnd> {
  return desk.call(words);
}

async function month(
  desk: InProcessDesk,
  rows: readonly string[],
  ...words: readonly string[]
): Promise<InProcessEnd> {
  writeFileSync(join(desk.folder, 'november.csv'), recipients(...rows));
  const [command = 'import', ...others] = words;
  return call(desk, command, 'november.csv', ...others);
}

/** The lines of the newest changes file, its header left out. */
function changesText(desk: InProcessDesk): string[] {
  const folder = join(desk.folder, 'results');
  const names = readdirSync(folder).filter((each) => /^november\..*changes\.csv$/.test(each));
  const [newest] = names
    .map((name) => join(folder, name))
    .sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  return newest === undefined ? [] : readFileSync(newest, 'utf8').trim().split('\r\n').slice(1);
}

/** Their first two columns. */
function changesIn(desk: InProcessDesk): string[] {
  return changesText(desk).map((line) => line.split(',').slice(0, 2).join(' '));
}

const oldPayee = payee('Jürgen Müller', ibans.first);

it('reports that a known payee has another account, in any spelling of the name, and sends the row', async () => {
  const desk = await lastMonth(oldPayee);
  const end = await month(desk, [
    payee('Dr. MUELLER Juergen', ibans.second),
    payee('Someone Else', ibans.third),
  ]);
  expect([end.exitCode, batchOf(end).counts]).toEqual([0, { created: 2 }]);
  expect(changesIn(desk)).toEqual(['2 payee_details_changed']);
  const { batches } = jsonSummary(end.document as CommandEnd);
  expect(batches[0]).toMatchObject({ changes: { payee_details_changed: 1 } });
  expect(end.stdout).toContain('1 row pays a known payee at another account.');
  expect(end.stdout).not.toContain(ibans.second);
});

it('reports the same at validate, which stages nothing, and at plan', async () => {
  const desk = await lastMonth(oldPayee);
  const changed = [payee('Juergen Mueller', ibans.second)];
  const checked = await month(desk, changed, 'validate');
  expect(checked.stdout).toContain('What changed since last time');
  expect(changesIn(desk)).toEqual(['2 payee_details_changed']);
  const planned = await month(desk, changed, 'plan');
  expect(planned.stdout).toContain('What changed since last time');
  expect(batchOf(planned).files.changes).toMatch(/november\.[0-9a-f]{8}\.changes\.csv$/);
});

it('says nothing of the same payees next month, nor of new ones', async () => {
  const desk = await lastMonth(oldPayee, payee('Amina Otieno', ibans.second));
  const end = await month(desk, [
    oldPayee,
    payee('Amina Otieno', ibans.second),
    payee('New One', ibans.third),
  ]);
  expect(batchOf(end).counts).toEqual({ created: 1, existing: 2 });
  expect([changesIn(desk), batchOf(end).files.changes]).toEqual([[], null]);
});

it('holds no payee of last month for the spelling of the name', async () => {
  const desk = await lastMonth(oldPayee, payee('Grace Okello', ibans.second, 'C-2'));
  const end = await month(desk, [
    payee('Dr. MUELLER Juergen', ibans.first),
    payee('Grace  Achieng Okello', ibans.second, 'C-2'),
    payee('New One', ibans.third),
  ]);
  expect([end.exitCode, batchOf(end).counts]).toEqual([0, { created: 1, existing: 2 }]);
  const results = readFileSync(batchOf(end).files.results ?? '', 'utf8');
  expect(results.match(/the name is spelled differently in row \d/g)).toHaveLength(2);
  const other = await month(desk, [payee('Peter Kamau', ibans.first), payee('Fifth', ibans.fourth)]);
  expect(batchOf(other).counts).toEqual({ created: 1, held: 1 });
});

it('reports an account of another customer or name, in the ledger and in the file', async () => {
  const desk = await lastMonth(oldPayee);
  await month(desk, [
    payee('Joan Wanjiru', ibans.second),
    payee('John Wanjiru', ibans.second, 'C-2'),
    payee('Jürgen Müller', ibans.first, 'C-2'),
    oldPayee,
  ]);
  expect(changesIn(desk)).toEqual(['2 account_shared', '3 account_shared', '4 account_shared']);
});

it('names both of two rows that share an account once, at validate as well', async () => {
  const desk = await lastMonth(oldPayee);
  const rows = [
    payee('Joan Wanjiru', ibans.second),
    payee('New One', ibans.third),
    payee('John Wanjiru', ibans.second, 'C-2'),
    payee('Someone Else', ibans.first, 'C-2'),
  ];
  const checked = await month(desk, rows, 'validate');
  const told = changesIn(desk);
  expect(told).toEqual([4, 2, 5].map((row) => `${row} account_shared`));
  expect(checked.stdout).toContain('3 rows name accounts of another payee.');
  expect(batchOf(checked).changes).toMatchObject({ counts: { account_shared: 3 } });
  const [, second = ''] = changesText(desk);
  expect(second).toContain(`,John Wanjiru,,${ibans.second},${ibans.second},`);
  await month(desk, rows, 'plan');
  expect(changesIn(desk).toSorted()).toEqual(told.toSorted());
});

it('finds a name of which a part is left out or mistyped', async () => {
  const desk = await lastMonth(
    payee('Grace Achieng Okello', ibans.first),
    payee('Margaret Wambui', ibans.third),
  );
  await month(desk, [payee('Okello Grace', ibans.second), payee('Magraret Wambui', ibans.fourth)]);
  expect(changesIn(desk)).toEqual(['2 payee_details_changed', '3 payee_details_changed']);
});

it('holds these rows on request and sends the others; a person lets them go', async () => {
  const desk = await lastMonth(oldPayee);
  const changed = payee('Jürgen Müller', ibans.second);
  const end = await month(desk, [changed, payee('New One', ibans.third)], 'import', '--changes', 'hold');
  expect([end.exitCode, batchOf(end).counts]).toEqual([5, { created: 1, held: 1 }]);
  const batch = batchOf(end).id ?? '';
  expect(
    (await call(desk, 'resolve', batch, '--row', '2', '--as', 'send', '--note', 'called')).exitCode,
  ).toBe(0);
  expect(batchOf(await call(desk, 'resume', batch)).counts).toEqual({ created: 2 });
  const next = await month(desk, [changed, payee('Fifth', ibans.fourth)], 'import', '--changes', 'hold');
  expect(batchOf(next).counts).toEqual({ created: 1, existing: 1 });
});

it('remembers the verdict that the earlier object is the right one', async () => {
  const desk = await lastMonth(oldPayee);
  const changed = payee('Jürgen Müller', ibans.second);
  const held = batchOf(await month(desk, [changed], 'import', '--changes', 'hold')).id ?? '';
  expect((await call(desk, 'resolve', held, '--row', '2', '--as', 'existing')).exitCode).toBe(0);
  const next = await month(desk, [changed, payee('New One', ibans.third)], 'import', '--changes', 'hold');
  expect(batchOf(next).counts).toEqual({ created: 1, existing: 1 });
});

/** November's failed file with a row that was refused, and what a person makes of it. */
async function corrected(
  desk: InProcessDesk,
  rows: readonly string[],
  edit: (text: string) => string,
): Promise<InProcessEnd> {
  const { failed } = batchOf(await month(desk, rows)).files;
  writeFileSync(join(desk.folder, 'november.csv'), edit(readFileSync(failed ?? '', 'utf8')));
  return call(desk, 'import', 'november.csv');
}

it('says nothing of a row that corrects a refused one', async () => {
  const desk = await lastMonth(oldPayee);
  const rows = [payee('New One', ibans.second), payee('New Two', 'DE00')];
  const end = await corrected(desk, rows, (text) => text.replace('DE00', ibans.third));
  expect([end.exitCode, batchOf(end).counts]).toEqual([0, { created: 1 }]);
  expect(batchOf(end).files.changes).toBeNull();
});

it('compares the rows of a file of which another row corrects a refused one', async () => {
  const desk = await lastMonth(oldPayee, payee('Joan Wanjiru', ibans.second, 'C-2'));
  const changed = [payee('Jürgen Müller', ibans.fourth), payee('Joan Wanjiru', ibans.fourth, 'C-2')];
  const end = await corrected(desk, [payee('New Two', 'DE00')], (text) => {
    const [titles = '', right = ''] = text.replace('DE00', ibans.third).trimEnd().split(/\r?\n/);
    const beside = ','.repeat(titles.split(',').length - header.split(',').length);
    return [titles, right, ...changed.map((row) => `${row}${beside}`), ''].join('\n');
  });
  expect(batchOf(end).counts).toEqual({ created: 3 });
  expect(changesIn(desk).toSorted()).toEqual([
    '3 account_shared',
    '3 payee_details_changed',
    '4 account_shared',
    '4 payee_details_changed',
  ]);
});

it('compares a row that makes a refused one a known payee, of last month or of the same file', async () => {
  for (const known of ['Jürgen Müller', 'New One']) {
    const desk = await lastMonth(oldPayee);
    const rows = [payee('New One', ibans.second), payee('New Two', 'DE00')];
    await corrected(desk, rows, (text) => text.replace('DE00', ibans.third).replaceAll('New Two', known));
    expect(changesIn(desk)).toEqual(['2 payee_details_changed']);
  }
});

/** A month that is planned before the last one is sent: nothing is known of its payees then. */
async function plannedEarly(...rows: readonly string[]): Promise<InProcessDesk> {
  const desk = await lastMonth(payee('Someone Else', ibans.third, 'C-2'));
  expect(batchOf(await month(desk, rows, 'plan')).counts).toEqual({ not_sent: rows.length });
  writeFileSync(join(desk.folder, 'late.csv'), recipients(oldPayee));
  expect((await call(desk, 'import', 'late.csv')).exitCode).toBe(0);
  return desk;
}

it('reports what a month that was planned before the last one changes, once its rows are prepared', async () => {
  const desk = await plannedEarly(payee('MUELLER Juergen', ibans.second), payee('New One', ibans.fourth));
  expect(changesIn(desk)).toEqual([]);
  const end = await month(desk, [payee('MUELLER Juergen', ibans.second), payee('New One', ibans.fourth)]);
  expect([end.exitCode, batchOf(end).counts]).toEqual([0, { created: 2 }]);
  expect(changesIn(desk)).toEqual(['2 payee_details_changed']);
});

it('holds these on request, and lets them go when a person has decided', async () => {
  const rows = [payee('MUELLER Juergen', ibans.second), payee('New One', ibans.fourth)];
  const desk = await plannedEarly(...rows);
  const end = await month(desk, rows, 'import', '--changes', 'hold');
  expect([end.exitCode, batchOf(end).counts]).toEqual([5, { created: 1, held: 1 }]);
  const batch = batchOf(end).id ?? '';
  await call(desk, 'resolve', batch, '--row', '2', '--as', 'send', '--note', 'called');
  expect(batchOf(await call(desk, 'resume', batch, '--changes', 'hold')).counts).toEqual({ created: 2 });
});

it('compares the files of one call, of which the first is sent before the second is prepared', async () => {
  const desk = await lastMonth(payee('Someone Else', ibans.third, 'C-2'));
  writeFileSync(join(desk.folder, 'late.csv'), recipients(oldPayee));
  writeFileSync(join(desk.folder, 'november.csv'), recipients(payee('Jürgen Müller', ibans.second)));
  expect((await call(desk, 'import', 'late.csv', 'november.csv')).exitCode).toBe(0);
  expect(changesIn(desk)).toEqual(['2 payee_details_changed']);
});

it('holds both of two rows of one file that share an account', async () => {
  const desk = await lastMonth(oldPayee);
  const rows = [payee('Joan Wanjiru', ibans.second), payee('John Wanjiru', ibans.second, 'C-2')];
  const end = await month(desk, [...rows, payee('New One', ibans.third)], 'import', '--changes', 'hold');
  expect(batchOf(end).counts).toEqual({ created: 1, held: 2 });
  const batch = batchOf(end).id ?? '';
  const send = ['resolve', batch, '--where', 'code=account_shared', '--as', 'send', '--yes'];
  expect((await call(desk, ...send, '--note', 'a couple')).exitCode).toBe(0);
  expect(batchOf(await call(desk, 'resume', batch, '--changes', 'hold')).counts).toEqual({ created: 3 });
});

it.each(['import', 'submit', 'resume'])(
  'holds on request what was planned without that option, by %s',
  async (command) => {
    const desk = await lastMonth(oldPayee);
    const rows = [payee('Jürgen Müller', ibans.second), payee('New One', ibans.third)];
    const batch = batchOf(await month(desk, rows, 'plan')).id ?? '';
    const about = command === 'import' ? ['november.csv'] : [batch];
    const end = await call(desk, command, ...about, '--changes', 'hold');
    expect([end.exitCode, batchOf(end).counts]).toEqual([5, { created: 1, held: 1 }]);
    expect(batchOf(await call(desk, 'resume', batch)).counts).toEqual({ created: 1, held: 1 });
  },
);

it('proposes the object that has the account, where a row is to be that', async () => {
  const desk = await lastMonth(oldPayee);
  const end = await month(desk, [payee('Someone Else', ibans.first)], 'import', '--changes', 'hold');
  const batch = batchOf(end).id ?? '';
  expect(batchOf(end).counts).toEqual({ held: 1 });
  const resolved = await call(desk, 'resolve', batch, '--row', '2', '--as', 'existing');
  expect([resolved.exitCode, batchOf(resolved).counts]).toEqual([0, { existing: 1 }]);
});

it('remembers a decision about a customer that was new in the same call', async () => {
  const desk = await lastMonth(oldPayee);
  writeFileSync(join(desk.folder, 'new.csv'), 'external_id,first_name,last_name\nC-3,Joan,Wanjiru\n');
  const shared = payee('Joan Wanjiru', ibans.first, 'C-3');
  writeFileSync(join(desk.folder, 'november.csv'), recipients(shared));
  const first = await call(desk, 'import', 'new.csv', 'november.csv', '--changes', 'hold');
  const [, held] = (first.document as CallResult).batches;
  expect(held?.counts).toEqual({ held: 1 });
  await call(desk, 'resolve', held?.id ?? '', '--row', '2', '--as', 'existing');
  const rows = [shared, payee('New One', ibans.third), oldPayee];
  const next = await month(desk, rows, 'import', '--changes', 'hold');
  expect(batchOf(next).counts).toEqual({ created: 1, existing: 2 });
});
