/* The institution of a row: its country, its name in the list of the API, and its limits. */

import {
  type Institution,
  type InstitutionList,
  limitsOf,
  typeOfInstitution,
} from '../../domain/institution.ts';
import { comparePlainDecimals } from '../../domain/money/money.ts';
import { noteOnColumn, type RowNote, readAs, type Severity } from '../../domain/rows/finding.ts';
import type { NormalisedRecord } from '../../domain/rows/ledger-row.ts';
import { say } from '../../domain/settings/message.ts';
import { foldName } from '../../domain/text/characters.ts';
import type { ColumnTitles, InstitutionUse, RuleFinding } from '../definition.ts';
import { type CheckedRow, type FoundObjects, hasFindingOn, type Lookups } from '../row-check.ts';
import { accountNumberLength } from './bank-numbers.ts';
import { countryOfCurrency } from './currency.ts';
import { isLandline } from './numbering-plans.ts';
import { isPhoneOfCountry, readPhone } from './phone.ts';
import { eitherOf, maskedValue, plainValue, shorten, shownValue } from './value-text.ts';

/** The columns that name an institution; one of them is enough. */
export const institutionFields: readonly string[] = ['institution_id', 'institution_name'];

/**
 * The country in which a row's institution has to be looked up. `customer`: only the customer determines the country.
 * `unclear`: a value that would determine the country has a finding itself.
 */
type CountrySource = { readonly country: string } | 'customer' | 'nowhere' | 'unclear';

/** The institution use of a row that names an institution; undefined if no look-up is needed. */
export function institutionUseOf(row: CheckedRow): InstitutionUse | undefined {
  const use = row.definition?.institution;
  if (use === null || use === undefined) return undefined;
  const { institution_id: id, institution_name: name } = row.record;
  if (id === undefined && name === undefined) return undefined;
  return institutionFields.some((field) => hasFindingOn(row, field)) ? undefined : use;
}

/**
 * The country from the first filled column; a phone number determines it by its country code. If one of the columns has a
 * finding itself, the currency determines the country, so that all findings of a row are reported at once.
 */
export function countrySourceOf(row: CheckedRow, use: InstitutionUse): CountrySource {
  for (const field of use.countryFields) {
    if (hasFindingOn(row, field)) {
      const country = currencysCountry(row);
      return country === undefined ? 'unclear' : { country };
    }
    const value = row.record[field];
    if (value === undefined) continue;
    const country = field === use.phoneField ? (readPhone(value)?.country ?? undefined) : value;
    if (country !== undefined) return { country };
  }
  return use.orCustomersCountry ? 'customer' : 'nowhere';
}

/** The country of the row's currency, if only one country has the currency. */
export function currencysCountry({ record }: Pick<CheckedRow, 'record'>): string | undefined {
  const { currency } = record;
  return currency === undefined ? undefined : countryOfCurrency(currency);
}

/**
 * The country in which a row's institution is looked up: the country in the row, else its customer's country, else its
 * currency's country.
 */
export function countryToLookIn(
  row: CheckedRow,
  use: InstitutionUse,
  found: FoundObjects,
): string | undefined {
  const source = countrySourceOf(row, use);
  if (typeof source === 'object') return source.country;
  return source === 'customer' ? (customersCountry(row, found) ?? currencysCountry(row)) : undefined;
}

/** The country of the row's customer, who is found by the id or by the external id in the row. */
export function customersCountry(row: CheckedRow, found: FoundObjects): string | undefined {
  const { record } = row;
  for (const reference of row.definition?.references ?? []) {
    if (reference.kind !== 'customers') continue;
    const handle = hasFindingOn(row, reference.field) ? undefined : reference.handle(record);
    const named = handle === undefined ? undefined : found.object('customers', handle)?.country;
    if (named) return named;
    const id = record[reference.fills];
    const country = id === undefined ? undefined : found.customerById(id)?.country;
    if (country) return country;
  }
  return undefined;
}

/** A finding that may either refuse its row or only hold it. */
export interface InstitutionFinding extends RuleFinding {
  readonly severity?: Severity;
  readonly nearest?: readonly string[];
}

interface InstitutionOutcome {
  readonly findings: readonly InstitutionFinding[];
  readonly notes: readonly RowNote[];
  /** Whether the row names exactly one known institution. If not, the absence of findings proves nothing. */
  readonly isFound: boolean;
}

