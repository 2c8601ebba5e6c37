import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { InstructionSheets } from '../../../src/account/objects/handed-over.ts';
import type { CreatedObject } from '../../../src/domain/rows/result-row.ts';
import { sampleRow } from '../sample-rows.ts';
import { temporaryFolder } from '../temporary-folder.ts';

function payer(
  row: number,
  changes: Partial<CreatedObject['row']> = {},
  contradiction: string | null = null,
): CreatedObject {
  const values = {
    client_reference: `INV-${row}`,
    amount: '2500.00',
    currency: 'KES',
    instruction: '<p>Dial <b>*334#</b></p>',
  };
  return {
    row: sampleRow({ row, ...changes }),
    reference: `INV-${row}`,
    own: [],
    facts: { values, notes: [] },
    contradiction,
  };
}

async function sheetsOf(objects: readonly CreatedObject[], isLive = true): Promise<string> {
  const path = join(temporaryFolder(), 'x.instructions.html');
  const sheets = new InstructionSheets(path, { file: 'bills.csv', isLive });
  await sheets.write(objects);
  expect(await sheets.publish()).toBe(path);
  return readFile(path, 'utf8');
}

it('each payer has a sheet of their own, and a place in the index before it', async () => {
  const page = await sheetsOf([payer(2), payer(3), payer(4, { sameAs: 3 })]);
  const [index = '', ...sheets] = page.split('<article ');
  expect(index.match(/<a href="#row-\d+">/g)).toEqual(['<a href="#row-2">', '<a href="#row-3">']);
  expect(sheets.map((sheet) => /^id="(row-\d+)"/.exec(sheet)?.[1])).toEqual(['row-2', 'row-3']);
  expect(index).toMatch(/article \{[^}]*break-before: page/);
  expect(page).not.toContain('Do not hand out');
  // Nothing is loaded and nothing runs, whatever an instruction brings along.
  expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline';`);
  expect(page).not.toMatch(/<(script|link|img|iframe|form|base)\b/);
});

it('a sheet whose answer contradicts what was sent is not to be handed out, and the index says so', async () => {
  const message = 'created, but the answer contradicts what was sent: amount (sent 100, answered <1000>)';
  const page = await sheetsOf([payer(2), payer(3, {}, message)]);
  const [index = '', right = '', contradicted = ''] = page.split('<article ');
  expect(index.match(/<tr>.*do not hand out/g)).toHaveLength(1);
  expect(index).toMatch(/row-3.*do not hand out/);
  expect(right).not.toContain('hand out');
  expect(contradicted).toMatch(/Do not hand out before it is looked at: .*answered &lt;1000&gt;/);
  expect(contradicted.indexOf('Do not hand out')).toBeLessThan(contradicted.indexOf('How to pay'));
});

it('every sheet of a sandbox batch says that it is a test, on each printed page, and none of a live one', async () => {
  const said = 'Do not pay: no money arrives';
  const test = await sheetsOf([payer(2), payer(3)], false);
  const parts = test.split('<article ');
  expect(parts.map((part) => part.split(said).length - 1)).toEqual([1, 1, 1]);
  // Printers repeat what is fixed on every page.
  expect(test).toMatch(/\.watermark \{[^}]*position: fixed/);
  expect(test).toContain('<p class="watermark" aria-hidden="true">TEST</p>');
  expect(test).toContain('<title>TEST: ');
  const live = await sheetsOf([payer(2), payer(3)]);
  expect(live.replace(/<style>.*<\/style>/s, '')).not.toMatch(/test|watermark|sandbox/i);
});
