import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import { inScratch } from '../../../src/ledger/connection/open.ts';
import { matchSides } from '../../../src/reconcile/matching/match.ts';
import { readMatchLines } from '../../../src/reconcile/matching/match-lines.ts';
import { createTables, loadSide } from '../../../src/reconcile/matching/records.ts';
import { TextNames } from '../../../src/reconcile/matching/text-names.ts';
import { forEachLedger } from '../../support/ledger.ts';
import { A, B, C, covered, type Given, match, oneGroup, record, type Shape, strictRules } from './shape.ts';

const shapes: readonly Shape[] = [
  { name: 'the same records', here: [A, B], there: [A, B], outcome: ['matched h1=t1', 'matched h2=t2'] },
  {
    name: 'the same records in another order',
    here: [A, B, C],
    there: [C, A, B],
    outcome: ['matched h1=t2', 'matched h2=t3', 'matched h3=t1'],
  },
  {
    name: 'no id there: matched by our reference',
    here: [A],
    there: [{ ...A, id: null }],
    outcome: ['matched h1=t1'],
  },
  {
    name: 'no id here (an unknown row), found by our reference',
    here: [{ ...A, id: null, status: 'unknown' }],
    there: [A],
    outcome: ['matched h1=t1'],
  },
  {
    name: 'blank references match nothing, not even each other',
    here: [{ ...A, id: null, reference: null, amount: '1' }],
    there: [{ ...A, id: null, reference: null, amount: '2' }],
    rules: covered,
    outcome: ['missing_there h1=-', 'unknown_here -=t1'],
  },
  {
    name: 'by natural key where there is neither id nor reference',
    here: [record({ natural: 'n1' }), record({ natural: 'n2' })],
    there: [record({ natural: 'n2' }), record({ natural: 'n1' })],
    outcome: ['matched h1=t2', 'matched h2=t1'],
  },
  {
    name: 'the same reference under two ids',
    here: [A],
    there: [{ ...A, id: 'id-other' }],
    outcome: ['mismatched h1=t1'],
  },
  {
    name: 'the id wins over a reference that another record has',
    here: [A, B],
    there: [
      { ...A, reference: 'REF-B' },
      { ...B, reference: 'REF-A' },
    ],
    outcome: ['mismatched h1=t1', 'mismatched h2=t2'],
  },
  {
    name: 'a mistyped reference is proposed and not accepted',
    here: [record({ reference: 'INV-1001' })],
    there: [record({ reference: 'inv 1OO1' })],
    outcome: ['proposed h1=t1'],
  },
  {
    name: 'the same amount a day apart is proposed and not accepted',
    here: [record({ reference: 'INV-77', amount: '33.10' })],
    there: [record({ reference: 'INV-99', amount: '33.1', day: '2026-11-11' })],
    outcome: ['proposed h1=t1'],
  },
  {
    name: 'the same amount weeks apart is not even proposed',
    here: [record({ reference: 'INV-77' })],
    there: [record({ reference: 'X', day: '2026-11-29' })],
    rules: covered,
    outcome: ['missing_there h1=-', 'unknown_here -=t1'],
  },
  {
    name: 'two candidates of one amount are no proposal',
    here: [record({ reference: 'INV-77' })],
    there: [record({ reference: 'X' }), record({ reference: 'Y' })],
    rules: covered,
    outcome: ['missing_there h1=-', 'unknown_here -=t1', 'unknown_here -=t2'],
  },
  {
    name: 'an amount of another scale is the same amount',
    here: [A],
    there: [{ ...A, amount: '10' }],
    outcome: ['matched h1=t1'],
  },
  {
    name: 'a difference of a hundredth is one',
    here: [A],
    there: [{ ...A, amount: '10.01' }],
    outcome: ['mismatched h1=t1'],
  },
  {
    name: 'a difference beyond what floating point can tell is one',
    here: [{ ...A, amount: '90071992547409931234.01' }],
    there: [{ ...A, amount: '90071992547409931234.02' }],
    outcome: ['mismatched h1=t1'],
  },
  {
    name: 'a small difference within the absolute tolerance, its bound included',
    here: [A, B],
    there: [
      { ...A, amount: '10.05' },
      { ...B, amount: '10.06' },
    ],
    rules: { tolerance: { absolute: '0.05', percent: '0', days: 0 } },
    outcome: ['matched_within_tolerance h1=t1', 'mismatched h2=t2'],
  },
  {
    name: 'a difference within a percentage',
    here: [{ ...A, amount: '1000' }, B],
    there: [
      { ...A, amount: '995' },
      { ...B, amount: '9.90' },
    ],
    rules: { tolerance: { absolute: '0', percent: '0.5', days: 0 } },
    outcome: ['matched_within_tolerance h1=t1', 'mismatched h2=t2'],
  },
  {
    name: 'a large difference stays one',
    here: [A],
    there: [{ ...A, amount: '1000.00' }],
    rules: { tolerance: { absolute: '1', percent: '1', days: 1 } },
    outcome: ['mismatched h1=t1'],
  },
  {
    name: 'an equal figure in another currency is a difference, whatever the tolerance',
    here: [A],
    there: [{ ...A, currency: 'UGX' }],
    rules: { tolerance: { absolute: '1000', percent: '100', days: 9 } },
    outcome: ['mismatched h1=t1'],
  },
  {
    name: 'the next day, without and with a tolerance of days',
    here: [A],
    there: [{ ...A, day: '2026-11-11' }],
    outcome: ['mismatched h1=t1'],
  },
  {
    name: 'the next day within a day',
    here: [A],
    there: [{ ...A, day: '2026-11-11' }],
    rules: { tolerance: { absolute: '0', percent: '0', days: 1 } },
    outcome: ['matched_within_tolerance h1=t1'],
  },
  {
    name: 'amounts that nobody has read: no pair is matched, whatever else agrees, and no tolerance helps',
    here: [A, B, record({ reference: 'REF-G' })],
    there: [A, { ...B, id: null, day: '2026-11-11' }, record({ group: 'REF-G' }), record({ group: 'REF-G' })],
    rules: {
      tolerance: { absolute: '100', percent: '0', days: 1 },
      compares: { ...strictRules.compares, amount: false },
      amountsLeftOut: 'not_read',
    },
    outcome: ['matched_by_id -=t4', 'matched_by_id h1=t1', 'matched_by_id h2=t2', 'matched_by_id h3=t3'],
  },
  {
    name: 'amounts that nobody has read: what differs otherwise is still a difference',
    here: [A],
    there: [{ ...A, currency: 'UGX' }],
    rules: { compares: { ...strictRules.compares, amount: false }, amountsLeftOut: 'not_read' },
    outcome: ['mismatched h1=t1'],
  },
  {
    name: 'a reference that somebody does not want to be compared',
    here: [A],
    there: [{ ...A, reference: 'OTHER' }],
    rules: { compares: { ...strictRules.compares, reference: false } },
    outcome: ['matched h1=t1'],
  },
  {
    name: 'another compared field',
    here: [{ ...A, fields: ['0712', null] }],
    there: [{ ...A, fields: ['0713', null] }],
    outcome: ['mismatched h1=t1'],
  },
  {
    name: 'one-sided records without declared coverage claim nothing',
    here: [A],
    there: [],
    outcome: ['not_covered h1=-'],
  },
  {
    name: 'one-sided records inside, at the edge of and outside the declared coverage',
    here: [
      A,
      { ...B, day: '2026-11-30' },
      { ...C, day: '2026-12-01' },
      record({ id: 'id-D', amount: '4', day: '2026-11-28' }),
      record({ id: 'id-E', amount: '5', day: '2026-11-29' }),
    ],
    there: [record({ id: 'id-X', amount: '7' }), record({ id: 'id-Y', amount: '8', day: '2026-10-31' })],
    rules: { ...covered, graceInDays: 2 },
    outcome: [
      'expected h2=-',
      'expected h5=-',
      'missing_there h1=-',
      'missing_there h4=-',
      'not_covered -=t2',
      'not_covered h3=-',
      'unknown_here -=t1',
    ],
  },
  {
    name: 'the same record twice there',
    here: [A],
    there: [A, A],
    outcome: ['duplicate_there h1=t2*', 'matched h1=t1'],
  },
  {
    name: 'the same record twice there, in an export without dates',
    here: [A],
    there: [
      { ...A, day: null },
      { ...A, day: null },
    ],
    rules: { compares: { id: true, reference: true, amount: true, currency: true, day: false, text: true } },
    outcome: ['duplicate_there h1=t2*', 'matched h1=t1'],
  },
  {
    name: 'the same record twice here',
    here: [A, A],
    there: [A],
    outcome: ['duplicate_here h2=t1*', 'matched h1=t1'],
  },
  {
    name: 'a multiset: three of one kind beside two',
    here: [A, A, A].map((each) => ({ ...each, id: null })),
    there: [A, A].map((each) => ({ ...each, id: null })),
    outcome: ['duplicate_here h3=t1*', 'matched h1=t1', 'matched h2=t2'],
  },
  {
    name: 'of two with one reference, the equal one is taken and the rest is a pair',
    here: [record({ reference: 'R', amount: '1' }), record({ reference: 'R', amount: '2' })],
    there: [record({ reference: 'R', amount: '2' }), record({ reference: 'R', amount: '3' })],
    outcome: ['matched h2=t1', 'mismatched h1=t2'],
  },
  {
    name: 'several of one reference with other amounts are ambiguous',
    here: [record({ reference: 'R', amount: '1' }), record({ reference: 'R', amount: '2' })],
    there: [record({ reference: 'R', amount: '3' }), record({ reference: 'R', amount: '4' })],
    outcome: ['ambiguous -=t1', 'ambiguous -=t2', 'ambiguous h1=-', 'ambiguous h2=-'],
  },
  {
    name: 'a second object of a reference that is matched by its id',
    here: [A],
    there: [A, { ...A, id: 'id-second' }],
    outcome: ['duplicate_there h1=t2*', 'matched h1=t1'],
  },
  {
    name: 'payments in parts that add up exactly',
    here: [record({ reference: 'G', amount: '0.30' })],
    there: [record({ group: 'G', amount: '0.10' }), record({ group: 'G', amount: '0.20' })],
    outcome: ['matched -=t2', 'matched h1=t1'],
  },
  {
    name: 'payments in parts of which one is missing',
    here: [record({ reference: 'G', amount: '30' })],
    there: [record({ group: 'G', amount: '10' }), record({ group: 'G', amount: '15' })],
    outcome: ['mismatched -=t2', 'mismatched h1=t1'],
  },
  {
    name: 'a payment and its partial refund',
    here: [record({ reference: 'G', amount: '60' })],
    there: [record({ group: 'G', amount: '100' }), record({ group: 'G', amount: '-40' })],
    outcome: ['matched -=t2', 'matched h1=t1'],
  },
  {
    name: 'a payment that was refunded as a whole',
    here: [record({ reference: 'G', amount: '100' })],
    there: [record({ group: 'G', amount: '100' }), record({ group: 'G', amount: '-100' })],
    outcome: ['mismatched -=t2', 'mismatched h1=t1'],
  },
  {
    name: 'parts in two currencies are never added up',
    here: [record({ reference: 'G', amount: '30' })],
    there: [record({ group: 'G', amount: '10' }), record({ group: 'G', amount: '20', currency: 'UGX' })],
    outcome: ['mismatched -=t2', 'mismatched h1=t1'],
  },
  {
    name: 'many records here that are one payment there',
    here: [record({ group: 'P', amount: '10' }), record({ group: 'P', amount: '20' })],
    there: [record({ id: 'P', amount: '30' })],
    outcome: ['matched h1=t1', 'matched h2=-'],
  },
  {
    name: 'a group that could be either of two records',
    here: [record({ reference: 'G', amount: '30' }), record({ reference: 'G', amount: '30' })],
    there: [record({ group: 'G', amount: '10' }), record({ group: 'G', amount: '20' })],
    outcome: ['ambiguous -=t1', 'ambiguous -=t2', 'ambiguous h1=-', 'ambiguous h2=-'],
  },
  {
    name: 'parts of which one has no amount are never taken for the sum of the others',
    here: [record({ reference: 'G', amount: '30' })],
    there: [
      record({ group: 'G', amount: '10' }),
      record({ group: 'G', amount: '20' }),
      record({ group: 'G', amount: null }),
    ],
    outcome: ['mismatched -=t2', 'mismatched -=t3', 'mismatched h1=t1'],
  },
  {
    name: 'parts within the tolerance of their sum, its bound included',
    here: [record({ reference: 'G', amount: '30' }), record({ reference: 'F', amount: '30' })],
    there: [
      record({ group: 'G', amount: '10' }),
      record({ group: 'G', amount: '20.05' }),
      record({ group: 'F', amount: '10' }),
      record({ group: 'F', amount: '20.06' }),
    ],
    rules: { tolerance: { absolute: '0.05', percent: '0', days: 0 } },
    outcome: [
      'matched_within_tolerance -=t2',
      'matched_within_tolerance h1=t1',
      'mismatched -=t4',
      'mismatched h2=t3',
    ],
  },
  {
    name: 'several records here that are several there: exact sums of both groups',
    here: [
      record({ reference: 'I-1', group: 'P', amount: '10' }),
      record({ reference: 'I-2', group: 'P', amount: '20.50' }),
      record({ reference: 'I-3', group: 'P', amount: '-0.5' }),
    ],
    there: [
      record({ reference: 'B-1', group: 'P', amount: '15.00' }),
      record({ reference: 'B-2', group: 'P', amount: '15.00' }),
    ],
    outcome: ['matched -=t2', 'matched h1=t1', 'matched h2=-', 'matched h3=-'],
  },
  {
    name: 'several records here that are several there, with a refund there too many',
    here: [record({ group: 'P', amount: '10' }), record({ group: 'P', amount: '20' })],
    there: [
      record({ group: 'P', amount: '15' }),
      record({ group: 'P', amount: '15' }),
      record({ group: 'P', amount: '-0.01' }),
    ],
    outcome: ['mismatched -=t2', 'mismatched -=t3', 'mismatched h1=t1', 'mismatched h2=-'],
  },
  {
    name: 'groups of both sides in two currencies are never added up',
    here: [record({ group: 'P', amount: '10' }), record({ group: 'P', amount: '20', currency: 'UGX' })],
    there: [record({ group: 'P', amount: '10' }), record({ group: 'P', amount: '20', currency: 'UGX' })],
    outcome: ['mismatched -=t2', 'mismatched h1=t1', 'mismatched h2=-'],
  },
  {
    name: 'groups of both sides whose records have references of their own: pair by pair',
    here: [record({ reference: 'A', group: 'P' }), record({ reference: 'B', group: 'P', amount: '20' })],
    there: [
      record({ reference: 'B', group: 'P', amount: '21' }),
      record({ reference: 'A', group: 'P', amount: '10' }),
    ],
    outcome: ['matched h1=t2', 'mismatched h2=t1'],
  },
  {
    name: 'what is left of groups that were matched in part is no group',
    here: [record({ reference: 'A', group: 'P' }), record({ reference: 'B', group: 'P', amount: '20' })],
    there: [
      record({ reference: 'A', group: 'P' }),
      record({ reference: 'X', group: 'P', amount: '12' }),
      record({ reference: 'Y', group: 'P', amount: '8' }),
    ],
    rules: covered,
    outcome: ['matched h1=t1', 'missing_there h2=-', 'unknown_here -=t2', 'unknown_here -=t3'],
  },
  {
    name: 'one record on each side with two references is no group',
    here: [record({ reference: 'A', group: 'P', amount: '10' })],
    there: [record({ reference: 'X', group: 'P', amount: '10', day: '2026-11-29' })],
    rules: covered,
    outcome: ['missing_there h1=-', 'unknown_here -=t1'],
  },
  {
    name: 'groups of both sides, named as the reference here',
    here: [
      record({ reference: 'G', group: 'G', amount: '10' }),
      record({ reference: 'G', group: 'G', amount: '20' }),
    ],
    there: [record({ group: 'G', amount: '12' }), record({ group: 'G', amount: '18' })],
    outcome: ['matched -=t2', 'matched h1=t1', 'matched h2=-'],
  },
  {
    name: 'a record that the mapping leaves out matches nothing',
    here: [A, B],
    there: [A, { ...B, leftOut: 'Status: Failed' }],
    rules: covered,
    outcome: ['matched h1=t1', 'left_out h2=-'],
  },
  {
    name: 'a natural key never ties what references say are two',
    here: [{ ...A, id: null, natural: 'n' }],
    there: [record({ reference: 'OTHER', natural: 'n' }), record({ natural: 'n' })],
    outcome: ['matched h1=t2', 'not_covered -=t1'],
    rules: { ...covered, coversFrom: '2026-11-11' },
  },
  {
    name: 'of two with one id, the one with our reference is it',
    here: [A],
    there: [{ ...A, reference: 'WRONG' }, A],
    outcome: ['duplicate_there h1=t1*', 'matched h1=t2'],
  },
  {
    name: 'of two with one reference, the one within the tolerance is it',
    here: [record({ reference: 'R' })],
    there: [record({ reference: 'R', amount: '55' }), record({ reference: 'R', amount: '10.01' })],
    rules: { tolerance: { absolute: '0.05', percent: '0', days: 0 } },
    outcome: ['duplicate_there h1=t1*', 'matched_within_tolerance h1=t2'],
  },
  {
    name: 'two records here whose ids and references say that they are two, one of them there',
    here: [
      { ...A, natural: 'n' },
      { ...B, natural: 'n' },
    ],
    there: [{ ...A, natural: 'n' }],
    rules: covered,
    outcome: ['matched h1=t1', 'missing_there h2=-'],
  },
  {
    name: 'two records here that one record there could be are ambiguous, and so is that',
    here: [
      { ...A, natural: 'n' },
      { ...B, natural: 'n' },
    ],
    there: [record({ natural: 'n' })],
    outcome: ['ambiguous -=t1', 'ambiguous h1=-', 'ambiguous h2=-'],
  },
  {
    name: 'two records here and two alike there: whichever belongs to which, both are there',
    here: [
      { ...A, natural: 'n' },
      { ...B, natural: 'n' },
    ],
    there: [record({ natural: 'n' }), record({ natural: 'n' })],
    outcome: ['matched h1=t1', 'matched h2=t2'],
  },
  {
    name: 'our reference in a text, as it is: matched where amounts agree, else proposed',
    here: ['A-2041', 'A-2042', 'A-2043'].map((reference) => record({ reference })),
    there: [
      record({ text: 'other words\nPayment for a-2041.' }),
      record({ text: 'A-2042', amount: '9' }),
      record({ text: 'A 2043', entry: JSON.stringify(['', 'B-3']) }),
    ],
    outcome: ['matched h1=t1', 'proposed h2=t2', 'proposed h3=t3'],
  },
  {
    name: 'a reference that is a part of another one in the text, or too short, is none',
    here: ['A-2041', 'A-2041-B', '12'].map((reference) => record({ reference, currency: 'UGX' })),
    there: [
      record({ text: 'A-2041-B', currency: 'UGX' }),
      record({ text: '12' }),
      record({ text: 'XA-2041' }),
    ],
    rules: { ...covered, coversFrom: '2026-11-11' },
    outcome: [
      'matched h2=t1',
      'not_covered -=t2',
      'not_covered -=t3',
      'not_covered h1=-',
      'not_covered h3=-',
    ],
  },
  {
    name: 'an entry and its reversal, and a text with two references, are ambiguous',
    here: ['A-2041', 'A-2042', 'A-2043'].map((reference) => record({ reference })),
    there: [
      record({ text: 'A-2041' }),
      record({ text: 'A-2041', amount: '-10.00' }),
      record({ text: 'A-2042 A-2043', amount: '20' }),
    ],
    outcome: [
      ...['ambiguous -=t1', 'ambiguous -=t2', 'ambiguous -=t3'],
      ...['ambiguous h1=-', 'ambiguous h2=-', 'ambiguous h3=-'],
    ],
  },
  {
    name: 'a group of one record is a group, equal or not',
    here: [
      { ...A, amount: '20.00' },
      { ...B, amount: '5.00' },
    ],
    there: [
      record({ id: 'l-1', reference: 'X-1', group: 'id-A', amount: '19.99' }),
      record({ id: 'l-2', reference: 'X-2', group: 'REF-B', amount: '5' }),
    ],
    rules: covered,
    outcome: ['matched h2=t2', 'mismatched h1=t1'],
  },
  {
    name: 'a group whose records have the references of others is none',
    here: [A, B, record({ reference: 'G', amount: '20.00' })],
    there: [
      { ...A, id: null, group: 'G' },
      { ...B, id: null, group: 'G' },
    ],
    rules: covered,
    outcome: ['matched h1=t1', 'matched h2=t2', 'missing_there h3=-'],
  },
  {
    name: 'parts beside a record that has the very reference',
    here: [record({ reference: 'G', amount: '20.00' })],
    there: [record({ group: 'G' }), record({ group: 'G' }), record({ reference: 'G', amount: '20.00' })],
    outcome: ['ambiguous -=t1', 'ambiguous -=t2', 'ambiguous -=t3', 'ambiguous h1=-'],
  },
];

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  describe('each shape', () => {
    it.each(shapes)('$name', async ({ here, there, rules, outcome }) => {
      const matched = await match(database, here, there, rules);
      expect(matched.outcomes).toEqual([...outcome].sort());
    });
  });

  it('gives all shapes at once the same states, whatever is beside them', async () => {
    const named = (name: string, given: Given): Given => ({
      ...given,
      ...(given.id == null ? {} : { id: `${name} ${given.id}` }),
      ...(given.reference == null ? {} : { reference: `${name} ${given.reference}` }),
      ...(given.natural == null ? {} : { natural: `${name} ${given.natural}` }),
      ...(given.group == null ? {} : { group: given.group === 'P' ? `${name} P` : `${name} ${given.group}` }),
    });
    const exact = shapes.filter(
      ({ rules, outcome, there }) =>
        rules === undefined &&
        !outcome.join().includes('proposed') &&
        there.every(({ text }) => text === undefined),
    );
    const { proof } = await match(
      database,
      exact.flatMap(({ name, here }) => here.map((each) => named(name, each))),
      exact.flatMap(({ name, there }) => there.map((each) => named(name, each))),
    );
    const states = (outcome: readonly string[], side: 'h' | 't'): string[] =>
      outcome.flatMap((line) => {
        const [state = '', pair = ''] = line.split(' ');
        const isUsed = !(line.endsWith('*') && state.endsWith(side === 'h' ? '_there' : '_here'));
        return pair.includes(side) && isUsed ? [state] : [];
      });
    for (const [side, letter] of [
      ['here', 'h'],
      ['there', 't'],
    ] as const) {
      const expected: Record<string, number> = {};
      for (const state of exact.flatMap(({ outcome }) => states(outcome, letter))) {
        expected[state] = (expected[state] ?? 0) + 1;
      }
      const found: Record<string, number> = {};
      // A state may be there twice: of rows that are a difference, and of others.
      for (const { state, records } of proof.states.filter((each) => each.side === side)) {
        found[state] = (found[state] ?? 0) + records;
      }
      expect(found).toEqual(expected);
    }
  });

  it('gives no two groups the same number', async () => {
    const links = await inScratch(database, async (scratch) => {
      await createTables(scratch);
      const part = (given: Given): Given => record({ amount: '5', ...given });
      const here = await loadSide(
        scratch,
        'here',
        oneGroup([record({ reference: 'G' }), part({ group: 'P' }), part({ group: 'P' })]),
        strictRules.compares,
        new TextNames(scratch),
      );
      const there = await loadSide(
        scratch,
        'there',
        oneGroup([record({ id: 'P' }), part({ group: 'G' }), part({ group: 'G' })]),
        strictRules.compares,
        new TextNames(scratch),
      );
      await matchSides(scratch, here, there, strictRules);
      const found = new Map<number | null, string[]>();
      for await (const group of readMatchLines(scratch)) {
        for (const { link, here: own, there: theirs } of group) {
          found.set(link, [...(found.get(link) ?? []), `h${own?.row ?? '-'} t${theirs?.row ?? '-'}`]);
        }
      }
      return found;
    });
    expect([...links.values()].map((lines) => lines.length)).toEqual([2, 2]);
    expect([...links.keys()]).toEqual([1, 2]);
  });

  it('counts a record of two files with the same content as one, and with other content as a second', async () => {
    const file = (number: number, given: Given): Given => ({ ...given, file: number });
    const there = [
      file(0, A),
      file(1, A),
      file(0, B),
      file(1, { ...B, amount: '11' }),
      file(0, C),
      file(0, C),
    ];
    const { proof, outcomes } = await match(database, [A, B, C], there);
    expect(outcomes).toEqual([
      ...[
        'duplicate_there h2=t4*',
        'duplicate_there h3=t6*',
        'matched h1=t1',
        'matched h2=t3',
        'matched h3=t5',
      ],
    ]);
    expect(proof.there.repeated).toEqual({
      records: 1,
      sums: [{ currency: 'KES', rows: 1, amount: '10.00' }],
    });
  });

  it('says why a record without a counterpart was left out, by its id or its reference', async () => {
    const places = await inScratch(database, async (scratch) => {
      await createTables(scratch);
      const failed = { leftOut: 'Status: Failed' };
      const here = await loadSide(
        scratch,
        'here',
        oneGroup([A, B, C]),
        strictRules.compares,
        new TextNames(scratch),
      );
      const left = [
        { ...A, ...failed, reference: 'x' },
        { ...B, ...failed, id: 'x' },
      ];
      const there = await loadSide(
        scratch,
        'there',
        oneGroup(left),
        strictRules.compares,
        new TextNames(scratch),
      );
      expect(there).toMatchObject({
        records: 0,
        leftOut: [{ reason: 'Status: Failed', records: 2 }],
        sums: [],
      });
      await matchSides(scratch, here, there, { ...strictRules, ...covered });
      const found: (string | null)[] = [];
      for await (const group of readMatchLines(scratch)) found.push(...group.map(({ place }) => place));
      return found;
    });
    expect(places).toEqual(['Status: Failed', 'Status: Failed', null]);
  });

  it('proves exact sums by currency for each state and each side', async () => {
    const { proof } = await match(
      database,
      [A, { ...B, amount: '0.1' }, { ...C, amount: '5', currency: 'UGX' }],
      [A, { ...B, amount: '0.3' }],
      covered,
    );
    expect(proof.here).toMatchObject({
      records: 3,
      sums: [
        { currency: 'KES', rows: 2, amount: '10.10' },
        { currency: 'UGX', rows: 1, amount: '5' },
      ],
    });
    expect(proof.states).toContainEqual({
      side: 'there',
      state: 'mismatched',
      isDifference: true,
      records: 1,
      sums: [{ currency: 'KES', rows: 1, amount: '0.3' }],
    });
  });

  it('refuses to give a result whose records do not add up', async () => {
    const failing = inScratch(database, async (scratch) => {
      await createTables(scratch);
      const here = await loadSide(
        scratch,
        'here',
        oneGroup([A, B]),
        strictRules.compares,
        new TextNames(scratch),
      );
      const there = await loadSide(
        scratch,
        'there',
        oneGroup([A]),
        strictRules.compares,
        new TextNames(scratch),
      );
      await matchSides(scratch, { ...here, records: 3 }, there, strictRules);
    });
    await expect(failing).rejects.toThrow('do not add up');
  });
});
