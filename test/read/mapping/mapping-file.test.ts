import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PaybatchError } from '../../../src/domain/failures/paybatch-error.ts';
import { parseMappingFile, readingRulesOf } from '../../../src/read/mapping/mapping-file.ts';
import { mappingFileSchema } from '../../../src/read/mapping/mapping-schema.ts';
import { expectSchemaDocument } from '../../support/written-document.ts';

const guidePath = new URL('../../../docs/mapping.md', import.meta.url);

const firstAndLast = { into: ['first_name', 'last_name'], order: 'first_last' };

function parse(json: unknown): ReturnType<typeof parseMappingFile> {
  return parseMappingFile(JSON.stringify(json), 'm.json');
}

describe('docs/mapping.schema.json', () => {
  it('is the schema that mappings are read with (UPDATE_DOCS=1 writes it anew)', () => {
    expectSchemaDocument('mapping.schema.json', mappingFileSchema);
  });
});

describe('docs/mapping.md', () => {
  it('has only examples that are mappings, and explains every key', () => {
    const guide = readFileSync(guidePath, 'utf8');
    const examples = [...guide.matchAll(/```json\n(.*?)```/gs)].map(([, json = '']) => json);
    expect(examples.length).toBeGreaterThan(1);
    for (const example of examples) expect(() => parseMappingFile(example, 'example')).not.toThrow();
    for (const key of Object.keys(mappingFileSchema.shape)) expect(guide).toContain(`\`${key}\``);
  });
});

