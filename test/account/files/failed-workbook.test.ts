import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { FailedWorkbook, type FailedWorkbookOptions } from '../../../src/account/files/failed-workbook.ts';
import { realFileSystem } from '../../../src/disk/file-system.ts';
import type { ResultRow } from '../../../src/domain/rows/result-row.ts';
import { say } from '../../../src/domain/settings/message.ts';
import { unprotectCell } from '../../../src/domain/tables/table.ts';
import { mask } from '../../../src/domain/text/characters.ts';
import { readAll, removeTemporaryFiles } from '../../read/reading.ts';
import { sampleBatch, sampleRow } from '../sample-rows.ts';
import { unzip } from '../template/unzip.ts';
import { temporaryFolder } from '../temporary-folder.ts';

afterEach(removeTemporaryFiles);

async function workbookOf(
  rows: readonly ResultRow[],
  changes: Partial<FailedWorkbookOptions> = {},
): Promise<Buffer> {
  const path = join(temporaryFolder(), 'people.failed.xlsx');
  const workbook = new FailedWorkbook({
    path,
    header: ['name', 'phone'],
    batch: sampleBatch,
    sheet: 'customers',
    choices: [],
    allRows: 'All are in people.failed.csv.',
    files: realFileSystem,
    ...changes,
  });
  await workbook.write(rows);
  expect(await workbook.complete()).toBe(true);
  await workbook.publish();
  return readFileSync(path);
}

const invalid = (cells: readonly string[], ...columns: readonly string[]): ResultRow =>
  sampleRow({
    cells,
    status: 'invalid',
    objectId: null,
    code: 'invalid_phone',
    field: columns[0] ?? null,
    message: 'all of it',
    findings: columns.map((column) => ({
      severity: 'invalid',
      field: column,
      column,
      code: 'invalid_phone',
      message: say`is wrong: ${{ value: mask(cells[1] ?? ''), isMasked: true }}`,
    })),
  });

/** The cell styles of a sheet by place: `B2` to the number of its style. */
function stylesOf(sheet: string): Record<string, string> {
  return Object.fromEntries(
    Array.from(sheet.matchAll(/<c r="([A-Z]+\d+)" s="(\d+)"/g), ([, place = '', style = '']) => [
      place,
      style,
    ]),
  );
}