interface InstitutionQuestion {
  readonly row: CheckedRow;
  /** Whether an object that the row names was not found, or contradicts another value. */
  readonly isReferenceFaulty: boolean;
  readonly lookups: Lookups;
  readonly titles: ColumnTitles;
  /** Whether a rules file states the form of account numbers. */
  readonly isFormStated?: boolean;
}

const nothing: InstitutionOutcome = { findings: [], notes: [], isFound: false };
const passed: InstitutionOutcome = { ...nothing, isFound: true };
const limitsNotChecked: InstitutionOutcome = { ...passed, notes: ['limits not checked'] };

function refuse(finding: InstitutionFinding): InstitutionOutcome {
  return { ...nothing, findings: [finding] };
}

function notFound(
  list: InstitutionList,
  field: string,
  found: string,
  nearest: readonly string[],
): InstitutionFinding {
  if (!list.isComplete) {
    const message = say`${shownValue(found)} was not found, but the list of institutions of ${list.country} could not be read in full, so it may exist`;
    return { severity: 'held', field, code: 'institution_unverifiable', message };
  }
  const advice = nearest.length === 0 ? '' : `; the nearest names are ${eitherOf(nearest)}`;
  const message = say`${shownValue(found)} is not an institution of ${list.country}${advice}`;
  return { field, code: 'institution_unknown', message, ...(nearest.length === 0 ? {} : { nearest }) };
}

/** The institution that the row names, or the finding if there is not exactly one. */
function findInstitution(
  list: InstitutionList,
  record: NormalisedRecord,
  use: InstitutionUse,
  titles: ColumnTitles,
): Institution | InstitutionFinding {
  const { institution_id: id, institution_name: name } = record;
  const named = name === undefined ? [] : list.byName(name);
  if (id !== undefined) {
    const institution = list.byId(id);
    const isNamedToo = name === undefined || (institution !== undefined && named.includes(institution));
    if (institution !== undefined && isNamedToo) return institution;
    if (institution === undefined && named.length === 0) return notFound(list, 'institution_id', id, []);
    if (institution === undefined && !list.isComplete) return notFound(list, 'institution_id', id, []);
    const message = say`is not the name of the institution that ${titles.named('institution_id')} names; correct one of them, or leave one empty`;
    return { field: 'institution_name', code: 'conflicting_values', message };
  }
  const [institution] = named;
  if (institution === undefined) {
    const nearest = list.isComplete ? list.nearestNames(name ?? '', use.suits(record)) : [];
    return notFound(list, 'institution_name', name ?? '', nearest);
  }
  if (named.length === 1) return institution;
  const message = say`${named.length} institutions of ${list.country} have the name ${shownValue(name ?? '')}; give ${titles.named('institution_id')} instead`;
  return { field: 'institution_name', code: 'ambiguous_institution', message };
}

function checkType(
  institution: Institution,
  use: InstitutionUse,
  record: NormalisedRecord,
): RuleFinding | undefined {
  const suits = use.suits(record);
  const is = typeOfInstitution(institution);
  if (suits === 'any' || suits === is) return undefined;
  const field = record['institution_id'] === undefined ? 'institution_name' : 'institution_id';
  const words = { bank: 'a bank', mobile_money: 'a mobile money provider' };
  const message = say`${shownValue(institution.name)} is ${words[is]}, and ${words[suits]} is needed here`;
  return { field, code: 'institution_type_mismatch', message };
}

function checkCurrency(institution: Institution, record: NormalisedRecord): RuleFinding | undefined {
  const { currency } = record;
  if (currency === undefined || currency === institution.currency) return undefined;
  const message = say`${plainValue(currency)} is not the currency of ${shorten(institution.name)}, which is ${institution.currency}`;
  return { field: 'currency', code: 'currency_mismatch', message };
}

function checkPhoneCountry(
  institution: Institution,
  use: InstitutionUse,
  record: NormalisedRecord,
): RuleFinding | undefined {
  const number = use.phoneField === null ? undefined : record[use.phoneField];
  const phone = number === undefined ? undefined : readPhone(number);
  if (use.phoneField === null || number === undefined || phone === undefined) return undefined;
  if (isPhoneOfCountry(phone, institution.country)) {
    if (!phone.isValid || !isLandline(number)) return undefined;
    const message = say`${maskedValue(number)} is the number of a landline, and mobile money goes to a mobile phone`;
    return { field: use.phoneField, code: 'invalid_phone', message };
  }
  const message = `is a number of ${phone.country ?? `the country code +${phone.callingCode}`}, but ${shorten(institution.name)} is in ${institution.country}`;
  return { field: use.phoneField, code: 'country_mismatch', message };
}

