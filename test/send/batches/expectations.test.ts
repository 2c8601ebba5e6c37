import { expect, it } from 'vitest';
import { type Desk, openDesk } from '../../support/cli-desk.ts';
import { customer } from '../../support/cli-files.ts';
import { textRow, workbook } from '../../support/workbook.ts';

const header = Object.keys(customer(1));

function row(number: number, isHidden = false): string {
  const xml = textRow(number, Object.values(customer(number)));
  return isHidden ? xml.replace('<row ', '<row hidden="1" ') : xml;
}

/** Rows 3 and 5 are hidden, as a filter hides them; a hidden sheet is of a known kind. */
function hiding(desk: Desk, isSheetHidden = false): Promise<string> {
  const rows = textRow(1, header) + row(2) + row(3, true) + row(4) + row(5, true);
  const others = textRow(1, header) + row(12) + row(13);
  const sheets = [
    { name: 'customers', rows: isSheetHidden ? textRow(1, header) + row(2) : rows },
    ...(isSheetHidden ? [{ name: 'Customer', rows: others, state: 'hidden' }] : []),
  ];
  return desk.write('people.xlsx', workbook({ sheets }));
}

it('a file with hidden rows is refused by an import until a person says what is meant', async () => {
  const desk = await openDesk();
  const file = await hiding(desk);
  const refused = await desk.json(['import', file]);
  expect(refused.summary).toMatchObject({ exit_code: 3, batches: [], error: { code: 'hidden_rows' } });
  expect(refused.summary.error?.message).toContain('2 rows are hidden');
  expect(refused.summary.error?.message).toContain('3, 5');
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(0);
  expect((await desk.run(['status'])).stdout).toMatch(/^No batch was imported yet\./);

  const skipped = await desk.run(['import', file, '--hidden', 'skip']);
  expect(skipped.exitCode).toBe(0);
  expect(skipped.stdout).toContain('2 hidden rows: 3, 5; left out');
  expect((await desk.results()).map(({ result_row }) => result_row)).toEqual(['2', '4']);
  expect(await desk.resultText('.report.html')).toContain('2 hidden rows: 3, 5; left out');

  const included = await desk.json(['import', file, '--hidden', 'include']);
  expect(included.summary.batches[0]).toMatchObject({ rows: 4, counts: { existing: 2, created: 2 } });
});

it('a validation names them, and the commands that it prints work as printed', async () => {
  const desk = await openDesk();
  const file = await hiding(desk);
  const { exitCode, stdout } = await desk.run(['validate', file]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('2 hidden rows: 3, 5');
  const commands = stdout.split('\n').filter((line) => line.startsWith('  paybatch import'));
  expect(commands.map((line) => line.slice(line.indexOf('--hidden')))).toEqual([
    '--hidden include',
    '--hidden skip',
  ]);
  expect((await desk.run(commands[1]?.trim().split(' ').slice(1) ?? [])).exitCode).toBe(0);
  const chosen = await desk.run(['validate', file, '--hidden', 'skip']);
  expect(chosen.stdout.match(/paybatch import/g)).toHaveLength(1);
  expect(chosen.stdout).toContain('--hidden skip');
});

it('a plan names them, and is sent only once a person has said that they are meant', async () => {
  const desk = await openDesk();
  const planned = await desk.json(['plan', await hiding(desk)]);
  expect(planned.exitCode).toBe(0);
  expect(planned.stderr).toContain('2 hidden rows: 3, 5');
  const batch = planned.summary.batches[0]?.batch ?? '';
  for (const words of [
    ['submit', batch],
    ['submit', batch, '--hidden', 'skip'],
    ['resume', batch],
  ]) {
    const refused = await desk.json(words);
    expect(refused.summary).toMatchObject({ exit_code: 3, error: { code: 'hidden_rows' } });
  }
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(0);
  expect((await desk.json(['import', 'people.xlsx'])).summary.error?.code).toBe('hidden_rows');
  const sent = await desk.json(['submit', batch, '--hidden', 'include']);
  expect(sent.summary.batches[0]?.counts).toEqual({ created: 4 });
  // What was said once is not asked again.
  expect((await desk.json(['submit', batch])).exitCode).toBe(0);
});

it('a plan that was made with the choice needs no other word', async () => {
  const desk = await openDesk();
  const planned = await desk.json(['plan', await hiding(desk), '--hidden', 'include']);
  const sent = await desk.json(['submit', planned.summary.batches[0]?.batch ?? '']);
  expect(sent.summary.batches[0]?.counts).toEqual({ created: 4 });
});

it('a hidden sheet of a known kind is refused, left out or read in the same way', async () => {
  const desk = await openDesk();
  const file = await hiding(desk, true);
  const refused = await desk.json(['import', file]);
  expect(refused.summary).toMatchObject({ exit_code: 3, error: { code: 'hidden_rows' } });
  expect(refused.summary.error?.message).toContain('sheet "Customer"');
  const skipped = await desk.json(['import', file, '--hidden', 'skip']);
  expect(skipped.stderr).toContain('hidden sheet "Customer" is left out');
  expect(skipped.summary.batches.map(({ sheet, rows }) => [sheet, rows])).toEqual([['customers', 1]]);
  const included = await desk.json(['import', file, '--hidden', 'include']);
  expect(included.summary.batches.map(({ sheet, rows }) => [sheet, rows])).toEqual([
    ['customers', 1],
    ['Customer', 2],
  ]);
});

it('where nothing is hidden, a choice makes no other batch', async () => {
  const desk = await openDesk();
  const rows = textRow(1, header) + row(2);
  const file = await desk.write('people.xlsx', workbook({ sheets: [{ name: 'customers', rows }] }));
  const [first, second] = [
    await desk.json(['import', file]),
    await desk.json(['import', file, '--hidden', 'skip']),
  ];
  expect(second.summary.batches[0]?.batch).toBe(first.summary.batches[0]?.batch);
});
