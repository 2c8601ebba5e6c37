import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Engine } from '../../../src/index.ts';
import type { DialogueQuestion } from '../../../src/propose/question.ts';
import type { MappingFile } from '../../../src/read/mapping/mapping-schema.ts';
import { seededRandom } from '../../support/crash.ts';
import { createDatabase, dropDatabase } from '../../support/ledger.ts';

type Lines = readonly (readonly string[])[];
type Refused = Extract<DialogueQuestion, { readonly kind: 'refused' }>;

const rows = 40;
const random = seededRandom(4_017);
const pick = <Item>(items: readonly Item[]): Item => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
};

const firsts = ['Marisol', 'Tobias', 'Wambui', 'Ingrid', 'Kwame', 'Leyla', 'Bruno', 'Anneke'];
const lasts = ['Quispe', 'Harrer', 'Njoki', 'Lund', 'Asante', 'Demir', 'Sartori', 'Visser'];
const towns = ['Lima', 'Graz', 'Nyeri', 'Bergen', 'Kumasi', 'Izmir', 'Parma', 'Breda'];

/** Customers; `cell` replaces a value of a row, undefined keeps it. */
function customers(title: string, cell: (at: number) => string | undefined): Lines {
  const titles = ['Ref', 'First name', 'Surname', 'Mail', 'Town', 'Country'];
  const lines = Array.from({ length: rows }, (_, at) => {
    const [first, last] = [pick(firsts), pick(lasts)];
    const line = [
      `R-${at}`,
      first,
      last,
      `${first}.${last}.${at}@example.org`.toLowerCase(),
      pick(towns),
      'KE',
    ];
    const value = cell(at);
    return value === undefined ? line : line.with(titles.indexOf(title), value);
  });
  return [titles, ...lines];
}

/** Collections; `cell` replaces a value of a row, undefined keeps it. */
function collections(title: string, cell: (at: number) => string | undefined): Lines {
  const titles = ['Reference', 'Amount', 'Currency', 'Country', 'Customer', 'Destination', 'Method'];
  const id = (at: number): string => `3f2a9c1e-0000-4000-8000-0000000001${at + 10}`;
  const lines = Array.from({ length: rows }, (_, at) => {
    const line = [`INV-${at}`, `${1_000 + at * 7}.50`, 'KES', 'KE', id(at), id(at + 40), 'mobile money'];
    const value = cell(at);
    return value === undefined ? line : line.with(titles.indexOf(title), value);
  });
  return [titles, ...lines];
}

/** Recipients, half of them with an IBAN, an address and an institution all the same, half with mobile money. */
function recipients(): Lines {
  const titles = [
    'Ref',
    'Payee type',
    'Customer ID',
    'Account name',
    'IBAN',
    'Phone number',
    'Institution name',
  ];
  const address = ['Currency', 'Owner type', 'Bank name', 'Street', 'City', 'ZIP', 'Country'];
  const id = (at: number): string => `3f2a9c1e-0000-4000-8000-0000000001${at + 10}`;
  const lines = Array.from({ length: rows }, (_, at) => {
    const [name, town] = [`${pick(firsts)} ${pick(lasts)}`, pick(towns)];
    const sepa = [
      'sepa',
      id(at),
      name,
      'DE89370400440532013000',
      '',
      'M-Pesa',
      'EUR',
      'individual',
      'ING',
      'Allee 5',
      town,
    ];
    const phone = [
      'mobile_money',
      id(at),
      name,
      '',
      `+2547123450${at + 10}`,
      'M-Pesa',
      'KES',
      '',
      '',
      '',
      '',
    ];
    return [`P-${at}`, ...(at % 2 === 0 ? [...sepa, '10115', 'DE'] : [...phone, '', ''])];
  });
  return [[...titles, ...address], ...lines];
}

let engine: Engine;
let folder: string;
let databaseUrl: string;
let files = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(inject('testFolder'), 'refused-values-'));
  databaseUrl = await createDatabase();
  engine = await Engine.open({
    api: { localSandbox: true, sandboxDir: join(folder, 'api') },
    ledger: { databaseUrl },
    output: { out: join(folder, 'results') },
  });
});
afterAll(async () => {
  await engine.close();
  await dropDatabase(databaseUrl);
  await rm(folder, { recursive: true, force: true });
});

interface Agreed {
  readonly asked: readonly Refused[];
  readonly reviews: readonly Extract<DialogueQuestion, { readonly kind: 'review' }>[];
  readonly mapping: MappingFile;
  readonly pass: number;
}

