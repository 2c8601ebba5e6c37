import { expect, it } from 'vitest';
import { reasonText } from '../../../src/propose/session/question-reason.ts';
import type { QuestionReason } from '../../../src/propose/session/session.ts';

/** One of each code: a code that is added has to be worded, or this does not compile. */
const reasons: { readonly [Code in QuestionReason['code']]: Extract<QuestionReason, { code: Code }> } = {
  review: { code: 'review' },
  encoding_unclear: { code: 'encoding_unclear', file: 'june.csv' },
  several_sheets: { code: 'several_sheets' },
  total_differs: { code: 'total_differs', row: 9, total: '10', section: '8', all: '20', more: 1 },
  several_headers: { code: 'several_headers' },
  several_kinds: { code: 'several_kinds' },
  several_amounts: { code: 'several_amounts', columns: ['Due', 'Balance'] },
  several_payee_types: { code: 'several_payee_types' },
  hidden_rows: { code: 'hidden_rows' },
  column_unused: { code: 'column_unused', missing: ['iban', 'account_number'] },
  column_taken: { code: 'column_taken', fields: ['first_name', 'last_name'], evidence: 'values' },
  field_missing: {
    code: 'field_missing',
    field: 'currency',
    description: 'currency code',
    neededBy: 'every_row',
  },
  values_to_translate: { code: 'values_to_translate', field: 'type' },
  words_may_be_nothing: { code: 'words_may_be_nothing', field: 'account_name' },
  amounts_unread: { code: 'amounts_unread' },
  decimal_unclear: { code: 'decimal_unclear' },
  date_format_unclear: { code: 'date_format_unclear' },
  whole_name: { code: 'whole_name' },
  phone_country_unclear: { code: 'phone_country_unclear' },
  repair: { code: 'repair', repair: 'ditto' },
  rows_marked: { code: 'rows_marked', explained: ['yellow = do not pay'] },
  column_may_exclude: { code: 'column_may_exclude', column: 'Pd?' },
  column_decides: { code: 'column_decides', column: 'Remarks' },
  values_refused: {
    code: 'values_refused',
    finding: 'invalid_currency',
    message: '"Taler" is not a currency in use',
  },
};

it('says why each question is asked, with what it is about', () => {
  expect(Object.values(reasons).map((reason) => reasonText(reason))).toEqual([
    'This is how the file would be read.',
    'june.csv is not UTF-8, and nothing else in it tells in which encoding its values are right.',
    'More than one sheet looks as if it had rows.',
    'The total in row 9 is 10, but the rows above it add up to 8 since the total before, and 20 in all. The same holds for 1 further total.',
    'More than one line looks like the header.',
    'The columns suit more than one kind of rows.',
    'it may be the amount, and so may "Due", "Balance": only a person knows which is meant',
    'The columns suit more than one kind of recipient.',
    'Rows are hidden, by hand or by a filter: only a person knows whether they are meant.',
    'no column is iban or account_number yet',
    'it is taken for first_name and last_name by its values',
    'No column is currency: currency code. Every row needs it.',
    'say which type each value means',
    'These words may stand for nothing: a person has to say whether each is a value of account_name.',
    'The export has amounts, and none of its columns is read as the amount.',
    'The sign before three digits may stand between thousands, or before decimals.',
    'No day is above 12: day and month cannot be distinguished.',
    'The whole name is in one column.',
    'Phone numbers have no country code, and could be of several countries.',
    'Marks stand for the value above.',
    'Rows are set apart, and only a person knows whether they are to be sent. The file says: "yellow = do not pay".',
    'The values of this column may say that rows are not to be sent: only a person knows.',
    'You said that the values of this column decide which rows are sent.',
    'These values are refused: "Taler" is not a currency in use',
  ]);
});

it('says which rows need a field that is missing, and why a column is read as a field', () => {
  expect(reasonText({ ...reasons.field_missing, neededBy: 'rows_with_address' })).toBe(
    'No column is currency: currency code. Every row with an address needs it.',
  );
  expect(reasonText({ ...reasons.column_taken, evidence: 'part_of_name_and_values' })).toBe(
    'it is taken for first_name and last_name by its values, and a part of its name',
  );
});
