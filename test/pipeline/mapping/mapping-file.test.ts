import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Failure } from '../../../src/domain/failures/failure.ts';
import {
  mappingFileSchema,
  parseMappingFile,
  readingRulesOf,
} from '../../../src/pipeline/mapping/mapping-file.ts';

const schemaPath = new URL('../../../docs/mapping.schema.json', import.meta.url);
const guidePath = new URL('../../../docs/mapping.md', import.meta.url);

function parse(json: unknown): ReturnType<typeof parseMappingFile> {
  return parseMappingFile(JSON.stringify(json), 'm.json');
}

describe('docs/mapping.schema.json', () => {
  it('is the schema that mappings are read with (UPDATE_DOCS=1 writes it anew)', () => {
    const schema = z.toJSONSchema(mappingFileSchema);
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(schemaPath, `${JSON.stringify(schema, null, 2)}\n`);
    expect(JSON.parse(readFileSync(schemaPath, 'utf8'))).toEqual(JSON.parse(JSON.stringify(schema)));
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
  ])('refuses %j, and says what is wrong: %s', (json, words) => {
    try {
      parse(json);
    } catch (error) {
      expect(error).toBeInstanceOf(Failure);
      expect(error).toMatchObject({ exitCode: 2, code: 'mapping_invalid' });
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
    expect(readingRulesOf(parse({ phoneCountry: 'KE' })).places).toBe('names');
    expect(readingRulesOf(parse({ phoneCountry: 'KE', places: 'codes' })).places).toBe('codes');
  });

  it('knows fields by their own names, however the mapping writes them', () => {
    const { numericIdentifiers } = readingRulesOf(parse({ numericIdentifiers: { 'Account Number': 10 } }));
    expect(numericIdentifiers).toEqual({ account_number: 10 });
  });
});