/** Leads the dialogue: `answer` answers what is asked about refused values; every other proposal is accepted, unless `others` answers it. */
async function agree(
  lines: Lines,
  answer: (question: Refused) => unknown,
  mark = '',
  others: (question: DialogueQuestion) => unknown = () => 'accept',
): Promise<Agreed> {
  files += 1;
  const path = join(folder, `${files}.csv`);
  // The file's own titles, so that no other file of these tests is of its layout.
  const named = lines.map((line, at) => (at === 0 ? line.with(0, `${line[0]}${mark}`) : line));
  await writeFile(path, `${named.map((line) => line.map((cell) => `"${cell}"`).join(',')).join('\r\n')}\r\n`);
  const asked: Refused[] = [];
  const reviews: Agreed['reviews'][number][] = [];
  const answerTo = (question: DialogueQuestion): unknown => {
    if (question.kind === 'review') reviews.push(question);
    if (question.kind !== 'refused') return others(question);
    asked.push(question);
    return answer(question);
  };
  const { mapping, forecast } = await engine.agreeOnMapping({
    file: path,
    folder,
    lead: async ({ dialogue }) => {
      for (let question = await dialogue.next(); question !== null; question = await dialogue.next()) {
        const problem = await dialogue.answer(question.question, answerTo(question));
        if (problem !== undefined) throw new Error(problem);
      }
      return undefined;
    },
  }).result;
  return { asked, reviews, mapping, pass: forecast.pass };
}

