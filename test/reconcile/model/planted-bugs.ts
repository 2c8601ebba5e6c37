import type { Edit } from '../../simulation/patched-source.ts';

/** A mistake that somebody could make, and the seed of a world in which the model notices it. */
export interface PlantedBug {
  readonly name: string;
  readonly edit: Edit;
  readonly seed: number;
}

function bug(seed: number, name: string, within: string, find: string, replace: string): PlantedBug {
  return { name, seed, edit: { within, find, replace } };
}

export const plantedBugs: readonly PlantedBug[] = [
  bug(
    5,
    'a natural key ties what ids and references say are two',
    'contradiction',
    "return key === 'natural_key' ?",
    "return key === ('' as KeyColumn) ?",
  ),
  bug(
    30,
    'a row is a duplicate of one that its reference says is another',
    'repeating',
    'const suits = refused === null ?',
    "const suits = refused !== '' ?",
  ),
  bug(
    19,
    'of two with one id the reference does not decide',
    'tiersOf',
    "['h.reference = t.reference', ",
    "['true', ",
  ),
  bug(
    14,
    'of two with one reference the equal one does not come first',
    'tiersOf',
    '...named.map(equal),',
    '',
  ),
  bug(
    22,
    'the first of several rows takes the only record',
    'pairClasses',
    'WHEN is_around_t AND sum_h <= open_t THEN open_h',
    'WHEN is_around_t THEN greatest(0, least(open_h, open_t - before_h))::int',
  ),
  bug(
    8,
    'copies of one record are taken for several',
    'collectMembers',
    'dense_rank() OVER (ORDER BY ',
    'row_number() OVER (ORDER BY n, ',
  ),
  {
    seed: 14,
    name: 'an IBAN is compared as it is written',
    edit: {
      within: 'fieldTypes',
      find: 'canonical: (value) => withoutSeparators(value).toUpperCase(),',
      replace: 'canonical: asItIs,',
    },
  },
  bug(
    45,
    'every payee type has to have a bank',
    'ownKey',
    "part !== '' || possible[at] !== false",
    "part !== '' || possible[at] !== null",
  ),
  bug(
    10,
    'amounts in a natural key are compared as text',
    'partOf',
    "field === 'amount' ? canonicalAmount(value) : value",
    "field === '' ? canonicalAmount(value) : value",
  ),
  bug(
    9,
    'refunds are added to a group',
    'groupSums',
    'sum(amount) AS amount, min(currency)',
    'sum(abs(amount)) AS amount, min(currency)',
  ),
  bug(9, 'a group that comes to more is enough', 'sumState', '}.amount = $', '}.amount <= $'),
  bug(
    9,
    'a group of one record is none',
    'judgedGroups',
    '(count(*) > 1 OR count(finer) = 0)',
    'count(*) > 1',
  ),
  bug(
    132,
    "the id of a group's line is offered",
    'hasCertainId',
    'isMatched && isCertain && sums === null && repeats',
    'isMatched && repeats',
  ),
  bug(
    1,
    'what include leaves out is called missing',
    'matchSides',
    'await judgeLeftOut(sql, open);',
    'judgeLeftOut.length;',
  ),
  bug(
    9,
    'the grace days begin a day too early',
    'judgeUnmatched',
    'r.day > ?::date - ?::int',
    'r.day >= ?::date - ?::int',
  ),
  bug(1, 'a status is told by its case', 'foldedValue', '.trim().toLowerCase()', '.trim()'),
  bug(
    9,
    'a refund counts as a payment',
    'signed',
    'if (!ways.includes(-1)) return amount;',
    'if (!ways.includes(2 as 1)) return amount;',
  ),
  bug(
    43,
    'records without a name in two files are taken for one',
    'takeOutCopies',
    'WHERE id IS NOT NULL OR reference IS NOT NULL OR entry IS NOT NULL',
    'WHERE true',
  ),
  bug(
    1,
    'an id is told by its case',
    'canonicalId',
    'uuid.test(text) ? text.toLowerCase() : text',
    'uuid.test(text) ? text.trim() : text',
  ),
  bug(83, 'the bound of a tolerance is outside of it', 'amountsAgree', '}) <= $', '}) < $'),
  bug(
    8,
    'the account is no part of an entry',
    'entryOf',
    "JSON.stringify([role('account') ?? '', number])",
    "JSON.stringify(['', number])",
  ),
  bug(
    5,
    'a placeholder is a number',
    'entryOf',
    'number === null || isPlaceholderNumber(number)',
    'number === null',
  ),
  bug(
    45,
    'only open records count when a text is read',
    'weighPairs',
    'AND (p.h_out OR h.n IS NOT NULL)',
    'AND oh.n IS NOT NULL AND ot.n IS NOT NULL',
  ),
  bug(
    4,
    'references without signs in several entries are passed over',
    'matchFreeText',
    'WHERE is_exact OR open_h AND open_t)',
    'WHERE is_exact OR open_h AND open_t AND NOT is_contested)',
  ),
  bug(
    1,
    'a pending entry with our reference in its text is missing',
    'leftOutTies',
    "['free_text', 'l.n = p.left_out'],",
    '',
  ),
  bug(32, 'crossed keys make a duplicate', 'repeating', '= tied.key, NOT', '= tied.key OR true, NOT'),
  bug(
    72,
    'a record repeats one that another name of both tells from it',
    'repeating',
    'coalesce(o.id <> r.id, false) OR coalesce(o.reference <> r.reference, false)',
    'false',
  ),
  bug(
    72,
    'two of one natural key that their references tell apart are duplicates',
    'repeating',
    'HAVING NOT coalesce(bool_and',
    'HAVING true OR coalesce(bool_and',
  ),
  bug(
    91,
    'a pair by id that does not agree comes before one that does',
    'matchSides',
    'await deferToReference(sql, rules)',
    "{ here: 'here', there: 'there' }",
  ),
  bug(
    23,
    'a copy in a file that lacks a column is another record',
    'takeOutCopies',
    ', CASE WHEN min(',
    ', CASE WHEN false AND min(',
  ),
  bug(
    65,
    'amounts that nobody has read are taken for none',
    'compareSides',
    "amountsLeftOut: 'not_read' }",
    "amountsLeftOut: 'not_there' }",
  ),
  bug(
    65,
    'amounts count only in a column that is known',
    'Watched',
    'this.#amounts >= this.filled * mostOf',
    'this.#amounts > this.filled',
  ),
  bug(
    100,
    'a group without its sum is matched',
    'sumState',
    "agreedState('matched', rules)",
    "agreedState('matched', { ...rules, amountsLeftOut: 'not_wanted' })",
  ),
  bug(
    139,
    'the id of a pair is offered whose amounts were not read',
    'hasCertainId',
    "const isMatched = state === 'matched' ||",
    "const isMatched = state === 'matched_by_id' || state === 'matched' ||",
  ),
  bug(
    56,
    'a word that amounts do not matter is not heard',
    'onlyWanted',
    "isAmountWanted ? 'not_there' : 'not_wanted'",
    "isAmountWanted ? 'not_there' : 'not_there'",
  ),
];
