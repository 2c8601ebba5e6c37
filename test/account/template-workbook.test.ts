import { afterEach, describe, expect, it } from 'vitest';
import { templateCsv, templateWorkbook } from '../../src/account/template-workbook.ts';
import { unprotectCell } from '../../src/domain/tables/table.ts';
import { definitionsOf, kinds } from '../../src/kinds/registry.ts';
import { templateOf } from '../../src/kinds/template.ts';
import { readAll, removeTemporaryFiles } from '../read/reading.ts';
import { unzip } from './template/unzip.ts';

afterEach(removeTemporaryFiles);

const templates = kinds.flatMap((kind) => [
  templateOf(kind, null),
  ...definitionsOf(kind).flatMap(({ payeeType }) =>
    payeeType === null ? [] : [templateOf(kind, payeeType)],
  ),
]);

describe('a template', () => {
  it.each(templates.map((template) => [template.name, template] as const))(
    '%s reads back as it was written, as CSV and as a workbook',
    async (_, template) => {
      const names = template.columns.map(({ name }) => name);
      const [csv] = (await readAll(templateCsv(template))).tables;
      expect(csv?.header).toEqual(names);
      expect(csv?.cells.map((row) => row.map(unprotectCell))).toEqual(template.exampleRows);
      const [sheet] = (await readAll(await templateWorkbook(template))).tables;
      expect(sheet).toMatchObject({ sheet: template.kind, header: names });
      const asRead = (cell: string, index: number): string =>
        names[index] === 'amount' ? cell.replace(/\.00$/, '') : cell;
      expect(sheet?.cells).toEqual(template.exampleRows.map((row) => row.map(asRead)));
    },
  );

  it('has notes and drop-down lists, and whole columns of text so that leading zeros stay', async () => {
    const parts = unzip(await templateWorkbook(templateOf('recipients', null)));
    const sheet = parts.get('xl/worksheets/sheet1.xml') ?? '';
    const columns = templateOf('recipients', null).columns;
    expect(sheet.match(/<col /g)).toHaveLength(columns.length);
    const textStyle = /<col min="5" max="5" [^>]*style="(\d+)"/.exec(sheet)?.[1];
    const styles = [
      ...((parts.get('xl/styles.xml') ?? '').split('<cellXfs')[1]?.matchAll(/<xf numFmtId="(\d+)"/g) ?? []),
    ];
    expect(columns[4]?.name).toBe('account_number');
    expect(styles[Number(textStyle)]?.[1]).toBe('49');
    expect(sheet).toMatch(/errorStyle="stop"[^>]*sqref="A2:A10000"><formula1>&#34;bank_account_us,/);
    expect(sheet).toMatch(/showErrorMessage="0" sqref="K2:K10000"/);
    expect(sheet).toContain('state="frozen"');
    expect(parts.get('xl/comments1.xml')?.match(/<comment /g)).toHaveLength(columns.length);
  });

  it('explains every column on a sheet of its own', async () => {
    const bytes = await templateWorkbook(templateOf('customers', null));
    expect((await readAll(bytes)).tables.map(({ sheet }) => sheet)).toEqual(['customers', 'Columns']);
    const sheet = unzip(bytes).get('xl/worksheets/sheet2.xml') ?? '';
    for (const { name, description } of templateOf('customers', null).columns) {
      expect(sheet).toContain(`>${name}<`);
      expect(sheet).toContain(`>${description}<`);
    }
  });

  it('is the same bytes every time', async () => {
    const template = templateOf('accounts', null);
    const [one, other] = [await templateWorkbook(template), await templateWorkbook(template)];
    expect(one.equals(other)).toBe(true);
  });
});
