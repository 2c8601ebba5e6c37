import { describe, expect, it } from 'vitest';
import { watchReading } from '../../src/check/reading-contradiction.ts';
import type { CellKind, SourceRow } from '../../src/domain/tables/table.ts';
import { readingRulesOf } from '../../src/read/mapping/mapping-file.ts';
import type { MappingFile } from '../../src/read/mapping/mapping-schema.ts';
import { mapTable } from '../../src/read/mapping/table-mapping.ts';
import { stagedRow } from '../support/ledger-rows.ts';

const header = {
  recipients: ['payee_type', 'customer_id', 'account_name', 'currency', 'amount'],
  customers: ['first_name', 'last_name', 'date_of_birth'],
};

interface Watched {
  readonly kind?: keyof typeof header;
  readonly mapping?: MappingFile;
  readonly currency?: string | readonly string[];
  readonly areSomeRows?: boolean;
  readonly cellKind?: CellKind;
}

/** What a file whose column has these values is refused with: its code and message; null where it is not. */
function refusal(
  values: readonly string[],
  {
    kind = 'recipients',
    mapping: stated = {},
    currency = 'KES',
    areSomeRows = false,
    cellKind,
  }: Watched = {},
): readonly [string, string] | null {
  const mapping = mapTable(
    { sheet: null, header: header[kind] },
    { kind, mapping: stated, fileName: 'payees.csv' },
  );
  const watch = watchReading({
    mapping,
    stated,
    reading: readingRulesOf(stated),
    today: '2026-11-22',
    place: 'payees.csv',
    path: 'in/payees.csv',
    areSomeRows,
  });
  const column = header[kind].length - 1;
  const rows = values.map(
    (value, at): SourceRow => ({
      number: at + 2,
      cells: [...header[kind].slice(1).map(() => ''), value],
      ...(cellKind === undefined ? {} : { kinds: new Map([[column, cellKind]]) }),
    }),
  );
  const judged = rows.map(({ number }, at) => {
    const own = typeof currency === 'string' ? currency : (currency[at] ?? '');
    return stagedRow(number, { record: own === '' ? {} : { currency: own } });
  });
  for (let at = 0; at < rows.length; at += 2) watch.take(rows.slice(at, at + 2), judged.slice(at, at + 2));
  const found = watch.refusal();
  expect(found?.kind ?? 'file_refused').toBe('file_refused');
  return found === null ? null : [found.code, found.message];
}

const tenWhole = Array.from({ length: 10 }, (_, at) => `${1_500 + at}`);

const german: MappingFile = { decimal: ',', thousands: '.' };

describe('amounts that contradict a mapping', () => {
  it('refuse the file, with the values that prove it and one that would be misread', () => {
    const [code, message] = refusal(['12,500', '1,500.00', '30,000', '2,750.50'], { mapping: german }) ?? [];
    expect(code).toBe('reading_contradicted');
    expect(message).toBe(
      'payees.csv: “amount” is read like 1.234,50, but its values are written like 1,234.50: “1,500.00” in row 3, ' +
        '“2,750.50” in row 5. “12,500” in row 2 would be read as 12.5, and means 12500.',
    );
  });

  it.each<[string, readonly string[], Watched]>([
    ['no value is misread, but the sign for decimals is another', ['1,500.00', '950'], { mapping: german }],
    ['a value that is no amount at all says nothing', ['12,500', 'tbc', '1,500.00'], { mapping: german }],
    ['a point that is stated for decimals', ['12.500', '1.250.000'], { mapping: { decimal: '.' } }],
    ['signs between thousands that are stated', ['1.500', '1.500,00'], { mapping: { thousands: ',' } }],
    ['more decimals than the currency has', ['30,000', '12,345'], { mapping: { decimal: ',' } }],
    ['no decimals in the currency', ['30', '12,345', '500'], { mapping: { decimal: ',' }, currency: 'JPY' }],
    ['without a mapping', ['12.500', '1.250,00'], {}],
    ['without a mapping, decimals behind commas', ['1500', '12,50'], {}],
    ['without a mapping, a point that can only stand between thousands', ['1500', '12.500', '1.250.000'], {}],
    [
      'with the sign of the currency',
      ['KSh 12,500', 'KSh 1,500.00'],
      { mapping: { ...german, currencySigns: 'accept' } },
    ],
    [
      'with marks that the mapping repairs, and a word for nothing',
      ['12,500/=', 'KES 1,500.00/=', '-'],
      { mapping: { ...german, repair: { amount: ['amount_marks'] }, empty: ['-'] } },
    ],
    ['a sign of thousands that is a space', ['950', '1 500.00', '10 000'], { mapping: german }],
    ['two of twelve', [...tenWhole, '12,50', '13,50'], {}],
    ['one, where another value would be misread', [...tenWhole, '12,500', '1,500.00'], { mapping: german }],
    [
      'corrected rows of which one would be misread',
      ['12,500', '1,500.00'],
      { mapping: german, areSomeRows: true },
    ],
  ])('%s', (_, values, watched) => {
    expect(refusal(values, watched)?.[0]).toBe('reading_contradicted');
  });

  it.each<[string, readonly string[], Watched]>([
    ['they are written as the mapping says', ['1.234,50', '12,500', '950'], { mapping: german }],
    ['there is a mistake among them', ['1.234,50', '12,500', '1,500.00'], { mapping: german }],
    ['thousands that are only not stated', ['1,500', '950.00', '1,500.00'], {}],
    ['the only mistake is no amount', ['12,50', 'twelve'], { mapping: german }],
    ['the cells are numbers', ['1500.5', '12.5'], { mapping: german, cellKind: 'number' }],
    ['corrected rows of which none would be misread', ['12,50', '1500'], { areSomeRows: true }],
    ['there are none', ['', ' '], { mapping: german }],
    ['one alone is written otherwise, beside ten that mean the same', [...tenWhole, '12,50'], {}],
    ['one alone has a point before three digits, beside ten like that', [...tenWhole, '1.234'], {}],
  ])('are for their own rows where %s', (_, values, watched) => {
    expect(refusal(values, watched)).toBeNull();
  });

  it('are not read where the mapping translates them', () => {
    const mapping = { ...german, values: { amount: { '1,500.00': '1500', FREE: null } } };
    expect(refusal(['12,500', '1,500.00', 'free'], { mapping })).toBeNull();
  });
});

