import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { Engine } from '../../src/index.ts';
import type { WordedQuestion } from '../../src/propose/session/question-reason.ts';
import { openDesk } from '../support/cli-desk.ts';
import { configOfDesk, openEngine } from '../support/engine.ts';
import { escapeXml, textRow, workbookParts, zip } from '../support/workbook.ts';
import { type XlsCell, xlsFile } from '../support/xls.ts';

let folder = '';
let paybatch: Engine;
beforeEach(async () => {
  const desk = await openDesk();
  folder = desk.folder;
  paybatch = await openEngine({ ...configOfDesk(desk), reading: { kind: 'customers' } });
});

const styles = `<?xml version="1.0"?><styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">
<fonts><font/><font><strike/></font></fonts>
<fills><fill/><fill><patternFill patternType="solid"><fgColor rgb="FFFFFF00"/></patternFill></fill>
<fill><patternFill patternType="solid"><fgColor rgb="FFD9D9D9"/></patternFill></fill></fills>
<cellXfs><xf/><xf fontId="1"/><xf fillId="1"/><xf fillId="2"/></cellXfs></styleSheet>`;
const [struck, yellow, grey] = [1, 2, 3];

/** The list of a month as a workbook; the rows of these numbers have these styles. */
async function list(month: string, looks: Readonly<Record<number, number>>): Promise<string> {
  const columns = ['A', 'B', 'C', 'D', 'E'];
  const rows = Array.from({ length: 12 }, (_, at) => {
    const cells = [
      `KD-${month === 'june' ? 1 : 2}${at + 100}`,
      'Lena',
      `Vogel${month}`,
      `l${at}.${month}@post.example`,
      `+49301234${(month === 'june' ? 100 : 300) + at}`,
    ];
    const xml = cells.map(
      (cell, index) =>
        `<c r="${columns[index]}${at + 2}" s="${looks[at + 2] ?? 0}" t="inlineStr"><is><t>${escapeXml(cell)}</t></is></c>`,
    );
    return `<row r="${at + 2}">${xml.join('')}</row>`;
  });
  const header = textRow(1, ['Kd-Nr', 'Vorname', 'Nachname', 'E-Mail', 'Telefon']);
  const parts = workbookParts({ sheets: [{ name: 'Liste', rows: header + rows.join('') }], formats: [0] });
  const path = join(folder, `${month}.xlsx`);
  await writeFile(
    path,
    zip(parts.map((part) => (part.name === 'xl/styles.xml' ? { ...part, data: styles } : part))),
  );
  return path;
}

/** The same list with grey lines above the rows and between them, which are in the column of references. */
async function dividedList(looks: Readonly<Record<number, number>>): Promise<string> {
  const cell = (text: string, place: string, style: number): string =>
    `<c r="${place}" s="${style}" t="inlineStr"><is><t>${escapeXml(text)}</t></is></c>`;
  const lines = Array.from({ length: 14 }, (_, at) => {
    const number = at + 2;
    if (at % 7 === 0)
      return `<row r="${number}">${cell(`FILIALE 0${1 + at / 7} NORD`, `A${number}`, grey)}</row>`;
    const cells = [`KD-7${at + 10}`, 'Lena', 'Vogelherd', `l${at}@post.example`, `+49301235${at + 100}`];
    const own = cells.map((text, index) => cell(text, `${'ABCDE'[index]}${number}`, looks[number] ?? 0));
    return `<row r="${number}">${own.join('')}</row>`;
  });
  const last = `<row r="16">${cell('Summe Filiale 2: 6 Kunden', 'A16', 0)}</row>`;
  const header = textRow(1, ['Kd-Nr', 'Vorname', 'Nachname', 'E-Mail', 'Telefon']);
  const rows = header + lines.join('') + last;
  const parts = workbookParts({ sheets: [{ name: 'Liste', rows }], formats: [0] });
  const path = join(folder, 'divided.xlsx');
  await writeFile(
    path,
    zip(parts.map((part) => (part.name === 'xl/styles.xml' ? { ...part, data: styles } : part))),
  );
  return path;
}

/** Leads the dialogue, and returns what it asked about marked rows. */
async function agree(
  file: string,
  said: Readonly<Record<string, string>>,
): Promise<readonly WordedQuestion[]> {
  const asked: WordedQuestion[] = [];
  const answer = (question: WordedQuestion): unknown => {
    if (question.reason.code !== 'rows_marked') return 'accept';
    asked.push(question);
    return { values: said };
  };
  await paybatch.mapping({ file, answer, stem: file }).result;
  return asked;
}

