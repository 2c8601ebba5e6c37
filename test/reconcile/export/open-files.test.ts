import { describe, expect, it } from 'vitest';
import type { Kind } from '../../../src/domain/batches/batch.ts';
import type { ExportMapping } from '../../../src/reconcile/export/mapping.ts';
import { type ExportSide, openExportSide } from '../../../src/reconcile/export/open-files.ts';
import { readExportRecords } from '../../../src/reconcile/export/records.ts';

/** Files by name, each with its lines; cells are separated by commas. */
type Files = Readonly<Record<string, readonly string[]>>;

function open(files: Files, mapping: ExportMapping, kind: Kind | null = 'collections'): Promise<ExportSide> {
  return openExportSide(Object.keys(files), mapping, kind, async (path) => {
    const [header = [], ...rows] = (files[path] ?? []).map((line) => line.split(','));
    return {
      contentHash: path,
      tables: [
        {
          sheet: null,
          header,
          async *rows() {
            yield rows.map((cells, at) => ({ number: at + 2, cells }));
          },
        },
      ],
      close: async () => {},
    };
  });
}

async function naturalKeys(side: ExportSide): Promise<(string | null)[]> {
  const keys: (string | null)[] = [];
  for await (const group of readExportRecords(side.tables, 'collections', [])) {
    keys.push(...group.map(({ natural }) => natural));
  }
  return keys;
}

describe('the natural key of an export mapping', () => {
  const columns = { Payer: 'client_customer_id', Value: 'amount' };
  const file = ['id,Payer,Value', 'x,C-1,10.50'];

  it('is made of what columns and constants give', async () => {
    const naturalKey = ['client_customer_id', 'currency', 'amount'];
    const side = await open({ 'a.csv': file }, { columns, constants: { currency: 'KES' }, naturalKey });
    expect(await naturalKeys(side)).toEqual(['["C-1","KES","10.5"]']);
  });

  it('is refused where an export lacks a part of it, since it would match nothing', async () => {
    const naturalKey = ['client_customer_id', 'country'];
    await expect(open({ 'a.csv': file }, { columns, naturalKey })).rejects.toMatchObject({
      kind: 'usage',
      code: 'mapping_invalid',
      message: expect.stringMatching(/country.* but no column of a\.csv/),
    });
    const both = { 'a.csv': ['id,Payer,country', 'x,C-1,KE'], 'b.csv': ['id,Payer', 'y,C-2'] };
    await expect(open(both, { columns: { Payer: 'client_customer_id' }, naturalKey })).rejects.toThrow(
      'b.csv',
    );
  });

  it('takes our reference, which an export has under another name', async () => {
    const side = await open(
      { 'a.csv': ['Our ref,Value', 'R-1,10'] },
      { columns: { 'Our ref': 'reference', Value: 'amount' }, naturalKey: ['client_reference', 'amount'] },
    );
    expect(await naturalKeys(side)).toEqual(['["R-1","10"]']);
  });
});

it('says which of several exports lacks a column by which the others are matched', async () => {
  const files = { 'a.csv': ['id,Payout', 'x,P-1'], 'b.csv': ['id,amount', 'y,1'] };
  const { notes } = await open(files, { columns: { id: 'id', Payout: 'group', amount: 'amount' } });
  expect(notes).toEqual([expect.stringMatching(/^b\.csv: no column of it is group/)]);
});

describe('a column that may be the id', () => {
  it('is named where no column identifies a record', async () => {
    const opening = open({ 'e.csv': ['Payment UUID,Our No.,Value', 'x,1,2'] }, {});
    await expect(opening).rejects.toMatchObject({
      code: 'export_without_key',
      message: expect.stringContaining('“Payment UUID” and “Our No.” look like one'),
      remedies: [{ action: 'advice', text: expect.stringContaining('{"columns": {"Payment UUID": "id"}}') }],
    });
    await expect(open({ 'e.csv': ['Name,Value', 'x,1'] }, {})).rejects.toMatchObject({
      message: 'e.csv: no column of it can tell a record: neither an id nor a reference.',
    });
  });

  it('is named where records have no id', async () => {
    const side = await open({ 'e.csv': ['Txn ID,Client Reference,Amount,Currency', 'x,1,2,KES'] }, {});
    expect(side.notes).toEqual([
      'e.csv: no column is known for the id; “Txn ID” looks like one. Name it in a mapping: {"columns": {"Txn ID": "id"}}.',
    ]);
    const known = await open({ 'e.csv': ['id,Batch ID,Amount,Currency', 'x,1,2,KES'] }, {});
    expect(known.notes).toEqual([]);
  });
});
