/* The codes of findings about rows. The texts are for docs/findings.md: a run needs only the type. */

/**
 * Every code that a finding may have, with its text from docs/findings.md, in this order. The codes are public
 * and stable: scripts and spreadsheets filter by them, so codes may be added, but not changed or removed.
 */
export const catalogue = {
  invalid_characters:
    'A control character, line break or tab (a mapping may say `"lineBreaks": "space"`), damage (U+FFFD), a noncharacter (U+FFFE), or what result files show for one (`␛`).',
  too_long: 'Longer than 255 characters, or than the rules file allows.',
  too_short: 'Shorter than the rules file requires.',
  required: 'A value that the row needs is empty. Of two columns in the message, either will do.',
  unexpected_value:
    'A value in a column that this payee type does not have, or beyond the last column (an unquoted comma?). Or the row repeats the header.',
  unknown_value: 'Not one of the possible values, which the message names.',
  damaged_number:
    'A spreadsheet program took an identifier for a number (`1.23457E+11`). Format the column as "Text" and enter it again from its source.',
  spreadsheet_error: 'A formula that has an error (`#N/A`) or no result.',
  pattern_mismatch: 'Does not have the form that the rules file requires.',
  invalid_email: 'Not exactly one e-mail address.',
  invalid_phone: 'Not a possible number such as `+254712345678`; others need `phoneCountry` in the mapping.',
  invalid_date: 'Not `YYYY-MM-DD`; other forms need `dateFormat` in the mapping.',
  date_in_future: 'A date of birth after today (UTC).',
  date_too_early: 'A date of birth before 1900.',
  invalid_country: 'Not a code of ISO 3166-1 (`GB`, not `UK`); a mapping allows names.',
  invalid_state: "Not a code of ISO 3166-2 (`US-CA`) of the row's country; a mapping allows names.",
  invalid_postal_code:
    "Does not have the form of the country's postal codes (five digits in Germany). A leading zero may be lost.",
  invalid_currency: 'Not a code of ISO 4217 in use (`KES`, not `KSH`).',
  invalid_uuid: 'Not a UUID. Copy it from a result file, or name the object in its other column.',
  invalid_amount: 'Not a positive decimal (`1000.00`). A mapping may declare separators and signs.',
  too_many_decimals: 'More decimals than the currency has (`100.5` JPY).',
  invalid_iban: 'Wrong country, length, form or check digits.',
  not_sepa_country: 'An IBAN of a country outside SEPA: use another payee type.',
  invalid_routing_number: 'Not nine digits with the ABA checksum. A leading zero may be lost.',
  invalid_account_number:
    'Does not have the form of account numbers in its country: 4 to 17 digits in the United States, 10 in Nigeria.',
  currency_mismatch: 'Not a currency of the payee type or the institution.',
  country_mismatch: "The phone's country is not that of the mobile money provider.",
  conflicting_values:
    'Two columns should name the same and do not, such as `customer_id` and `customer_external_id`.',
  customer_unknown:
    'Neither in this environment nor in the same import. Import it first, or give `customer_id`.',
  account_unknown:
    'Neither in this environment nor in the same import. Import it first, or give `destination_id`.',
  institution_unknown:
    "Not in the country's list. The message names the nearest ones; `institutions` lists all of them.",
  ambiguous_institution: 'Several institutions of the country have this name: give `institution_id`.',
  institution_type_mismatch: 'A bank where a mobile money provider is needed, or the reverse.',
  institution_unverifiable:
    "Held: the country's list could not be read in full. Send the batch again later, or decide (`resolve`).",
  file_may_be_cut:
    'Held: the file ends in this row without a line end, which earlier files of this header had, or with fewer cells than all others have. Import the whole file, or decide (`resolve`).',
  marked_row:
    'Held: the row is marked in the file (struck through, coloured, or by the value of a column), and a person has said that such rows are held. Decide (`resolve`).',
  below_minimum: 'Less than the institution takes.',
  above_maximum: 'More than the institution takes: split the amount.',
  conflicting_duplicate:
    'An earlier row of the file is about the same object with other values: delete the wrong one.',
  corrected_twice:
    'An earlier row of the file corrects the same row with other values: delete the wrong one.',
  differs_from_created:
    'Held: the object was created with other values; the message names the fields. Decide (`resolve`).',
  unknown_elsewhere:
    'Held: a row of another batch about the same object is in doubt. Go on with that batch first (`resume`).',
  corrects_in_doubt:
    'Held: the row that it corrects, or another correction of that row, is in doubt. It is sent once that row is refused, or decided `not-created`.',
  corrects_created:
    'Held: the row that it corrects, or another correction of that row, is created. Decide (`resolve`): `existing`, or `send` to create it as well.',
  payee_details_changed:
    'The same customer and name had another account before. Ask the payee, but not by a contact from the file. The row is held if the setting `changes` is `hold`; then decide (`resolve`).',
  account_shared:
    'The account, IBAN or phone belongs to another customer or name. The row is held if the setting `changes` is `hold`; then decide (`resolve`).',
  closed:
    'A person closed the batch before the row was sent (`close`). The row is sent once its failed file is imported.',
  superseded:
    'Corrected in another file, which the message names. It is no longer sent, and is done once the correction is.',
} as const satisfies Record<string, string>;

/** The code of a finding; one that the catalogue does not list does not compile. */
export type FindingCode = keyof typeof catalogue;