describe('parseMappingFile', () => {
  it('takes an empty mapping, and one that a spreadsheet user saved with a byte order mark', () => {
    expect(parseMappingFile('\uFEFF{}', 'm.json')).toEqual({});
  });

  it('takes all that version 3 can say', () => {
    const mapping = {
      kind: 'recipients',
      sheet: 'Payroll',
      hidden: 'skip',
      encoding: 'windows-1252',
      delimiter: ';',
      headerRows: [4, 5],
      columns: { 'Bank / Routing': 'routing_number', 'MoMo No': 'phone_number' },
      values: { institution_name: { GTB: 'GTBank', Zeepay: null, none: '' } },
      empty: ['N/A'],
      phoneCountry: 'GH',
      repair: { 'Bank / Routing': ['lost_zeros', 'number_cells'], 'MoMo No': ['local_phone', 'empty_words'] },
    };
    expect(parse(mapping)).toEqual(mapping);
    const split = {
      kind: 'customers',
      split: { Name: firstAndLast },
      empty: { Name: ['-'] },
      headerRows: [3],
    };
    expect(parse(split)).toEqual(split);
    const divided = {
      split: {
        'Bank / Account': { into: ['institution_name', 'account_number'], at: ' / ', rest: 'first' },
        Contact: { into: ['email', 'phone'], number: 'phone' },
        Supplier: { into: ['ignore', 'account_name'], at: ' - ' },
      },
    };
    expect(parse(divided)).toEqual(divided);
  });

  it.each<[unknown, string]>([
    [[], 'not valid'],
    [{ colums: {} }, 'colums'],
    [
      { columns: { 'A/C': 'acount_number' } },
      '"acount_number" that paybatch does not have (the nearest is "account_number")',
    ],
    [{ constants: { curency: 'EUR' } }, 'currency'],
    [{ values: { payee_typ: {} } }, 'payee_type'],
    [{ constants: { currency: 5 } }, 'constants > currency'],
    [{ columns: { 'A/C No': 'iban', 'a/c_no': 'account_number' } }, 'twice'],
    [{ columns: { Bank: 'bank_name' }, ignore: ['bank'] }, '"ignore"'],
    [{ decimal: ',', thousands: ',' }, 'same sign'],
    [{ thousands: '.' }, 'same sign'],
    [{ dateFormat: 'DD/MM/YYY' }, 'DD/MM/YYYY'],
    [{ dateFormat: 'YYYYMMDDDD' }, 'DD/MM/YYYY'],
    [{ dateFormat: 'DMYYYY' }, 'DD/MM/YYYY'],
    [{ phoneCountry: 'Kenya' }, 'the two letters of a country'],
    [{ phoneCountry: 'XX' }, 'the two letters of a country'],
    [{ phoneCountry: {} }, 'phoneCountry'],
    [{ join: { account_name: ['First name'] } }, 'join > account_name'],
    [{ join: { acount_name: ['First', 'Last'] } }, 'account_name'],
    [{ join: { account_name: ['First', 'first'] } }, 'joins the column "first" twice'],
    [
      { join: { account_name: ['First', 'Last'] }, columns: { Last: 'bank_name' } },
      '"join" and under "columns"',
    ],
    [
      { join: { account_name: ['First', 'Last'] }, columns: { X: 'account_name' } },
      '"join" and under "columns"',
    ],
    [{ join: { account_name: ['First', 'Last'] }, ignore: ['first'] }, '"join" and under "ignore"'],
    [
      { join: { account_name: ['A', 'B'] }, constants: { account_name: 'X' } },
      '"join" and under "constants"',
    ],
    [{ constants: { currency: { from: 'institution_name' } } }, 'only payee_type'],
    [{ constants: { payee_type: { from: 'bank_name' } } }, 'constants > payee_type'],
    [
      {
        constants: { payee_type: { from: 'institution_name' } },
        values: { payee_type: { MM: 'mobile_money' } },
      },
      'translates it',
    ],
    [{ numericIdentifiers: { amount: 'accept' } }, 'holds no identifiers'],
    [{ numericIdentifiers: { account_nr: 10 } }, 'account_number'],
    [{ numericIdentifiers: { account_number: 16 } }, 'numericIdentifiers'],
    [{ leaveOut: 'yes' }, 'leaveOut'],
    [{ currencySigns: true }, 'currencySigns'],
    [{ kind: 'payees' }, 'kind'],
    [{ sheet: '' }, 'sheet'],
    [{ hidden: true }, 'hidden'],
    [{ delimiter: ';;' }, 'one character'],
    [{ encoding: 'no encoding' }, 'name of an encoding'],
    [{ headerRows: [] }, 'headerRows'],
    [{ headerRows: [4, 6] }, 'one below the other'],
    [{ headerRows: [5, 4] }, 'one below the other'],
    [{ headerRows: [4, 5, 6] }, 'headerRows'],
    [{ kind: 'customers', columns: { IBAN: 'iban' } }, '"iban", which customers do not have'],
    [{ split: { Name: { into: ['first_name', 'last_name'] } } }, 'split > Name > order'],
    [{ split: { Name: { into: ['first_name', 'middle_name'], order: 'first_last' } } }, 'last_name'],
    [
      { split: { Name: { into: ['first_name', 'first_name', 'last_name'], order: 'first_last' } } },
      'names a part twice',
    ],
    [{ split: { Contact: { into: ['email', 'phone'] } } }, '"at" must say the sign'],
    [{ split: { Contact: { into: ['email', 'phone'], at: 'x' } } }, 'one to five signs'],
    [{ split: { Contact: { into: ['email', 'phone'], at: '/', order: 'first_last' } } }, 'only for names'],
    [{ split: { Contact: { into: ['email', 'phone'], rest: 'first' } } }, 'which "at" says'],
    [{ split: { Contact: { into: ['email', 'phone'], at: '/', number: 'phone' } } }, 'and "at" says one'],
    [{ split: { Contact: { into: ['email', 'phone'], number: 'city' } } }, 'one of two fields'],
    [{ split: { Contact: { into: ['ignore', 'ignore'], at: '/' } } }, 'names a part twice'],
    [{ split: { Pay: { into: ['amount', 'account_number'], at: '/' } } }, 'split > Pay > into'],
    [{ split: { Name: firstAndLast }, columns: { Surname: 'last_name' } }, '"columns" and under "split"'],
    [{ split: { Name: firstAndLast }, columns: { name: 'email' } }, '"columns" and under "split"'],
    [{ split: { Name: firstAndLast, 'Full name': firstAndLast } }, 'splits two columns into "first_name"'],
    [{ split: { Name: firstAndLast }, constants: { last_name: 'X' } }, '"split" and under "constants"'],
    [{ repair: { ZIP: ['lost_zero'] } }, 'repair > ZIP'],
    [{ repair: { ZIP: ['lost_zeros'] }, ignore: ['zip'] }, '"repair" and under "ignore"'],
    [{ repair: { Phone: ['local_phone'] } }, '"phoneCountry"'],
    [{ repair: { Phone: ['empty_words'] }, empty: { Mail: ['-'] } }, '"empty" for it'],
    [{ repair: { Amt: ['lost_zeros'] }, columns: { Amt: 'amount' } }, 'repairs lost_zeros in "Amt"'],
    [{ repair: { ZIP: ['amount_marks'] }, columns: { ZIP: 'postal_code' } }, 'repairs amount_marks in "ZIP"'],
    [{ empty: [' '] }, 'empty'],
    [{ empty: { 'E-Mail': ['-'], email: ['n/a'] } }, 'twice'],
  ])('refuses %j, and says what is wrong: %s', (json, words) => {
    try {
      parse(json);
    } catch (error) {
      expect(error).toBeInstanceOf(PaybatchError);
      expect(error).toMatchObject({ kind: 'usage', code: 'mapping_invalid' });
      expect(String(error)).toContain(words);
      return;
    }
    throw new Error('it was accepted');
  });

  it.each(['YYYY-MM-DD', 'DD/MM/YYYY', 'D.M.YYYY', 'MM-DD-YYYY', 'YYYYMMDD'])(
    'takes the date format %s',
    (dateFormat) => {
      expect(readingRulesOf(parse({ dateFormat })).dateFormat).toBe(dateFormat);
    },
  );

  it('takes names of places wherever there is a mapping, unless it says otherwise', () => {
    expect(readingRulesOf(parse({})).places).toBe('codes');
    expect(readingRulesOf(parse({ $schema: 'x', leaveOut: true, expectRows: 5 })).places).toBe('codes');
    const place = { kind: 'recipients', sheet: 'Payroll', hidden: 'skip', encoding: 'utf-8', delimiter: ',' };
    expect(readingRulesOf(parse(place)).places).toBe('codes');
    expect(readingRulesOf(parse({ phoneCountry: 'KE' })).places).toBe('names');
    expect(readingRulesOf(parse({ phoneCountry: 'KE', places: 'codes' })).places).toBe('codes');
  });

  it('knows fields by their own names, however the mapping writes them', () => {
    const { numericIdentifiers } = readingRulesOf(parse({ numericIdentifiers: { 'Account Number': 10 } }));
    expect(numericIdentifiers).toEqual({ account_number: 10 });
  });
});
