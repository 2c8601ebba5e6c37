/** What documentation says about a code: shown in docs/findings.md, in this order. */
export interface CodeDescription {
  readonly meaning: string;
  readonly cure: string;
}

/**
 * Every code that a finding may have. The codes are public and stable: scripts and spreadsheets filter
 * by them, so one may be added, but none changed or taken away.
 */
export const catalogue = {
  invalid_characters: {
    meaning: 'A control character, line break, tab, or one damaged when the file was saved (U+FFFD).',
    cure: 'Remove it. A mapping may say `"lineBreaks": "space"`. Save damaged files again as UTF-8.',
  },
  too_long: {
    meaning: 'More than 255 characters, or than the rules file allows.',
    cure: 'Shorten it.',
  },
  too_short: {
    meaning: 'Fewer characters than the rules file asks for.',
    cure: 'Complete it, or change the rules file.',
  },
  required: {
    meaning: 'A value that the row needs is empty (a `city` without a `country`).',
    cure: 'Fill it in. Of two columns in the message, either will do.',
  },
  unexpected_value: {
    meaning:
      'A value that this payee type does not have, or beyond the last column (an `iban` on a `mobile_money` row).',
    cure: 'Correct `payee_type`, or empty the cell. A cell too many is often an unquoted comma.',
  },
  unknown_value: {
    meaning: 'None of the possible values.',
    cure: 'Use one that the message names, spelled exactly so.',
  },
  damaged_number: {
    meaning:
      'A spreadsheet program took an identifier for a number: leading zeros or last digits may be lost (`1.23457E+11` as `account_number`).',
    cure: 'Format the column as "Text" and enter the value again from its source. In a failed file the same number is refused again, however it is written.',
  },
  spreadsheet_error: {
    meaning: 'A formula with an error or without a result (`#N/A`).',
    cure: 'Correct the formula, or replace it by its value.',
  },
  pattern_mismatch: {
    meaning: 'Not of the form that the rules file asks for.',
    cure: 'Correct it, or change the rules file.',
  },
  invalid_email: {
    meaning: 'Not exactly one e-mail address (`Ada <ada@example.com>`).',
    cure: 'Write `ada@example.com`.',
  },
  invalid_phone: {
    meaning: 'Not a possible number in international form (`0712345678`).',
    cure: 'Write `+254712345678`, or let the mapping declare `phoneCountry`.',
  },
  invalid_date: {
    meaning: 'Not a day of the calendar in the expected form (`31.12.1990`, `1990-02-30`).',
    cure: 'Write `YYYY-MM-DD`, or let the mapping declare `dateFormat`.',
  },
  date_in_future: {
    meaning: 'A date of birth after today (UTC).',
    cure: 'Correct the year.',
  },
  date_too_early: {
    meaning: 'A date of birth before 1900.',
    cure: 'Correct the year.',
  },
  invalid_country: {
    meaning: 'Not a two-letter code of ISO 3166-1 (`UK`).',
    cure: 'Write `GB`, `KE`; with a mapping, names are read too.',
  },
  invalid_state: {
    meaning: "Not a code of ISO 3166-2, or not one of the row's country (`US-CA` with the country `KE`).",
    cure: 'Write country, hyphen, subdivision: `US-CA`; with a mapping, names are read too.',
  },
  invalid_currency: {
    meaning: 'Not a code of ISO 4217 in use (`KSH`).',
    cure: 'Write the three-letter code: `KES`.',
  },
  invalid_uuid: {
    meaning: 'Not a UUID, as ids of the API are.',
    cure: 'Copy the id from the API or a result file, or name the object in the other column for it.',
  },
  invalid_amount: {
    meaning: 'Not a plain positive decimal number (`1,000.00`, `$5`, `-3`, `0`).',
    cure: 'Write `1000.00`. Other separators and signs have to be declared in the mapping.',
  },
  too_many_decimals: {
    meaning: 'More decimals than the currency has (`10.005` USD, `100.5` JPY).',
    cure: 'Round it as your books do.',
  },
  invalid_iban: {
    meaning: 'Wrong country, length, form or check digits.',
    cure: 'Compare it with its source, digit by digit.',
  },
  not_sepa_country: {
    meaning: 'An IBAN of a country outside SEPA (an IBAN that begins with `TR`).',
    cure: 'Use another payee type.',
  },
  invalid_routing_number: {
    meaning: 'Not an ABA routing number: nine digits, a prefix in use, a matching checksum.',
    cure: 'Compare it with its source; put a lost leading zero back.',
  },
  invalid_account_number: {
    meaning: 'Not an account number of the United States: 4 to 17 digits.',
    cure: 'Write digits only.',
  },
  currency_mismatch: {
    meaning: 'Not a currency of the payee type or the institution.',
    cure: 'Correct currency, payee type or institution.',
  },
  country_mismatch: {
    meaning: "The phone's country is not that of the mobile money provider.",
    cure: 'Correct the number or the institution.',
  },
  conflicting_values: {
    meaning:
      'Two columns should name the same and do not (a `customer_id` of another customer than `customer_external_id`).',
    cure: 'Correct one, or leave one empty.',
  },
  customer_unknown: {
    meaning: 'The customer was neither created in this environment nor is it in the same import.',
    cure: 'Import the customer before or with the row, or give `customer_id`.',
  },
  account_unknown: {
    meaning: 'The account was neither created for the customer nor is it in the same import.',
    cure: 'Import the account before or with the row, or give `destination_id`.',
  },
  institution_unknown: {
    meaning: "The country's list has no institution of this id or name.",
    cure: 'Use a name of `paybatch institutions COUNTRY`; the message has the nearest ones.',
  },
  ambiguous_institution: {
    meaning: 'Several institutions of the country have this name.',
    cure: 'Give `institution_id`.',
  },
  institution_type_mismatch: {
    meaning: 'A bank where a mobile money provider is needed, or the reverse.',
    cure: 'Correct the institution or the payee type.',
  },
  institution_unverifiable: {
    meaning: "Not found, but the country's list could not be read in full. The row is held.",
    cure: 'Send the batch again later: a complete list decides. Or ask the provider of the API, then `paybatch resolve`.',
  },
  below_minimum: {
    meaning: 'Less than the institution takes.',
    cure: 'Raise the amount, or use another institution.',
  },
  above_maximum: {
    meaning: 'More than the institution takes.',
    cure: 'Divide the amount, or use another institution.',
  },
  conflicting_duplicate: {
    meaning: 'An earlier row of the file is about the same object with other values.',
    cure: 'Decide which is right; delete the other.',
  },
  differs_from_created: {
    meaning: 'The object was created earlier with other values. The row is held.',
    cure: 'Compare the fields in the message, then `paybatch resolve`.',
  },
  unknown_elsewhere: {
    meaning: 'A row of another batch about the same object is in doubt. The row is held.',
    cure: '`paybatch resume` the other batch, then import the file again.',
  },
} as const satisfies Record<string, CodeDescription>;

/** The code of a finding; one that the catalogue does not list does not compile. */
export type FindingCode = keyof typeof catalogue;

export const findingCodes = Object.keys(catalogue) as readonly FindingCode[];