/** Checks the form that the account numbers of all banks of a country have. A rules file may state another form. */
function checkAccountNumber(institution: Institution, row: CheckedRow): RuleFinding | undefined {
  const number = row.definition?.payeeType === 'bank_account' ? row.record['account_number'] : undefined;
  const length = accountNumberLength(institution.country);
  if (number === undefined || length === undefined || hasFindingOn(row, 'account_number')) return undefined;
  if (number.length === length && /^\d+$/.test(number)) return undefined;
  const message = say`${maskedValue(number)} is no account number of ${institution.country}: they have ${length} digits and nothing else`;
  return { field: 'account_number', code: 'invalid_account_number', message };
}

/** Limits are compared as exact decimals, and both limits are allowed amounts. */
function checkLimits(institution: Institution, amount: string | undefined): InstitutionOutcome {
  if (amount === undefined) return limitsNotChecked;
  const { least, most } = limitsOf(institution);
  const outcome = least === undefined || most === undefined ? limitsNotChecked : passed;
  if (least !== undefined && comparePlainDecimals(amount, least) < 0) {
    const message = say`${plainValue(amount)} is too little: ${shorten(institution.name)} takes ${institution.minAmount ?? ''} ${institution.currency} at least`;
    return { ...outcome, findings: [{ field: 'amount', code: 'below_minimum', message }] };
  }
  if (most !== undefined && comparePlainDecimals(amount, most) > 0) {
    const message = say`${plainValue(amount)} is too much: ${shorten(institution.name)} takes ${institution.maxAmount ?? ''} ${institution.currency} at most`;
    return { ...outcome, findings: [{ field: 'amount', code: 'above_maximum', message }] };
  }
  return outcome;
}

/** Writes the institution's id into the record, because the request contains the id even if the row has the name. */
function fillIn(institution: Institution, use: InstitutionUse, record: CheckedRow['record']): void {
  if (use.fills === null) return;
  record[use.fills.id] = institution.id;
  if (record[use.fills.name] === undefined) record[use.fills.name] = institution.name;
}

/**
 * The country in which to look; a finding if no value determines it; null if it cannot be determined because of another
 * finding.
 */
function countryOf(
  { row, isReferenceFaulty, lookups }: InstitutionQuestion,
  use: InstitutionUse,
): string | RuleFinding | null {
  const country = countryToLookIn(row, use, lookups);
  if (country !== undefined) return country;
  if (countrySourceOf(row, use) !== 'customer' || isReferenceFaulty) return null;
  const field = use.countryFields[0] ?? 'institution_country';
  const message = `is empty; a value is required, because no other value tells the institution's country`;
  return { field, code: 'required', message };
}

/** Looks up the row's institution, checks the values that depend on it, and writes it into the row's record. */
export function checkInstitution(question: InstitutionQuestion): InstitutionOutcome {
  const { row, lookups, titles } = question;
  const use = institutionUseOf(row);
  if (use === undefined) return nothing;
  const country = countryOf(question, use);
  if (country === null) return nothing;
  if (typeof country !== 'string') return refuse(country);
  const list = lookups.institutions(country);
  if (list === undefined) throw new Error(`the institutions of ${country} were not looked up`);
  const { record } = row;
  const institution = findInstitution(list, record, use, titles);
  if ('code' in institution) return refuse(institution);
  const limits = hasFindingOn(row, 'amount') ? passed : checkLimits(institution, record['amount']);
  const ofType = checkType(institution, use, record);
  const ofCurrency = checkCurrency(institution, record);
  const ofPhone = checkPhoneCountry(institution, use, record);
  const ofAccount = question.isFormStated === true ? undefined : checkAccountNumber(institution, row);
  const note = noteOfName(institution, record, titles);
  fillIn(institution, use, record);
  if (
    ofType === undefined &&
    ofCurrency === undefined &&
    ofPhone === undefined &&
    ofAccount === undefined &&
    note === undefined
  )
    return limits;
  const findings = [ofType, ofCurrency, ofPhone, ofAccount, ...limits.findings].filter(
    (finding) => finding !== undefined,
  );
  return { ...limits, findings, notes: note === undefined ? limits.notes : [...limits.notes, note] };
}

/** Adds a note about a name whose letters differ from the name of its institution. */
function noteOfName(
  { name }: Institution,
  record: NormalisedRecord,
  titles: ColumnTitles,
): RowNote | undefined {
  const named = record['institution_name'];
  if (named === undefined || named === name || foldName(named) === foldName(name)) return undefined;
  return noteOnColumn(titles.of('institution_name'), [readAs(name)]);
}
