import { describe, expect, it } from 'vitest';
import { plainReadingRules } from '../../../src/domain/tables/mapping.ts';
import { mapTable } from '../../../src/read/mapping/table-mapping.ts';
import { withEvidence } from '../../../src/read/rows/evidence.ts';
import { header, mapping, tableOf } from './payee-table.ts';

const columns = mapTable({ sheet: null, header }, { kind: 'recipients', mapping, fileName: 'f' });

describe('what the file says of the length of account numbers', () => {
  const account = (bank: string, number: string): string[] => ['C-1', 'Ann', bank, number, '5'];

  it('is the one length of an institution, as far as its numbers are sure', async () => {
    const lines = [
      ...['1000000001', '1000000002', '1000000003', '100000004'].map((number) => account('KCB', number)),
      ...['1000000001', '100000002', '10000003'].map((number) => account('NCBA', number)),
    ];
    const numbers = await withEvidence(
      columns,
      tableOf(lines, new Map([[3, 'number']])),
      plainReadingRules,
      false,
    );
    expect(numbers.accountLengths).toEqual(new Map([['kcb', 10]]));
    const texts = await withEvidence(columns, tableOf(lines), plainReadingRules, false);
    expect(texts.accountLengths).toEqual(new Map());
    const csv = await withEvidence(columns, tableOf(lines), plainReadingRules, true);
    expect(csv).toMatchObject({ isTextOnly: true, accountLengths: new Map([['kcb', 10]]) });
  });

  it('is not asked for where nothing is repaired by it', async () => {
    const { repair: _, ...plain } = mapping;
    const without = mapTable({ sheet: null, header }, { kind: 'recipients', mapping: plain, fileName: 'f' });
    expect(await withEvidence(without, tableOf([]), plainReadingRules, true)).toBe(without);
  });
});

describe('phones of an earlier file that were read as those of their country', () => {
  const ofPhones = mapTable(
    { sheet: null, header },
    {
      kind: 'recipients',
      mapping: {
        ...mapping,
        columns: {
          Customer: 'customer_external_id',
          Name: 'account_name',
          Account: 'phone_number',
          Sum: 'amount',
        },
        ignore: ['Bank'],
        constants: { payee_type: 'mobile_money', institution_name: 'GCash', currency: 'PHP' },
        phoneCountry: 'PH',
        repair: { Account: ['local_phone', 'phones_of_country'] },
      },
      fileName: 'f',
    },
  );
  const repairsWith = async (phones: readonly string[]): Promise<readonly string[]> => {
    const lines = phones.map((phone, at) => [`C-${at}`, 'Ann', '', phone, '5']);
    const read = await withEvidence(ofPhones, tableOf(lines), plainReadingRules, true);
    return [...(read.columns.find(({ field }) => field === 'phone_number')?.repairs ?? [])];
  };
  const own = ['0917 123 4561', '0917 123 4562', '+63 917 123 4563', '0917 123 4564', '09171234565'];

  it('are read so again, in a short file too', async () => {
    for (const phones of [[...own, '9614123456'], ['9614123456'], [...own.slice(0, 1), '9614123456']])
      expect(await repairsWith(phones)).toEqual(['local_phone', 'phones_of_country']);
  });

  it.each([
    ['another phone is of the other country', [...own, '+961 4 123 456', '9614123456']],
    ['most numbers could be of both', ['1', '2', '3', '4', '5'].map((last) => `961412345${last}`)],
  ])('are not where %s', async (_, phones) => {
    expect(await repairsWith(phones)).toEqual(['local_phone']);
  });
});