describe('no group of rows is refused without a question', () => {
  it('asks what a currency in words means, in any language, and never again for this header', async () => {
    const words = ['Kenia-Schilling', 'shilingi ya Kenya'];
    const lines = collections('Currency', (at) => words[at % 2]);
    const first = await agree(lines, () => 'accept', ' c');
    expect(first.asked).toHaveLength(1);
    expect(first.asked[0]).toMatchObject({
      about: 'Currency',
      code: 'invalid_currency',
      proposal: 'meanings',
    });
    expect(first.asked[0]?.values.map(({ proposal }) => proposal)).toEqual(['KES', 'KES']);
    expect(first.mapping.values?.['currency']).toEqual({ [words[0] ?? '']: 'KES', [words[1] ?? '']: 'KES' });
    expect(first.pass).toBe(rows);
    const next = await agree(lines.slice(0, 30), () => 'wrong', ' c');
    expect([next.asked, next.pass]).toEqual([[], 29]);
  });

  it('never reads a sign of several currencies as one of them, nor as the value above', async () => {
    const lines = collections('Currency', (at) => (at % 4 === 1 ? '$' : undefined));
    const { asked, pass } = await agree(lines, () => ({ values: { $: 'KES' } }), ' s');
    expect(asked[0]).toMatchObject({ code: 'invalid_currency', values: [{ value: '$', proposal: null }] });
    expect(asked[0]?.options.map(({ id }) => id)).toEqual(['wrong', 'leave_out']);
    expect(pass).toBe(rows);
  });

  it('asks about cells that the payee types of their rows do not have, and leaves them out', async () => {
    const { asked, mapping } = await agree(recipients(), () => 'only_where_used', ' u');
    const about = asked.filter(({ code }) => code === 'unexpected_value');
    expect(about.map((question) => [question.about, question.rows])).toEqual([
      ['Institution name', rows / 2],
    ]);
    expect(mapping.repair?.['Institution name']).toEqual(['only_where_used']);
  });

  it('does not read a number that is wrong in several rows as a word for an empty value', async () => {
    const lines = customers('Mail', (at) => (at % 8 === 2 ? 'N/T' : at % 8 === 5 ? '312 45' : undefined));
    const { asked, pass } = await agree(lines, () => 'nothing', ' number');
    const [nothing] = asked.flatMap(({ options }) => options.filter(({ id }) => id === 'nothing'));
    expect(nothing?.label).toBe('"N/T": nothing, as an empty cell');
    expect(pass).toBe(rows - lines.filter((line) => line.includes('312 45')).length);
  });

  it('shows each value in its row, and what every answer would make of it', async () => {
    const lines = customers('Mail', (at) => (at % 5 === 2 ? 'sin correo' : undefined));
    const { asked, mapping, pass } = await agree(lines, () => 'nothing', ' m');
    expect(asked[0]?.values).toMatchObject([{ value: 'sin correo', rows: 8, example_row: 4 }]);
    expect(asked[0]?.values[0]?.in_row).toContain('Mail: sin correo');
    expect(asked[0]?.options.map(({ id }) => id)).toEqual(['wrong', 'nothing', 'above', 'leave_out']);
    expect(asked[0]?.options.at(1)).toMatchObject({
      passes: rows,
      samples: [{ row: 4, before: 'sin correo', after: '' }],
    });
    expect([mapping.empty, pass]).toEqual([{ Mail: ['sin correo'] }, rows]);
  });

  it('shows what an answer would make of a value in its first row without another fault', async () => {
    const lines = customers('Mail', (at) => (at % 5 === 2 ? 'sin correo' : undefined));
    // Row 4, the first with this value, lacks its last name.
    const faulty = lines.map((line, at) => (at === 3 ? line.with(2, '') : line));
    const { asked } = await agree(faulty, () => 'nothing', ' x');
    const ofMail = asked.find(({ about }) => about === 'Mail');
    expect(ofMail?.options.at(1)?.samples).toEqual([{ row: 9, before: 'sin correo', after: '' }]);
  });

  it('leaves rows refused whose values are wrong, and does not ask about the next file of this header', async () => {
    const lines = customers('Mail', (at) => (at % 5 === 2 ? `nobody${at}` : undefined));
    const first = await agree(lines, () => 'wrong', ' w');
    expect(first.asked.map(({ code, more }) => [code, more])).toEqual([['invalid_email', 0]]);
    expect([first.mapping.asked, first.pass]).toEqual([{ Mail: ['invalid_email'] }, 32]);
    const next = await agree(lines.slice(0, 30), () => 'wrong', ' w');
    expect(next.asked).toEqual([]);
  });

  it('leaves the rows of values out of the file, of this one and the next, where a person says so', async () => {
    const lines = customers('Mail', (at) => (at % 5 === 2 ? 'left us' : undefined));
    const first = await agree(lines, () => 'leave_out', ' o');
    expect(first.mapping.markedValues).toEqual({ Mail: { 'left us': 'leave_out', '*': 'send' } });
    expect([first.pass, first.reviews.at(-1)?.forecast.refused]).toEqual([32, 0]);
    const next = await agree(lines.slice(0, 30), () => 'wrong', ' o');
    expect([next.asked, next.pass, next.mapping.markedValues]).toEqual([[], 23, first.mapping.markedValues]);
    const single = await agree(lines, () => ({ values: { 'left us': 'rows:leave_out' } }), ' q');
    expect(single.mapping.markedValues).toEqual(first.mapping.markedValues);
  });

  it('asks nothing about fewer than five rows', async () => {
    const lines = customers('Mail', (at) => (at % 10 === 2 ? 'sin correo' : undefined));
    const { asked, pass } = await agree(lines, () => 'nothing', ' f');
    expect([asked, pass]).toEqual([[], 36]);
  });

  it('reads a unit in letters, and several signs for thousands', async () => {
    const units = collections('Amount', (at) => (at % 4 === 1 ? `${1_000 + at} bob` : undefined));
    const ofUnits = await agree(units, () => 'units', ' u');
    expect(ofUnits.asked[0]?.options.find(({ id }) => id === 'units')?.samples?.[0]).toEqual({
      row: 3,
      before: '1001 bob',
      after: '1001',
    });
    expect([ofUnits.mapping.units, ofUnits.pass]).toEqual([{ Amount: ['bob'] }, rows]);
    const signs = collections('Amount', (at) =>
      at % 4 === 1 ? `${at + 1} 250.00` : at % 4 === 2 ? `${at + 1},250.00` : undefined,
    );
    const ofSigns = await agree(signs, () => 'thousands_marks', ' s');
    expect([ofSigns.mapping.repair, ofSigns.pass]).toEqual([{ Amount: ['thousands_marks'] }, rows]);
  });

  it('reads hundredths behind a colon, with the sign of a currency before them, and an equals sign behind an amount', async () => {
    const signed = collections('Amount', (at) => (at % 4 === 1 ? `Sh${1 + at},000:00` : undefined));
    const ofColons = await agree(signed, () => 'units_and_thousands', ' h');
    expect(ofColons.pass).toBe(rows);
    const equal = collections('Amount', (at) => (at % 4 === 1 ? `${1_000 + at}=` : undefined));
    const ofSigns = await agree(equal, () => 'units', ' e');
    expect([ofSigns.mapping.units, ofSigns.pass]).toEqual([{ Amount: ['='] }, rows]);
  });

  it('reads amounts whose thousands people write in several ways, once it is known which sign is before decimals', async () => {
    const lines = collections('Amount', (at) =>
      at % 3 === 0 ? `${1 + at}.250,75` : at % 3 === 1 ? `${1 + at} 500,00` : `${1 + at}900,10`,
    );
    const { mapping, pass } = await agree(lines, () => 'thousands_marks', ' m');
    expect([mapping.decimal, mapping.repair, pass]).toEqual([',', { Amount: ['thousands_marks'] }, rows]);
  });

  it('takes the first of several phones in a cell, where a person says so', async () => {
    const plain = customers('Country', () => 'UG');
    const lines = plain.map((line, at) => [
      ...line,
      at === 0 ? 'Phone' : at % 5 === 2 ? `0772 7424${10 + at} / 0752 4410${10 + at}` : `07727414${10 + at}`,
    ]);
    const { mapping, pass } = await agree(lines, () => 'first_phone', ' f');
    expect([mapping.repair?.['Phone']?.includes('first_phone'), pass]).toEqual([true, rows]);
    const wrong = await agree(lines, () => 'wrong', ' g');
    expect(wrong.pass).toBe(rows - lines.filter((line) => line.at(-1)?.includes('/')).length);
  });

  it('reads lakhs and crores in another currency than those of South Asia, once a person has said so', async () => {
    const lines = collections('Amount', (at) => (at % 4 === 1 ? `1,${20 + at},000.00` : undefined));
    const { asked, mapping, pass } = await agree(lines, () => 'thousands_marks', ' l');
    expect(asked[0]?.options.find(({ id }) => id === 'thousands_marks')?.samples?.[0]).toEqual({
      row: 3,
      before: '1,21,000.00',
      after: '121000.00',
    });
    expect([mapping.repair, pass]).toEqual([{ Amount: ['thousands_marks'] }, rows]);
    const wrong = await agree(lines, () => 'wrong', ' k');
    expect(wrong.pass).toBe(rows - lines.filter((line) => line.some((cell) => /^1,\d\d,/.test(cell))).length);
  });

  it('reads signs in place of a unit, and never a minus behind an amount', async () => {
    const lines = collections('Amount', (at) =>
      at % 4 === 1 ? `${1_000 + at}:-` : at % 13 === 2 ? `${1_000 + at}-` : undefined,
    );
    const { asked, mapping, pass } = await agree(lines, () => 'units', ' i');
    expect(asked[0]?.options.find(({ id }) => id === 'units')?.label).toContain('":-"');
    expect(mapping.units).toEqual({ Amount: [':-'] });
    expect(pass).toBe(rows - lines.filter((line) => line.some((cell) => /\d-$/.test(cell))).length);
  });

  it('reads the usual direction of amounts, and never the other one in its place', async () => {
    const words = (at: number) => (at % 4 === 1 ? 'Dr' : at % 13 === 2 ? 'Cr' : '');
    const lines = collections('Amount', (at) =>
      words(at) === '' ? undefined : `${1_000 + at}.00 ${words(at)}`,
    );
    const { asked, mapping, pass } = await agree(lines, () => 'units', ' d');
    expect(asked[0]?.options.find(({ id }) => id === 'units')?.label).toContain('"Dr"');
    expect(mapping.units).toEqual({ Amount: ['Dr'] });
    expect(pass).toBe(rows - lines.filter((line) => line.some((cell) => cell.endsWith(' Cr'))).length);
  });

  it('asks nothing about amounts of zero or less, which no reading changes', async () => {
    const lines = collections('Amount', (at) =>
      at % 4 === 1 ? (at % 8 === 1 ? '0' : '-250.00') : undefined,
    );
    expect((await agree(lines, () => 'wrong', ' z')).asked).toEqual([]);
  });

  it('never reads marks under filled cells as a value, and asks what they mean', async () => {
    const lines = customers('Town', (at) => (at % 3 === 1 ? '^^' : undefined));
    const refusing = await agree(lines, () => 'wrong', ' x');
    expect(refusing.asked[0]).toMatchObject({ code: 'unknown_value', values: [{ value: '^^', rows: 13 }] });
    expect([refusing.mapping.values?.['city'], refusing.pass]).toEqual([{ '^^': null }, 27]);
    const above = await agree(lines, () => 'above', ' y');
    expect(above.mapping).toMatchObject({ dittoMarks: { Town: ['^^'] }, repair: { Town: ['ditto'] } });
    expect([above.mapping.values, above.pass]).toEqual([undefined, rows]);
    const next = await agree(lines.slice(0, 20), () => 'wrong', ' y');
    expect([next.asked, next.pass]).toEqual([[], 19]);
  });

  it('adds the zeros of postal codes, where a person has seen what they become', async () => {
    const plain = customers('Country', () => 'PL');
    const lines = plain.map((line, at) => [...line, at === 0 ? 'ZIP' : at % 5 === 2 ? '8110' : '30-059']);
    const { asked, mapping, pass } = await agree(lines, () => 'zeros_in_front', ' p');
    expect(asked[0]?.options.find(({ id }) => id === 'zeros_in_front')?.samples?.[0]?.after).toBe('08110');
    expect([mapping.repair?.['ZIP'], pass]).toEqual([['zeros_in_front'], rows]);
  });

  it('reads phones that could be of two countries as those of the country in their row, once a person has said so', async () => {
    const plain = customers('Country', (at) => (at % 2 === 0 ? 'DE' : 'AT'));
    const phone = (at: number): string =>
      at % 2 === 1 ? `0664 12345${at + 10}` : at % 4 === 0 ? `1517654321${at % 10}` : `0151 765432${at + 10}`;
    const lines = plain.map((line, at) => [...line, at === 0 ? 'Mobile' : phone(at - 1)]);
    const { asked, mapping, pass } = await agree(lines, () => 'phones_of_country', ' h');
    expect(mapping.phoneCountry).toEqual({ column: 'Country' });
    expect(asked[0]?.options.find(({ id }) => id === 'phones_of_country')?.samples?.[0]).toEqual({
      row: 2,
      before: '15176543210',
      after: '+4915176543210',
    });
    expect([mapping.repair?.['Mobile'], pass]).toEqual([['phones_of_country'], rows]);
  });

  it('reads phones by the country of their row also where a person has said what its words mean', async () => {
    const plain = customers('Country', (at) => (at % 2 === 0 ? 'Rīga' : 'Kaunas'));
    const lines = plain.map((line, at) => [
      ...line,
      at === 0 ? 'Mobile' : at % 2 === 1 ? `2612 34${at + 10}` : `8 612 345${at + 10}`,
    ]);
    const { mapping, pass } = await agree(
      lines,
      () => 'wrong',
      ' v',
      (question) =>
        question.kind === 'values' && question.field === 'country'
          ? { values: { Rīga: 'LV', Kaunas: 'LT' } }
          : 'accept',
    );
    expect([mapping.phoneCountry, pass]).toEqual([{ column: 'Country' }, rows]);
  });

  it('takes single meanings, and no answer that it did not offer', async () => {
    const lines = collections('Currency', (at) => (at % 4 === 1 ? 'our money' : undefined));
    const { asked, mapping, pass } = await agree(lines, () => ({ values: { 'our money': 'KES' } }), ' t');
    expect(asked[0]?.proposal).toBe('wrong');
    expect([mapping.values?.['currency'], pass]).toEqual([{ 'our money': 'KES' }, rows]);
    await expect(agree(lines, () => 'lost_zeros', ' z')).rejects.toThrow('the answer is one of "wrong"');
  });
});

