import { expect, it } from 'vitest';
import { searchesFor, termsOfRecord } from '../../../src/domain/rows/search-terms.ts';

/** By what a text finds a record: a record that is meant has all terms of the text. */
function foundBy(text: string, record: Readonly<Record<string, string>>): string[] {
  const own = new Set(termsOfRecord(record));
  return searchesFor(text).flatMap(({ by, fields, terms, isMeant }) => {
    const values = fields.flatMap((field) => record[field] ?? []);
    if (!isMeant(values)) return [];
    expect(terms.every((term) => own.has(term))).toBe(true);
    return [by];
  });
}

const payee = { account_name: 'Dr. José Álvarez Otieno', account_number: '000-123 456', bank_name: 'KCB' };
const customer = { first_name: 'Amina', middle_name: 'W', last_name: 'Otieno', phone: '+254712345678' };

it.each(['Otieno', 'jose alvarez', 'OTIENO, José', 'Otieno Jose Alvarez', 'Dr José'])(
  'finds a payee by whole words: %s',
  (text) => {
    expect(foundBy(text, payee)).toEqual(['name']);
  },
);

it.each(['Otien', 'Jose Kamau', 'KCB', 'a', '', '   '])('finds no payee by anything else: "%s"', (text) => {
  expect(foundBy(text, payee)).toEqual([]);
});

it('finds a customer by all of the names, and words of two customers in neither', () => {
  expect(foundBy('otieno amina', customer)).toEqual(['name']);
  expect(foundBy('Brian Otieno', customer)).toEqual([]);
});

it('has a term for each two words, so that words of two rows of a group do not look like a row', () => {
  const terms = new Set(
    ['Brian Otieno', 'Amina Kamau'].flatMap((name) => termsOfRecord({ account_name: name })),
  );
  const [search] = searchesFor('Amina Otieno');
  expect(search?.terms.map((term) => terms.has(term))).toEqual([true, true, false]);
});

it.each(['000123456', '000 123 456', '000-123-456'])('finds an account however it is spaced: %s', (text) => {
  expect(foundBy(text, payee)).toEqual(['account']);
});

it.each(['000123', '123456', '0001234567'])('finds no account by a part of it: %s', (text) => {
  expect(foundBy(text, payee)).toEqual([]);
});

it('finds an IBAN, and a phone number with its country code', () => {
  const iban = { account_name: 'A B', iban: 'DE89370400440532013000' };
  expect(foundBy('de89 3704 0044 0532 0130 00', iban)).toEqual(['account']);
  for (const text of ['+254 712 345 678', '254712345678', '00254-712-345-678']) {
    expect(foundBy(text, customer)).toEqual(['account']);
  }
});

it('hashes a term as every program does, in the range of a database integer', () => {
  const record = { account_name: 'Amina Otieno', account_number: '000-123456' };
  expect(termsOfRecord(record)).toMatchInlineSnapshot(`
    [
      -737629405,
      1383042868,
      1405311620,
      1602122017,
    ]
  `);
  const numbers = Array.from({ length: 20_000 }, (_, number) => ({ phone: `+254${number}` }));
  const hashes = new Set(numbers.flatMap(termsOfRecord));
  expect(hashes.size).toBeGreaterThan(19_995);
  expect([...hashes].every((hash) => hash === (hash | 0))).toBe(true);
});

it('gives not too many terms of a very long name', () => {
  const name = Array.from({ length: 500 }, (_, number) => `word${number}`).join(' ');
  expect(termsOfRecord({ account_name: name }).length).toBeLessThanOrEqual(12 + 66);
});