it('leaves out and holds marked rows as a person has said, and asks about new marks of the next file only', async () => {
  const june = await list('june', { 4: struck, 9: struck, 6: yellow });
  const asked = await agree(june, { 'struck through': 'leave_out', 'yellow FFFF00': 'hold' });
  expect(asked).toMatchObject([
    {
      kind: 'values',
      field: 'marked_rows',
      values: [
        { value: 'struck through', rows: 2, proposal: 'hold' },
        { value: 'yellow FFFF00', rows: 1, proposal: 'hold' },
      ],
    },
  ]);
  const { batches } = await paybatch.import({ files: [june] }).result;
  expect(batches[0]?.counts).toEqual({ created: 9, held: 1 });
  const results = await readFile(batches[0]?.files.results ?? '', 'utf8');
  expect(results).toContain('marked_row');

  const july = await list('july', { 3: struck, 8: yellow });
  expect(await agree(july, {})).toEqual([]);
  expect((await paybatch.import({ files: [july] }).result).batches[0]?.counts).toEqual({
    created: 10,
    held: 1,
  });
});

it('sends nothing of a file whose rows are marked in a way that no person has explained', async () => {
  const june = await list('june', { 4: struck });
  await agree(june, { 'struck through': 'leave_out' });
  const july = await list('july', { 3: struck, 8: yellow });
  await expect(paybatch.import({ files: [july] }).result).rejects.toMatchObject({
    code: 'mapping_open',
    message: expect.stringContaining('yellow FFFF00 (row 8)'),
  });
  expect(await agree(july, { 'yellow FFFF00': 'send' })).toHaveLength(1);
  expect((await paybatch.import({ files: [july] }).result).batches[0]?.counts).toEqual({ created: 11 });
});

it('asks about the marks that it would refuse a file for, and about none of headings', async () => {
  const file = await dividedList({ 5: yellow, 12: yellow });
  const asked = await agree(file, { 'yellow FFFF00': 'leave_out' });
  expect(asked).toMatchObject([{ values: [{ value: 'yellow FFFF00', rows: 2 }] }]);
  const { batches } = await paybatch.import({ files: [file] }).result;
  expect(batches[0]?.counts).toEqual({ created: 10 });
});

it('lists the marks as open where no person is asked', async () => {
  const { proposal } = await paybatch.mapping({ file: await list('june', { 4: struck }) }).result;
  expect(proposal?.reading.mapping.open?.map(({ about }) => about)).toContain('marked_rows');
});

it('keeps a row held whose failed file is imported again', async () => {
  const june = await list('june', { 6: yellow });
  await agree(june, { 'yellow FFFF00': 'hold' });
  const { batches } = await paybatch.import({ files: [june] }).result;
  const failed = batches[0]?.files.failed ?? '';
  const again = await paybatch.import({ files: [failed] }).result;
  expect(again.batches.map(({ counts }) => counts)).toContainEqual({ held: 1 });
});

it('asks about the colours and strikes of an .xls file too, and sends its rows as a person has said', async () => {
  const rows = Array.from({ length: 12 }, (_, at): readonly XlsCell[] => {
    const cells = [`KD-3${at + 100}`, 'Lena', 'Vogelmai', `l${at}.mai@post.example`, `+49301234${at + 500}`];
    const style = at === 2 || at === 7 ? 0 : at === 4 ? 1 : undefined;
    return cells.map((text) => (style === undefined ? text : [text, style]));
  });
  const header = ['Kd-Nr', 'Vorname', 'Nachname', 'E-Mail', 'Telefon'];
  const path = join(folder, 'may.xls');
  const sheets = [{ name: 'Liste', rows: [header, ...rows] }];
  await writeFile(path, xlsFile({ sheets, styles: [{ isStruck: true }, { fill: 13 }] }));
  const asked = await agree(path, { 'struck through': 'leave_out', 'yellow FFFF00': 'hold' });
  expect(asked).toMatchObject([
    {
      field: 'marked_rows',
      values: [
        { value: 'struck through', rows: 2, proposal: 'hold' },
        { value: 'yellow FFFF00', rows: 1, proposal: 'hold' },
      ],
    },
  ]);
  const { batches } = await paybatch.import({ files: [path] }).result;
  expect(batches[0]?.counts).toEqual({ created: 9, held: 1 });
});
