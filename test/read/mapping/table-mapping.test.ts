import { describe, expect, it } from 'vitest';
import type { Kind } from '../../../src/domain/batches/batch.ts';
import { PaybatchError } from '../../../src/domain/failures/paybatch-error.ts';
import type { RuleChanges } from '../../../src/kinds/rule-changes.ts';
import { refuseMissingTitles, refuseUnusedMapping } from '../../../src/read/mapping/columns-of-mapping.ts';
import type { MappingFile } from '../../../src/read/mapping/mapping-schema.ts';
import { detectKind, looksLikeHeader, mapTable } from '../../../src/read/mapping/table-mapping.ts';

const recipientHeader = ['payee_type', 'customer_id', 'account_name', 'currency', 'iban'];

function map(
  header: readonly string[],
  {
    mapping = {},
    ...choice
  }: { kind?: Kind; mapping?: MappingFile; sheet?: string; rules?: RuleChanges } = {},
): Record<string, number | string> {
  const { columns } = mapTable(
    { sheet: choice.sheet ?? null, header },
    {
      kind: choice.kind ?? null,
      mapping,
      fileName: 'payees.csv',
      ...(choice.rules === undefined ? {} : { rules: choice.rules }),
    },
  );
  return Object.fromEntries(
    columns.map(({ field, index, constant }) => [field, index ?? `constant ${constant}`]),
  );
}

