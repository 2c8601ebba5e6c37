import { describe, expect, it } from 'vitest';
import { ods, odsRow, odsSheet, odsText } from '../read/workbook/ods/archive.ts';
import { openDesk } from '../support/cli-desk.ts';
import { textRow, workbook } from '../support/workbook.ts';

const header = ['Kd-Nr', 'Vorname', 'Nachname', 'E-Mail', 'Telefon'];
const rows = [
  ['K-77', 'Lena', 'Vogel', 'lena@post.example', '+4930123456'],
  ['K-92', 'Jonas', 'Krause', 'jonas@post.example', '+4930123457'],
];
const lines = [header, ...rows];

const xml = (all: readonly (readonly string[])[]): string =>
  all.map((cells, at) => textRow(at + 1, cells)).join('');
const odsLine = (cells: readonly string[]): string => odsRow(cells.map((cell) => odsText(cell)).join(''));

const files: readonly (readonly [string, string | Buffer])[] = [
  ['Liste Nov.csv', `${lines.map((cells) => cells.join(';')).join('\r\n')}\r\n`],
  ['titled.csv', `Kunden November;;;;\r\n;;;;\r\n${lines.map((cells) => cells.join(';')).join('\r\n')}\r\n`],
  [
    'two sheets.xlsx',
    workbook({
      sheets: [
        { name: 'Hinweise', rows: xml([['Bitte nur das zweite Blatt'], ['senden']]) },
        { name: 'Kunden 11', rows: xml(lines) },
      ],
    }),
  ],
  ['liste.ods', ods({ sheets: odsSheet(lines.map(odsLine).join(''), 'Kunden 11') })],
  [
    'filtered.xlsx',
    workbook({
      sheets: [{ name: 'Kunden', rows: xml(lines).replace('<row r="3">', '<row r="3" hidden="1">') }],
    }),
  ],
];

/** The last command that was printed, as a shell takes it apart. */
function printedCommand(text: string, name: string): string[] {
  const [, line = ''] = [...text.matchAll(new RegExp(`paybatch (${name} .+)$`, 'gm'))].at(-1) ?? [];
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

describe('the commands that are printed after a mapping', () => {
  it.each(files)('work as they are printed: %s', async (name, content) => {
    const desk = await openDesk();
    const file = await desk.write(name, content);
    const proposed = await desk.run(['mapping', file]);
    expect(proposed.exitCode, proposed.stderr).toBe(0);
    await desk.write('mapping.json', proposed.stdout);
    const check = printedCommand(proposed.stderr, 'validate');
    expect(check[1]).toBe(file);
    const checked = await desk.run(check);
    expect(checked.exitCode, checked.stdout + checked.stderr).toBe(0);
    const importing = printedCommand(checked.stdout, 'import');
    const refused = await desk.run(importing);
    expect(refused.exitCode, refused.stdout + refused.stderr).toBe(3);
    expect(refused.stderr).toContain('reading: No person has looked at this reading yet');
    // A person has read it.
    const { open: _, ...confirmed } = JSON.parse(proposed.stdout);
    await desk.write('mapping.json', JSON.stringify(confirmed));
    const sent = await desk.run(importing);
    expect(sent.exitCode, sent.stdout + sent.stderr).toBe(0);
    expect(sent.stdout).toContain('created');
  });
});
