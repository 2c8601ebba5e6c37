import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import { forEachLedger } from '../../support/ledger.ts';
import { A, covered, type Given, match, record, type Shape } from './shape.ts';

const X1 = record({ id: 'X1', reference: 'ABCDE-1' });
const X2 = record({ id: 'X2', reference: 'FGHIJ-2' });
const leftOut = { leftOut: 'Status: PDNG' };

/** What a comparison must not be sure of, and what it must not overlook. */
const texts: readonly Shape[] = [
  {
    name: 'a text that names a record which is matched otherwise as well',
    here: [X1, X2],
    there: [record({ id: 'X1', text: 'pays ABCDE-1' }), record({ text: 'pays ABCDE-1 and FGHIJ-2' })],
    rules: covered,
    outcome: ['matched h1=t1', 'ambiguous h2=-', 'ambiguous -=t2'],
  },
  {
    name: 'a record whose text names another record here as well, and is matched otherwise',
    here: [X1, X2],
    there: [record({ id: 'X1', text: 'ABCDE-1 and FGHIJ-2' }), record({ text: 'FGHIJ-2' })],
    rules: covered,
    outcome: ['matched h1=t1', 'ambiguous h2=-', 'ambiguous -=t2'],
  },
  {
    name: 'the only text that names ours belongs to another record',
    here: [X1, X2],
    there: [record({ id: 'X1', text: 'ABCDE-1 and FGHIJ-2' })],
    rules: covered,
    outcome: ['matched h1=t1', 'ambiguous h2=-'],
  },
  {
    name: 'a text that names what the mapping leaves out here as well',
    here: [{ ...X1, ...leftOut }, X2],
    there: [record({ text: 'pays ABCDE-1 and FGHIJ-2' })],
    rules: covered,
    outcome: ['ambiguous h2=-', 'ambiguous -=t1'],
  },
  {
    name: 'a text that names only what is matched otherwise repeats it, where they agree',
    here: [X1],
    there: [record({ id: 'X1' }), record({ text: 'ABCDE-1' }), record({ text: 'ABCDE-1', amount: '-10' })],
    rules: covered,
    outcome: ['matched h1=t1', 'duplicate_there h1=t2*', 'ambiguous -=t3'],
  },
  {
    name: 'a reference and a longer one around it, each by itself in one text',
    here: [record({ reference: 'A-2041' }), record({ reference: 'A-2041-B' })],
    there: [record({ text: 'A-2041-B and A-2041' })],
    rules: covered,
    outcome: ['ambiguous h1=-', 'ambiguous h2=-', 'ambiguous -=t1'],
  },
  {
    name: 'a reference without its sign in two entries',
    here: [record({ reference: 'INV-2041' })],
    there: [record({ text: 'INV 2041' }), record({ text: 'INV2041' })],
    rules: covered,
    outcome: ['ambiguous h1=-', 'ambiguous -=t1', 'ambiguous -=t2'],
  },
  {
    name: 'letters beyond ASCII, in any case and any form of Unicode',
    here: ['Größe/77-QX', 'ŁÓDŹ-1203', 'Αθήνα 55', '請求書2041'].map((reference) => record({ reference })),
    there: [
      record({ text: 'Zahlung GRÖSSE/77-QX danke' }),
      record({ text: 'łódź-1203'.normalize('NFD') }),
      record({ text: 'πληρωμή ΑΘΉΝΑ  55.' }),
      record({ text: '(請求書2041)' }),
    ],
    outcome: ['matched h1=t1', 'matched h2=t2', 'matched h3=t3', 'matched h4=t4'],
  },
  {
    name: 'a reference that goes on with a letter beyond ASCII is another one',
    here: [record({ reference: 'INV-2041' })],
    there: [record({ text: 'INV-2041Ä', currency: 'UGX' }), record({ text: 'ßINV-2041', currency: 'UGX' })],
    rules: covered,
    outcome: ['missing_there h1=-', 'unknown_here -=t1', 'unknown_here -=t2'],
  },
  {
    name: 'a reference with signs around it stands in a text only with these',
    here: [record({ reference: '#INV/20 (a)' })],
    there: [record({ text: 'for #INV/20 (A)' })],
    outcome: ['matched h1=t1'],
  },
  {
    name: 'a pending entry with our reference in its text is left out, here and there',
    here: [X1, { ...X2, ...leftOut }],
    there: [record({ text: 'ABCDE-1', ...leftOut }), record({ text: 'FGHIJ-2' })],
    rules: covered,
    outcome: ['left_out h1=-', 'left_out -=t2'],
  },
  {
    name: 'a pending entry and the booked one after it',
    here: [X1],
    there: [record({ text: 'ABCDE-1', ...leftOut }), record({ text: 'ABCDE-1' })],
    outcome: ['matched h1=t2'],
  },
];