function refusal(work: () => unknown): PaybatchError {
  try {
    work();
  } catch (error) {
    if (error instanceof PaybatchError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('mapTable', () => {
  it('matches headers without regard to case, spaces, hyphens and underscores', () => {
    expect(map(['Payee Type', 'CUSTOMER-ID', 'account_name', 'Currency', 'I B A N'])).toEqual({
      payee_type: 0,
      customer_id: 1,
      account_name: 2,
      currency: 3,
      iban: 4,
    });
  });

  it('leaves result columns and unnamed columns out, so that a failed file can be imported', () => {
    expect(map([...recipientHeader, 'result_row', 'Result_Status', ''])).toEqual(map(recipientHeader));
  });

  it('takes either of two columns that name the customer, and both', () => {
    const external = recipientHeader.with(1, 'customer_external_id');
    expect(map(external)).toMatchObject({ customer_external_id: 1 });
    expect(map([...external, 'customer_id'])).toMatchObject({ customer_external_id: 1, customer_id: 5 });
  });

  it('renames, leaves out, and fills in what the mapping says', () => {
    const mapping = {
      columns: { 'A/C holder': 'account_name', 'Customer Id': 'customer_external_id' },
      ignore: ['Swift'],
      constants: { Currency: 'EUR' },
    };
    expect(map(['payee_type', 'customer ID', 'a/c-holder', 'swift', 'iban'], { mapping })).toEqual({
      payee_type: 0,
      customer_external_id: 1,
      account_name: 2,
      iban: 4,
      currency: 'constant EUR',
    });
  });

  it('does not take what a mapping says for another kind of the same call', () => {
    const mapping = { columns: { Label: 'account_name' }, constants: { payee_type: 'sepa' } };
    const header = ['customer_id', 'currency', 'blockchain_network', 'label'];
    expect(map(header, { mapping, kind: 'accounts' })).toMatchObject({ label: 3 });
  });

  it('names every unknown column, with what it may be', () => {
    const failure = refusal(() => map([...recipientHeader, 'A/C No', 'Zzz']));
    expect(failure).toMatchObject({ kind: 'file_refused', code: 'unknown_column' });
    expect(failure.message).toContain('“A/C No” (did you mean account_number?)');
    expect(failure.message).toContain('“Zzz”');
    expect(failure.message).not.toContain('“Zzz” (');
  });

  it('does not show the first row when none of it is a column: it may be personal data', () => {
    const failure = refusal(() =>
      map(['sepa', 'Amina Otieno', 'DE89370400440532013000'], { kind: 'recipients' }),
    );
    expect(failure.code).toBe('unknown_column');
    expect(failure.message).not.toMatch(/Amina|DE89/);
  });

  it('refuses two columns for one field, and a constant for a column that is there', () => {
    const twice = refusal(() => map([...recipientHeader, 'IBAN']));
    expect(twice).toMatchObject({ code: 'duplicate_column' });
    expect(twice.message).toContain('“iban” and “IBAN”');
    const both = refusal(() => map(recipientHeader, { mapping: { constants: { currency: 'EUR' } } }));
    expect(both).toMatchObject({ code: 'duplicate_column' });
    expect(both.message).toContain('constant');
    expect(
      map(recipientHeader, { mapping: { constants: { currency: 'EUR' }, ignore: ['currency'] } }),
    ).toMatchObject({ currency: 'constant EUR' });
  });

  it('refuses a header without a column that every row needs, unless the rules or a constant say otherwise', () => {
    const header = ['first_name', 'email'];
    expect(refusal(() => map(header, { kind: 'customers' })).message).toContain('last_name');
    const rules = { customers: { last_name: { required: false } } };
    expect(map(header, { kind: 'customers', rules })).toEqual({ first_name: 0, email: 1 });
    expect(
      refusal(() =>
        map(['first_name', 'last_name'], {
          kind: 'customers',
          rules: { customers: { email: { required: true } } },
        }),
      ).message,
    ).toContain('email');
  });
});

describe('detectKind', () => {
  it.each<[string, string | null, readonly string[], Kind | undefined]>([
    ['by the sheet’s name', 'Recipient', ['anything'], 'recipients'],
    ['by the only kind that knows every column', null, ['first_name', 'last_name'], 'customers'],
    [
      'by the kind that knows most, to name what is wrong',
      null,
      ['first_name', 'last_name', 'x'],
      'customers',
    ],
    ['not at all where kinds are equally likely', null, ['currency', 'customer_id'], undefined],
    ['not at all where nothing is known', null, ['a', 'b'], undefined],
  ])('finds it %s', (_, sheet, header, kind) => {
    expect(detectKind({ sheet, header }, {})).toBe(kind);
  });

  it('counts constants, however the mapping writes their names', () => {
    const mapping = { constants: { 'Payee Type': 'sepa', 'customer-id': 'x' } };
    expect(detectKind({ sheet: null, header: ['account_name', 'currency', 'iban'] }, mapping)).toBe(
      'recipients',
    );
  });
});

describe('looksLikeHeader', () => {
  it('wants most of at least two cells to be columns, by the mapping too', () => {
    expect(looksLikeHeader(['Payouts', ''], null, {})).toBe(false);
    expect(looksLikeHeader(['iban', 'x', 'currency'], null, {})).toBe(true);
    expect(looksLikeHeader(['A', 'B', 'iban'], null, {})).toBe(false);
    expect(looksLikeHeader(['A', 'B', 'iban'], null, { columns: { A: 'account_name' } })).toBe(true);
  });
});

describe('refuseUnusedMapping', () => {
  const tables = [
    { kind: 'customers' as const, header: ['Surname', 'first_name'] },
    { kind: 'recipients' as const, header: ['A/C No.', 'currency'] },
  ];

  it('lets pass what one of the call’s files has', () => {
    const mapping = {
      columns: { 'a/c no.': 'account_number', SURNAME: 'last_name' },
      constants: { payee_type: 'sepa' },
      ignore: ['Not there this month'],
    };
    expect(() => refuseUnusedMapping(mapping, tables)).not.toThrow();
  });

  it('refuses a column that no file has, and names the nearest', () => {
    const headers = tables.map(({ header }) => header);
    const mapping = { columns: { 'A/C No': 'account_number' } };
    const failure = refusal(() => refuseMissingTitles(mapping, headers));
    expect(failure).toMatchObject({ kind: 'file_refused', code: 'mapping_unused' });
    expect(failure.message).toContain('“A/C No”');
    expect(failure.message).toContain('“A/C No.”');
    expect(() => refuseMissingTitles({ columns: { SURNAME: 'last_name' } }, headers)).not.toThrow();
  });

  it.each<[MappingFile]>([
    [{ columns: { currency: 'blockchain_network' } }],
    [{ constants: { blockchain_network: 'polygon' } }],
    [{ values: { label: { a: 'b' } } }],
  ])('refuses what is for another kind only: %j', (mapping) => {
    expect(refusal(() => refuseUnusedMapping(mapping, tables))).toMatchObject({ code: 'mapping_unused' });
  });
});

it.each(['na\0me', 'na\ud800me', 'result_\0'])(
  'a title with what is no text refuses the file: %j',
  (title) => {
    const failure = refusal(() => map([...recipientHeader, title]));
    expect(failure).toMatchObject({ code: 'invalid_characters', kind: 'file_refused' });
    expect(failure.message).toContain('column 6');
  },
);

describe('joined columns and the country of phone numbers', () => {
  const header = ['First', 'Last', 'Land', 'payee_type', 'customer_id', 'currency'];
  const mapping = {
    join: { account_name: ['last', 'First'] },
    phoneCountry: { column: 'LAND' },
    ignore: ['Land'],
  };

  it('are found by their titles, whatever else a column is', () => {
    const { columns, phoneCountry } = mapTable(
      { sheet: null, header },
      { kind: 'recipients', mapping, fileName: 'f.csv' },
    );
    expect(columns.find(({ field }) => field === 'account_name')).toEqual({
      field: 'account_name',
      title: 'Last + First',
      index: null,
      joined: [
        { title: 'Last', index: 1 },
        { title: 'First', index: 0 },
      ],
    });
    expect(phoneCountry).toEqual({ title: 'Land', index: 2 });
    expect(detectKind({ sheet: null, header }, mapping)).toBe('recipients');
  });

  it('are refused where a part is not there, or the field is a column as well', () => {
    const refuse = (titles: readonly string[]): unknown =>
      mapTable({ sheet: null, header: titles }, { kind: 'recipients', mapping, fileName: 'f.csv' });
    expect(() => refuse(header.filter((title) => title !== 'First'))).toThrow('has no “First”');
    expect(() => refuse([...header, 'Account Name'])).toThrow('both mean account_name');
  });

  it('derive a payee type only from an institution’s name that is there', () => {
    const derived = { constants: { payee_type: { from: 'institution_name' } } } as const;
    expect(() =>
      mapTable(
        { sheet: null, header: ['account_name', 'customer_id', 'currency'] },
        { kind: 'recipients', mapping: derived, fileName: 'f.csv' },
      ),
    ).toThrow('no column is that');
  });

  it('have to be of use to one of the call’s files', () => {
    expect(() => refuseMissingTitles({ phoneCountry: { column: 'Pays' } }, [header])).toThrow('“Pays”');
    expect(() => refuseMissingTitles({ join: { account_name: ['First', 'X'] } }, [header])).toThrow('“X”');
    expect(() => refuseMissingTitles(mapping, [header])).not.toThrow();
  });
});
