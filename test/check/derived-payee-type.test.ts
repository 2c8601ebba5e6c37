import { describe, expect, it } from 'vitest';
import { createValidation } from '../../src/check/validation.ts';
import { noteText } from '../../src/domain/rows/finding.ts';
import type { StagedRow } from '../../src/domain/rows/ledger-row.ts';
import { createRowChecker } from '../../src/kinds/fields/row-checker.ts';
import { createInstitutionList } from '../../src/kinds/institutions/directory.ts';
import { readingRulesOf } from '../../src/read/mapping/mapping-file.ts';
import type { MappingFile } from '../../src/read/mapping/mapping-schema.ts';
import { mapTable } from '../../src/read/mapping/table-mapping.ts';
import { fakeReferences } from '../send/fakes.ts';

const header = ['Name', 'Account', 'Bank', 'Amount', 'Mobile'];

const mappingFile: MappingFile = {
  columns: {
    Name: 'account_name',
    Account: 'account_number',
    Bank: 'institution_name',
    Amount: 'amount',
    Mobile: 'phone_number',
  },
  constants: {
    payee_type: { from: 'institution_name' },
    currency: 'KES',
    customer_id: '3f2b6c1e-8a57-4d0b-9c36-5b1f0e7a2d94',
  },
  phoneCountry: 'KE',
};

function institution(id: string, name: string, accountNumberType = 'bank_account_number') {
  const limits = { minAmount: '10', maxAmount: '100000' };
  return { id, name, country: 'KE', currency: 'KES', accountNumberType, ...limits };
}

async function judge(isComplete: boolean, ...lines: readonly string[]): Promise<StagedRow[]> {
  const mapping = mapTable({ sheet: null, header }, { kind: null, mapping: mappingFile, fileName: 'k.xlsx' });
  const checker = createRowChecker({
    mapping,
    reading: readingRulesOf(mappingFile),
    today: '2026-11-21',
    headerWidth: header.length,
  });
  const list = createInstitutionList(
    'KE',
    [
      institution('b', 'KCB Bank Kenya Ltd'),
      institution('e', 'Equity Bank'),
      institution('a', 'Airtel'),
      institution('w', 'Airtel Plc', 'phone_number'),
      institution('m', 'M-Pesa', 'phone_number'),
    ],
    isComplete,
  );
  const directory = {
    list: async (country: string) => {
      expect(country).toBe('KE');
      return list;
    },
  };
  const validation = createValidation({
    place: 'payees.csv',
    checker,
    mapping,
    references: fakeReferences(),
    directory,
  });
  return validation.judge(lines.map((line, at) => ({ number: at + 2, cells: line.split('|') })));
}

const outcome = ({ state, resource, findings }: StagedRow): unknown[] => [
  state,
  resource,
  findings.map(({ column, code }) => `${column}: ${code}`).join('; '),
];

describe('a payee type that follows from the institution', () => {
  it('checks each row by the rules of its own type', async () => {
    const rows = await judge(
      true,
      'Amina Otieno|0110123456789|KCB BANK KENYA|500',
      'Joseph Mushi|0712 345 678|MPESA|500',
      'Jane Doe|0110123456789|M-PESA|500',
      'John Roe|1234567890|Equity|5',
    );
    expect(rows.map(outcome)).toEqual([
      ['staged', 'recipients/bank_account', ''],
      ['staged', 'recipients/mobile_money', ''],
      ['invalid', 'recipients/mobile_money', 'Mobile: required'],
      ['invalid', 'recipients/bank_account', 'Amount: below_minimum'],
    ]);
    expect(rows[0]?.notes.map(noteText)).toEqual([
      'read as bank_account: payee_type',
      'read as KCB Bank Kenya Ltd: Bank',
    ]);
    expect(rows[1]?.record).toMatchObject({ phone_number: '+254712345678', institution_id: 'm' });
  });

  it('looks the institution up in the country of the phone number', async () => {
    const rows = await judge(
      true,
      'Joseph Mushi||M-Pesa|500|0712 345 678',
      'Amina Otieno|0110123456789|KCB Bank Kenya|500|0712 345 678',
    );
    expect(rows.map(outcome)).toEqual([
      ['staged', 'recipients/mobile_money', ''],
      ['invalid', 'recipients/bank_account', 'Mobile: unexpected_value'],
    ]);
  });

  it('is never chosen where several institutions, or none, have the name', async () => {
    const rows = await judge(
      true,
      'Amina Otieno|0110123456789|Airtl|500',
      'Joseph Mushi|0712 345 678|Airtel Bank Ltd|500',
      'Jane Doe|0712 345 678||500',
    );
    expect(rows.map(outcome)).toEqual([
      ['invalid', null, 'Bank: institution_unknown'],
      ['invalid', null, 'Bank: ambiguous_institution'],
      ['invalid', null, 'Bank: required'],
    ]);
  });

  it('says which names are nearest where none is that one', async () => {
    const [row] = await judge(true, 'Amina Otieno|0110123456789|M-PESSA|500');
    expect(row?.findings[0]?.nearest?.[0]).toBe('M-Pesa');
  });

  it('comes with every other finding of its row at once', async () => {
    const [row] = await judge(true, '|0110123456789|Nowhere|1,500');
    expect(row?.findings.map(({ column, code }) => `${column}: ${code}`)).toEqual([
      'Name: required',
      'Amount: invalid_amount',
      'Bank: institution_unknown',
    ]);
  });

  it('is open while the list is not complete: the row is held, unless it has another finding', async () => {
    const rows = await judge(
      false,
      'Amina Otieno|0110123456789|Nowhere|500',
      'Joseph Mushi|0712 345 678|Nowhere|1,500',
    );
    expect(rows.map(outcome)).toEqual([
      ['held', null, 'Bank: institution_unverifiable'],
      ['invalid', null, 'Amount: invalid_amount; Bank: institution_unverifiable'],
    ]);
  });
});