const others: readonly Shape[] = [
  {
    name: 'a payout of several records here that the mapping leaves out',
    here: ['R1', 'R2', 'R3'].map((reference) => record({ reference, group: reference === 'R3' ? 'Q' : 'P' })),
    there: [record({ id: 'P', amount: '20', ...leftOut }), record({ group: 'Q', ...leftOut })],
    rules: covered,
    outcome: ['left_out h1=-', 'left_out h2=-', 'left_out h3=-'],
  },
  {
    name: 'crossed keys',
    here: [record({ id: 'X1', reference: 'RA' }), record({ id: 'X2', reference: 'RB' })],
    there: [record({ id: 'X1', reference: 'RB' })],
    rules: covered,
    outcome: ['mismatched h1=t1', 'ambiguous h2=-'],
  },
  {
    name: 'crossed keys, there',
    here: [record({ id: 'X1', reference: 'RB' })],
    there: [record({ id: 'X1', reference: 'RA' }), record({ id: 'X2', reference: 'RB' })],
    rules: covered,
    outcome: ['mismatched h1=t1', 'ambiguous -=t2'],
  },
  {
    name: 'of two with one id, the one that agrees comes before the one that has our reference too',
    here: [A],
    there: [
      { ...A, amount: '99' },
      { ...A, reference: null },
    ],
    outcome: ['matched h1=t2', 'duplicate_there h1=t1*'],
  },
  {
    name: 'a pair by reference that agrees comes before a pair by id that does not',
    here: [A],
    there: [
      { ...A, reference: 'OTHER', amount: '99' },
      { ...A, id: null },
    ],
    outcome: ['matched h1=t2', 'ambiguous -=t1'],
  },
  {
    name: 'another payment of a customer, which the other side does not have yet, repeats nothing',
    here: [
      record({ id: 'X1', reference: 'RA', natural: 'C-1 10' }),
      record({ reference: 'RB', natural: 'C-1 10' }),
    ],
    there: [record({ id: 'X1', natural: 'C-1 10' })],
    rules: covered,
    outcome: ['matched h1=t1', 'missing_there h2=-'],
  },
  {
    name: 'a pair by reference that agrees comes before a pair by id that does not, the other way round',
    here: [
      { ...A, reference: 'OTHER', amount: '99' },
      { ...A, id: null },
    ],
    there: [A],
    outcome: ['ambiguous h1=-', 'matched h2=t1'],
  },
  {
    name: 'a pair by id stays one where nothing agrees better',
    here: [A],
    there: [
      { ...A, reference: 'OTHER', amount: '99' },
      { ...A, id: null, amount: '98' },
    ],
    outcome: ['mismatched h1=t1', 'ambiguous -=t2'],
  },
];

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  describe('is not sure of', () => {
    it.each([...texts, ...others])('$name', async ({ here, there, rules, outcome }) => {
      const { outcomes } = await match(database, here, there, rules);
      expect(outcomes).toEqual([...outcome].sort());
    });
  });

  it('counts matched records separately whose row is in doubt', async () => {
    const unknown = { ...A, id: null, status: 'unknown' };
    const grouped = record({ reference: 'R', group: 'P', amount: '4', status: 'held' });
    const { proof } = await match(
      database,
      [unknown, record({ id: 'B' }), grouped, { ...grouped, reference: 'S', amount: '6' }],
      [A, record({ id: 'B' }), record({ id: 'P' })],
    );
    const matched = proof.states.filter(({ state }) => state === 'matched');
    expect(matched.map(({ side, isDifference, records }) => [side, isDifference, records])).toEqual([
      ['here', false, 1],
      ['here', true, 3],
      ['there', false, 1],
      ['there', true, 2],
    ]);
  });

  describe('a record of two files', () => {
    const rules = {
      compares: { id: true, reference: true, amount: true, currency: true, day: false, text: true },
    };
    const file = (number: number, given: Given): Given => ({ ...given, file: number });

    it('is one where one of the files lacks a column that is not compared', async () => {
      const full = record({ ...A, natural: 'n', group: 'g', text: 'words', entry: 'DE1 7' });
      for (const lacking of ['natural', 'group', 'text', 'day']) {
        const there = [file(0, { ...full, [lacking]: null }), file(1, full)];
        const { outcomes, proof } = await match(database, [A], there, rules);
        expect([lacking, outcomes, proof.there.repeated.records]).toEqual([lacking, ['matched h1=t2'], 1]);
      }
    });

    it('is one where its natural key is made of other columns, as one of the files lacks some', async () => {
      const there = [
        file(0, { ...A, natural: 'by e-mail' }),
        file(1, { ...A, natural: 'by phone', group: 'g' }),
      ];
      const { outcomes, proof } = await match(database, [A], there, rules);
      expect([outcomes, proof.there.repeated.records]).toEqual([['matched h1=t2'], 1]);
    });

    it('is two where a value that is not compared differs', async () => {
      const there = [file(0, { ...A, text: 'one' }), file(1, { ...A, text: 'two' }), file(2, A)];
      const { proof } = await match(database, [A], there, rules);
      expect(proof.there.repeated.records).toBe(0);
    });
  });
});
