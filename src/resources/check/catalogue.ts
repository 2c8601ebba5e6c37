/** What documentation says about a code: shown in docs/findings.md, in this order. */
export interface CodeDescription {
  readonly meaning: string;
  readonly example: string;
  readonly cure: string;
}

/**
 * Every code that a finding may have. The codes are public and stable: scripts and spreadsheets filter
 * by them, so one may be added, but none changed or taken away.
 */
export const catalogue = {
  invalid_characters: {
    meaning:
      'The value contains a character that does not belong into text: a control character, a line break or tab, or one that was damaged when the file was saved (U+FFFD).',
    example: 'A name with a line break inside its cell.',
    cure: 'Take the character out. For line breaks and tabs, a mapping may say `"lineBreaks": "space"`. Where letters were damaged, save the file again as UTF-8.',
  },
  too_long: {
    meaning: 'The value has more characters than are allowed: 255, or fewer where the rules file says so.',
    example: 'A label of 300 characters.',
    cure: 'Shorten the value.',
  },
  too_short: {
    meaning: 'The value has fewer characters than the rules file asks for.',
    example: '`A1` where the rules file says `"minLength": 3`.',
    cure: 'Complete the value, or change the rules file.',
  },
  required: {
    meaning: 'A value that the row cannot do without is empty.',
    example: 'A customer without `last_name`, or with a `city` but without a `country`.',
    cure: 'Fill the cell in. Where the message names two columns, either will do.',
  },
  unexpected_value: {
    meaning:
      'A value stands in a column that would identify something else than this payee type does, or in a cell beyond the last column.',
    example: 'An `iban` on a `mobile_money` row.',
    cure: 'Correct `payee_type`, or empty the cell. A cell too many is often an unquoted comma inside a value.',
  },
  unknown_value: {
    meaning: 'The value is none of those that are possible here.',
    example: '`bank_acount` as `payee_type`.',
    cure: 'Use one of the values that the message names, spelled exactly so.',
  },
  damaged_number: {
    meaning:
      'A spreadsheet program took an identifier for a number and has changed it: leading zeros or last digits may be lost.',
    example: '`1.23457E+11` as `account_number`.',
    cure: 'Give the column the format "Text", and enter the value again from its source. Formatting alone does not bring lost digits back. In a failed file that comes back, the same number written in another way is refused again, and so is one that has lost its zeros since.',
  },
  spreadsheet_error: {
    meaning: 'The cell holds the error of a formula, or a formula without a result.',
    example: '`#N/A`, from a look-up that found nothing.',
    cure: 'Correct the formula, or replace it by its value.',
  },
  pattern_mismatch: {
    meaning: 'The value does not have the form that the rules file asks for.',
    example: '`12-AB` where the rules file says `"pattern": "[A-Z]{2}-\\\\d+"`.',
    cure: 'Correct the value, or change the rules file.',
  },
  invalid_email: {
    meaning: 'The value is not exactly one e-mail address.',
    example: '`Ada <ada@example.com>`',
    cure: 'Write the address alone: `ada@example.com`.',
  },
  invalid_phone: {
    meaning: 'The value is not a possible phone number in international form.',
    example: '`0712345678`, or `00254712345678`',
    cure: 'Write it with a plus sign and the country code: `+254712345678`.',
  },
  invalid_date: {
    meaning: 'The value is not a day of the calendar in the form that is expected.',
    example: '`31.12.1990`, or `1990-02-30`',
    cure: 'Write it as `YYYY-MM-DD`, or let the mapping declare the order with `dateFormat`.',
  },
  date_in_future: {
    meaning: 'A date of birth is after today (in UTC).',
    example: '`2990-01-31`',
    cure: 'Correct the year.',
  },
  date_too_early: {
    meaning: 'A date of birth is before 1900.',
    example: '`0190-01-31`',
    cure: 'Correct the year.',
  },
  invalid_country: {
    meaning: 'The value is not a two-letter country code of ISO 3166-1.',
    example: '`UK`, or `Kenya`',
    cure: 'Use the two-letter code: `GB`, `KE`.',
  },
  invalid_state: {
    meaning: "The value is not a subdivision code of ISO 3166-2, or not one of the row's country.",
    example: '`California`, or `US-CA` with the country `KE`',
    cure: 'Write country, hyphen and subdivision: `US-CA`.',
  },
  invalid_currency: {
    meaning: 'The value is not a currency code of ISO 4217 that is in use.',
    example: '`KSH`',
    cure: 'Use the three-letter code: `KES`.',
  },
  invalid_uuid: {
    meaning: 'The value is not a UUID, as the ids of the API are.',
    example: '`12345`',
    cure: 'Copy the id from the API or from an earlier result file, or name the object in the other column that the kind has for it.',
  },
  invalid_amount: {
    meaning: 'The value is not a plain positive decimal number.',
    example: '`1,000.00`, `$5`, `-3`, `0`',
    cure: 'Write digits with a point: `1000.00`. Other separators have to be declared in the mapping.',
  },
  too_many_decimals: {
    meaning: 'The amount has more fraction digits than its currency.',
    example: '`10.005` USD, or `100.5` JPY',
    cure: 'Round the amount as your books do.',
  },
  invalid_iban: {
    meaning: 'The value is not an IBAN: unknown country, wrong length or form, or wrong check digits.',
    example: '`DE89370400440532013001`',
    cure: 'Compare it with its source digit by digit.',
  },
  not_sepa_country: {
    meaning: "The IBAN is well-formed, but its country is not in SEPA's scope.",
    example: 'An IBAN that begins with `TR`.',
    cure: 'Use another payee type for this recipient.',
  },
  invalid_routing_number: {
    meaning: 'The value is not an ABA routing number: nine digits, a prefix in use and a matching checksum.',
    example: '`021000022`',
    cure: 'Compare it with its source. A leading zero that a spreadsheet took away has to be put back.',
  },
  invalid_account_number: {
    meaning: 'The value is not the number of an account at a bank in the United States: 4 to 17 digits.',
    example: '`123`',
    cure: 'Write the digits only.',
  },
  currency_mismatch: {
    meaning: 'The currency does not suit the payee type, or is not that of the institution.',
    example: '`EUR` on a `bank_account_us` row.',
    cure: 'Correct the currency, the payee type or the institution.',
  },
  country_mismatch: {
    meaning: "The phone number's country is not that of the mobile money provider.",
    example: 'A Ugandan number with a provider in Kenya.',
    cure: 'Correct the phone number or the institution.',
  },
  conflicting_values: {
    meaning: 'Two columns of the row name different things where they should name the same.',
    example: 'A `customer_id` that is not the id of the customer that `customer_external_id` names.',
    cure: 'Correct one of the two, or leave one empty.',
  },
  customer_unknown: {
    meaning:
      'No customer of this external id was created in this environment, and none is in the same import.',
    example: '`C-999` as `customer_external_id`.',
    cure: 'Import the customer first or together with the row, or give `customer_id`.',
  },
  account_unknown: {
    meaning: 'No account of this label was created for the customer, and none is in the same import.',
    example: '`Savings` as `destination_label` of a customer who has no such account.',
    cure: 'Import the account first or together with the row, or give `destination_id`.',
  },
  institution_unknown: {
    meaning: "The country's list of institutions has none of this id or name.",
    example: '`Equty Bank`',
    cure: 'Use a name as `paybatch institutions COUNTRY` lists it. The nearest names stand in the message.',
  },
  ambiguous_institution: {
    meaning: 'Several institutions of the country have this name.',
    example: '`National Bank` where there are two.',
    cure: 'Give `institution_id`.',
  },
  institution_type_mismatch: {
    meaning: 'The institution is a bank where a mobile money provider is needed, or the other way round.',
    example: 'A bank on a `mobile_money` row.',
    cure: 'Correct the institution or the payee type.',
  },
  institution_unverifiable: {
    meaning:
      "The institution was not found, but the country's list could not be read in full, so it may exist. The row is held.",
    example: 'An institution on a page of the list that cannot be reached.',
    cure: 'Send the batch again later: once the list is complete, the row goes on or is refused by itself. Or check the institution with the provider of the API, and decide with `paybatch resolve`.',
  },
  below_minimum: {
    meaning: 'The amount is less than the least that the institution takes.',
    example: '`5` where the minimum is 10.',
    cure: 'Raise the amount, or use another institution.',
  },
  above_maximum: {
    meaning: 'The amount is more than the most that the institution takes.',
    example: '`200000` where the maximum is 150000.',
    cure: 'Divide the amount, or use another institution.',
  },
  conflicting_duplicate: {
    meaning: 'An earlier row of the file is about the same object, but says something else about it.',
    example: 'The same account number twice, with different names.',
    cure: 'Decide which row is right, and delete the other.',
  },
  differs_from_created: {
    meaning: 'The object was created earlier in this environment with other values. The row is held.',
    example: 'A recipient that exists under another name.',
    cure: 'Compare the fields that the message names, then decide with `paybatch resolve`.',
  },
  unknown_elsewhere: {
    meaning:
      'A row of another batch is about the same object, and whether that one was created is not known yet. The row is held.',
    example: 'The same recipient in a batch that was interrupted.',
    cure: 'Bring the other batch to its end with `paybatch resume`, then import the file again.',
  },
} as const satisfies Record<string, CodeDescription>;

/** The code of a finding; one that the catalogue does not list does not compile. */
export type FindingCode = keyof typeof catalogue;

export const findingCodes = Object.keys(catalogue) as readonly FindingCode[];