describe('amounts with three digits behind each point', () => {
  it('are refused until somebody says what the point is', () => {
    expect(refusal(['12.500', '45.000', '950'])).toEqual([
      'ambiguous_amounts',
      'payees.csv: every amount in “amount” has three digits behind a point (“12.500” in row 2, “45.000” in row 3), ' +
        'so nothing tells whether points stand before decimals or between thousands.',
    ]);
    expect(refusal(['12.500', '1.250.000'])?.[0]).toBe('ambiguous_amounts');
    expect(refusal(['12.500', 'n/a'])?.[0]).toBe('ambiguous_amounts');
    expect(refusal(['12.500'], { mapping: { ignore: ['Note'] } })?.[0]).toBe('ambiguous_amounts');
  });

  it.each<[string, readonly string[], Watched]>([
    ['another value has two decimals', ['12.500', '12.50'], {}],
    ['another value has four digits', ['12.500', '1500'], {}],
    ['another value begins with zero', ['12.500', '0.500'], {}],
    ['"decimal" is stated', ['12.500', '45.000'], { mapping: { decimal: '.' } }],
    ['points are stated to stand between thousands', ['12.500', '1.250.000'], { mapping: german }],
    [
      'commas are stated to stand between thousands',
      ['12.500', '1,250.000'],
      { mapping: { thousands: ',' } },
    ],
    ['the currency has three decimals', ['12.500', '45.000'], { currency: 'KWD' }],
    ['the rows are some of a file that was read', ['12.500'], { areSomeRows: true }],
    ['the cells are numbers', ['12.125'], { cellKind: 'number' }],
  ])('are read as decimals where %s', (_, values, watched) => {
    expect(refusal(values, watched)).toBeNull();
  });

  it('are looked at without the rows whose currency has three decimals', () => {
    expect(refusal(['12.500', '45.000'], { currency: ['KWD', 'KES'] })?.[0]).toBe('ambiguous_amounts');
    expect(refusal(['12.500', '45.000'], { currency: ['KWD', ''] })?.[0]).toBe('ambiguous_amounts');
  });
});

describe('days that contradict a mapping', () => {
  const kind = 'customers';
  const daysFirst = { kind, mapping: { dateFormat: 'DD/MM/YYYY' } } as const;

  it('refuse the file', () => {
    expect(refusal(['03/04/1981', '12/25/1976'], daysFirst)).toEqual([
      'reading_contradicted',
      'payees.csv: “date_of_birth” is read like DD/MM/YYYY, but its values are written like M/D/YYYY: “12/25/1976” ' +
        'in row 3. “03/04/1981” in row 2 would be read as 1981-04-03, and means 1981-03-04.',
    ]);
    const monthsFirst = { kind, mapping: { dateFormat: 'MM.DD.YY' } } as const;
    expect(refusal(['03.04.81', '25.12.76', '1990-05-06'], monthsFirst)?.[0]).toBe('reading_contradicted');
    expect(refusal(['03.04.1981', '25.12.1976'], daysFirst)?.[0]).toBe('reading_contradicted');
  });

  it.each<[string, readonly string[], Watched]>([
    ['there is a mistake among them', ['25/12/1976', '12/25/1976', '03/04/1981'], daysFirst],
    ['one has fewer digits', ['03/04/1981', '3/4/1981'], daysFirst],
    ['one is no day at all', ['03/04/1981', '31/02/1981'], daysFirst],
    [
      'no sign is between the parts',
      ['19810403', '1981-04-03'],
      { kind, mapping: { dateFormat: 'YYYYMMDD' } },
    ],
    ['nothing is declared, and days of ISO 8601 are right', ['1981-04-03', '25/12/1976'], { kind }],
    ['the cells are days', ['1976-12-25'], { ...daysFirst, cellKind: 'date' }],
  ])('are for their own rows where %s', (_, values, watched) => {
    expect(refusal(values, watched)).toBeNull();
  });
});

it('keeps a few values, however many rows there are', () => {
  const values = Array.from({ length: 20_000 }, (_, at) => `${(at % 9) + 1}.500`);
  expect(refusal(values)?.[1].match(/in row/g)).toHaveLength(3);
});