describe('numbers in scientific notation', () => {
  const lines = customers('Ref', (at) => (at % 4 === 1 ? `7.0${at % 3}E+11` : undefined));

  it('are one question, to which no reading is an answer', async () => {
    const { asked, mapping, pass } = await agree(lines, () => 'accept', ' e');
    expect(asked.map(({ code, proposal, options }) => [code, proposal, options.map(({ id }) => id)])).toEqual(
      [['damaged_number', 'wrong', ['wrong']]],
    );
    expect([mapping.values, mapping.asked?.['Ref e'], pass]).toEqual([undefined, ['damaged_number'], 30]);
  });

  it('have no meaning that a mapping could keep, since other numbers have become the same', async () => {
    const meant = { values: { '7.01E+11': '701234567890' } };
    await expect(agree(lines, () => meant, ' g')).rejects.toThrow('"7.01E+11" has lost digits');
  });
});

describe('the review shows what would be sent', () => {
  it('shows all of few values, and of many those of a rare form', async () => {
    const lines = customers('Town', (at) => (at === 17 ? 'Lima 7/b' : undefined));
    const { reviews } = await agree(lines, () => 'accept', ' r');
    const sent = (title: string) =>
      reviews
        .at(-1)
        ?.columns.find(({ column }) => column === title)
        ?.sent.map(({ value }) => value) ?? [];
    expect(sent('Town')).toContain('Lima 7/b');
    expect(new Set(sent('Town'))).toEqual(new Set(lines.slice(1).map((line) => line[4])));
    expect(sent('Mail').length).toBeLessThanOrEqual(8);
  });
});