describe('the failed workbook', () => {
  it('has the message first, in full, then the input’s own columns, and the columns that identify the row', async () => {
    const [sheet, ...others] = (await readAll(await workbookOf([invalid(['Amina', '071234567'], 'phone')])))
      .tables;
    expect(others).toEqual([]);
    expect(sheet).toMatchObject({
      sheet: 'customers',
      header: [
        'result_message',
        'name',
        'phone',
        'result_row',
        'result_status',
        'result_id',
        'result_notes',
        'result_batch',
      ],
      cells: [['phone: is wrong: “071234567”', 'Amina', '071234567', '2', 'invalid', '', '', sampleBatch]],
    });
  });

  it('colours the faulty cells, and says on each what is wrong with it', async () => {
    const held = { ...invalid(['Zoë', '1'], 'name'), status: 'held' as const };
    const parts = unzip(await workbookOf([invalid(['Amina', '071'], 'phone', 'phone'), held]));
    const styles = stylesOf(parts.get('xl/worksheets/sheet1.xml') ?? '');
    expect(styles['C2']).not.toBe(styles['B2']);
    expect(styles['B3']).not.toBe(styles['C2']);
    expect(styles['C3']).toBe(styles['B2']);
    const notes = Array.from(
      (parts.get('xl/comments1.xml') ?? '').matchAll(/<comment ref="(\w+)".*?<\/comment>/gs),
    );
    expect(notes.map(([, place]) => place)).toEqual(['A1', 'C2', 'B3']);
    expect(notes[1]?.[0]).toContain('is wrong: “071”\nis wrong: “071”');
  });

  it('keeps every text as it was, whatever a spreadsheet program would make of it', async () => {
    const cells = ['=1+1', '+254712345678', "'=x", '_x0041_', 'a\nb', '007', '<b>&', ' padded ', '😀', "'"];
    const header = cells.map((_, index) => `c${index}`);
    const [sheet] = (await readAll(await workbookOf([sampleRow({ cells, status: 'rejected' })], { header })))
      .tables;
    expect(sheet?.cells[0]?.slice(1, 1 + cells.length).map(unprotectCell)).toEqual(cells);
  });

  it('writes what XML cannot hold as what is refused, and cuts what a cell cannot hold', async () => {
    const cells = ['a\0b\u0001', 'x'.repeat(40_000)];
    const [sheet] = (await readAll(await workbookOf([sampleRow({ cells, status: 'invalid' })]))).tables;
    expect(sheet?.cells[0]?.[1]).toBe('a\uFFFDb\uFFFD');
    expect(sheet?.cells[0]?.[2]).toHaveLength(32_767);
  });

  it('does not grow: result columns of an earlier round are replaced', async () => {
    const header = ['result_message', 'name', 'result_row', 'result_batch', 'result_comment'];
    const row = sampleRow({ cells: ['old', 'Amina', '7', 'b', 'own'], status: 'invalid' });
    const [sheet] = (await readAll(await workbookOf([row], { header }))).tables;
    expect(sheet?.header.slice(0, 4)).toEqual(['result_message', 'name', 'result_comment', 'result_row']);
    expect(sheet?.cells[0]?.slice(1, 4)).toEqual(['Amina', 'own', '2']);
  });

  it('keeps a cell too many where it is still one too many', async () => {
    const row = sampleRow({ cells: ['Amina', '1', 'surplus'], status: 'invalid' });
    const [sheet] = (await readAll(await workbookOf([row]))).tables;
    expect(sheet?.cells[0]?.at(-1)).toBe('surplus');
    expect(sheet?.cells[0]).toHaveLength((sheet?.header.length ?? 0) + 1);
  });

  it('has the rows for a person first, and behind them in grey those with nothing to correct', async () => {
    const rows = [
      sampleRow({ row: 2, status: 'not_sent', cells: ['Ada', '1'] }),
      { ...invalid(['Ben', '071'], 'phone'), row: 3 },
      sampleRow({
        row: 4,
        status: 'waiting',
        code: 'customer_not_there',
        field: 'name',
        message: 'not there yet',
      }),
      sampleRow({ row: 5, status: 'rejected', code: 'no', message: 'refused' }),
      sampleRow({ row: 6, status: 'unknown' }),
      sampleRow({ row: 7, status: 'invalid', code: 'superseded', message: 'corrected in b.csv' }),
      sampleRow({ row: 8, status: 'held', code: 'account_shared', message: 'whose?' }),
    ];
    const bytes = await workbookOf(rows);
    const [sheet] = (await readAll(bytes)).tables;
    expect(sheet?.cells.map(([message, , , row, status]) => [row, status, message])).toEqual([
      ['3', 'invalid', 'phone: is wrong: “071”'],
      ['5', 'rejected', 'refused'],
      ['8', 'held', 'whose?'],
      ['2', 'not sent', 'nothing to correct: a later run sends it as it is'],
      ['4', 'waiting', 'nothing to correct: a later run tries it again\nname: not there yet'],
      ['6', 'unknown', 'nothing to correct: it was sent, and may exist'],
      ['7', 'invalid', 'corrected in b.csv'],
    ]);
    const parts = unzip(bytes);
    const styles = stylesOf(parts.get('xl/worksheets/sheet1.xml') ?? '');
    const row = styles['D2'];
    expect(['A5', 'A6', 'A7', 'A8'].map((place) => styles[place])).toEqual(Array(4).fill(row));
    expect(styles['A2']).not.toBe(row);
    // What waits is not faulty.
    expect(styles['B6']).toBe(styles['B5']);
    expect(parts.get('xl/comments1.xml')).toContain('Rows with nothing to correct come last');
  });

  it('leaves a row that contradicts an earlier one behind that, for the first one counts', async () => {
    const rows = [
      sampleRow({ row: 2, status: 'rejected', code: 'no' }),
      sampleRow({ row: 3, status: 'invalid', code: 'conflicting_duplicate' }),
      sampleRow({ row: 4, status: 'not_sent' }),
      sampleRow({ row: 5, status: 'invalid', code: 'conflicting_duplicate' }),
      sampleRow({ row: 6, status: 'invalid', code: 'required' }),
    ];
    const [sheet] = (await readAll(await workbookOf(rows))).tables;
    expect(sheet?.cells.map(([, , , row]) => row)).toEqual(['2', '3', '6', '4', '5']);
  });

  it('leaves out what needs nothing before what a person has to correct', async () => {
    const rows = Array.from({ length: 30 }, (_, index) =>
      sampleRow({ row: index + 2, status: index % 10 === 9 ? 'rejected' : 'not_sent' }),
    );
    const { tables } = await readAll(await workbookOf(rows, { mostRows: 5 }));
    expect(tables[1]?.cells.map(([, , , row]) => row)).toEqual(['11', '21', '31', '2', '3']);
  });

  it('ends at the most rows that a person can use, and says so on a sheet that comes first', async () => {
    const rows = Array.from({ length: 1_234 }, (_, index) => invalid([`name ${index}`, '1'], 'phone'));
    const { tables } = await readAll(await workbookOf(rows, { mostRows: 1_000 }));
    expect(tables.map(({ sheet, cells }) => [sheet, cells.length])).toEqual([
      ['Not all rows', 1],
      ['customers', 1_000],
      ['Values', 1],
    ]);
    expect(tables[0]).toMatchObject({
      header: ['result_rows_left_out'],
      cells: [['Only the first 1,000 of 1,234 rows are in this workbook. All are in people.failed.csv.']],
    });
    const withAll = await readAll(await workbookOf(rows, { mostRows: 1_234 }));
    expect(withAll.tables.map(({ sheet }) => sheet)).toEqual(['customers', 'Values']);
  });

  it('offers values in lists, those that are too long for a formula on a sheet of their own', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `Bank No. ${index}, Ltd`);
    const choices = [
      { title: 'name', values: ['a', 'b'], isClosed: true },
      { title: 'phone', values: names, isClosed: false },
      { title: 'gone', values: ['x'], isClosed: false },
    ];
    const bytes = await workbookOf([sampleRow({ status: 'invalid' })], { choices });
    const sheet = unzip(bytes).get('xl/worksheets/sheet1.xml') ?? '';
    expect(sheet).toContain('<dataValidations count="2">');
    expect(sheet).toMatch(/errorStyle="stop"[^>]*sqref="B2:B10000"><formula1>&#34;a,b&#34;</);
    expect(sheet).toContain('sqref="C2:C10000"><formula1>Lists!$A$2:$A$41</formula1>');
    const [, values] = (await readAll(bytes)).tables;
    expect(values?.header).toEqual(['result_values_3']);
    expect(values?.cells.flat()).toEqual(names);
  });

  it('has notes on the first faults only, since each is a drawing; the messages are all there', async () => {
    const rows = Array.from({ length: 3_000 }, () => invalid(['Amina', '071'], 'phone'));
    const bytes = await workbookOf(rows);
    expect(
      unzip(bytes)
        .get('xl/comments1.xml')
        ?.match(/<comment /g),
    ).toHaveLength(2_000);
    const [sheet] = (await readAll(bytes)).tables;
    expect(sheet?.cells).toHaveLength(3_000);
    expect(sheet?.cells.at(-1)?.[0]).toBe('phone: is wrong: “071”');
  });
});
