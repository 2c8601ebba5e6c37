/* The codes of findings about rows. `finding-codes.json` contains the texts for docs/findings.md, in the same order. */

/**
 * The codes are public and stable, because scripts and spreadsheets filter by them. Codes may be added, but not changed or
 * removed.
 */
export const findingCodes = [
  ...['invalid_characters', 'too_long', 'too_short', 'required', 'unexpected_value'],
  ...['unknown_value', 'damaged_number', 'spreadsheet_error', 'pattern_mismatch', 'invalid_email'],
  ...['invalid_phone', 'invalid_date', 'date_in_future', 'date_too_early', 'invalid_country'],
  ...['invalid_state', 'invalid_postal_code', 'invalid_currency', 'invalid_uuid', 'invalid_amount'],
  ...['too_many_decimals', 'invalid_iban', 'not_sepa_country', 'invalid_routing_number'],
  ...['invalid_account_number', 'currency_mismatch', 'country_mismatch', 'conflicting_values'],
  ...['customer_unknown', 'account_unknown', 'institution_unknown', 'ambiguous_institution'],
  ...['institution_type_mismatch', 'institution_unverifiable', 'file_may_be_cut', 'marked_row'],
  ...['below_minimum', 'above_maximum', 'conflicting_duplicate', 'corrected_twice'],
  ...['differs_from_created', 'unknown_elsewhere', 'corrects_in_doubt', 'corrects_created'],
  ...['payee_details_changed', 'account_shared', 'closed', 'superseded'],
] as const;

/** The code of a finding. A code that is not in the list does not compile. */
export type FindingCode = (typeof findingCodes)[number];
