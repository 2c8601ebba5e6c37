/**
 * One row's values by field name, normalised: trimmed, canonical in form (IBAN without spaces, phone
 * in E.164, codes in capitals), defaults filled in. Empty values are absent.
 */
export type NormalisedRecord = Readonly<Record<string, string>>;
