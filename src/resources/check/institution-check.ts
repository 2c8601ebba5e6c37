import type { Severity } from '../../domain/finding.ts';
import type { Institution, InstitutionList } from '../../domain/institution.ts';
import { compareDecimals, parseNumberText } from '../../domain/money.ts';
import type { NormalisedRecord } from '../../domain/record.ts';
import type { CheckedRow, ColumnTitle, InstitutionUse, Lookups, RuleFinding } from '../definition.ts';
import { countrySourceOf, customersCountry, institutionUseOf } from './institution-country.ts';
import { isPhoneOfCountry, readPhone } from './phone.ts';
import type { ResolvedReferences } from './resolve-references.ts';
import { eitherOf, shorten } from './wording.ts';

/** A finding that may only hold its row back. */
export interface InstitutionFinding extends RuleFinding {
  readonly severity?: Severity;
}

interface InstitutionOutcome {
  readonly findings: readonly InstitutionFinding[];
  readonly notes: readonly string[];
  readonly fills: NormalisedRecord;
}

interface InstitutionQuestion {
  readonly row: CheckedRow;
  readonly resolved: ResolvedReferences;
  readonly lookups: Lookups;
  readonly title: ColumnTitle;
}

const nothing: InstitutionOutcome = { findings: [], notes: [], fills: {} };
const limitsNotChecked = 'limits not checked';

/** The account number type that marks a bank; every other marks a mobile money provider. */
const bankNumberType = 'bank_account_number';

function refuse(finding: InstitutionFinding): InstitutionOutcome {
  return { findings: [finding], notes: [], fills: {} };
}

function notFound(
  list: InstitutionList,
  field: string,
  found: string,
  nearest: readonly string[],
): InstitutionFinding {
  if (!list.isComplete) {
    const message = `${shorten(found)} was not found, but the list of institutions of ${list.country} could not be read in full, so it may exist`;
    return { severity: 'held', field, code: 'institution_unverifiable', message };
  }
  const advice = nearest.length === 0 ? '' : `; the nearest names are ${eitherOf(nearest)}`;
  const message = `${shorten(found)} is not an institution of ${list.country}${advice}`;
  return { field, code: 'institution_unknown', message };
}

/** The institution that the row names, or why there is not exactly one. */
function findInstitution(
  list: InstitutionList,
  record: NormalisedRecord,
  title: ColumnTitle,
): Institution | InstitutionFinding {
  const { institution_id: id, institution_name: name } = record;
  const named = name === undefined ? [] : list.byName(name);
  if (id !== undefined) {
    const institution = list.byId(id);
    const isNamedToo = name === undefined || (institution !== undefined && named.includes(institution));
    if (institution !== undefined && isNamedToo) return institution;
    if (institution === undefined && named.length === 0) return notFound(list, 'institution_id', id, []);
    if (institution === undefined && !list.isComplete) return notFound(list, 'institution_id', id, []);
    const message = `is not the name of the institution that ${title('institution_id')} names; correct one of them, or leave one empty`;
    return { field: 'institution_name', code: 'conflicting_values', message };
  }
  const [institution] = named;
  if (institution === undefined) {
    const nearest = list.isComplete ? list.nearestNames(name ?? '') : [];
    return notFound(list, 'institution_name', name ?? '', nearest);
  }
  if (named.length === 1) return institution;
  const message = `${named.length} institutions of ${list.country} have the name ${shorten(name ?? '')}; give ${title('institution_id')} instead`;
  return { field: 'institution_name', code: 'ambiguous_institution', message };
}

function checkType(
  institution: Institution,
  use: InstitutionUse,
  record: NormalisedRecord,
  field: string,
): readonly RuleFinding[] {
  const suits = use.suits(record);
  const is = institution.accountNumberType === bankNumberType ? 'bank' : 'mobile_money';
  if (suits === 'any' || suits === is) return [];
  const words = { bank: 'a bank', mobile_money: 'a mobile money provider' };
  const message = `${shorten(institution.name)} is ${words[is]}, and ${words[suits]} is needed here`;
  return [{ field, code: 'institution_type_mismatch', message }];
}

function checkCurrency(institution: Institution, record: NormalisedRecord): readonly RuleFinding[] {
  const { currency } = record;
  if (currency === undefined || currency === institution.currency) return [];
  const message = `${currency} is not the currency of ${shorten(institution.name)}, which is ${institution.currency}`;
  return [{ field: 'currency', code: 'currency_mismatch', message }];
}

function checkPhone(
  institution: Institution,
  use: InstitutionUse,
  record: NormalisedRecord,
): readonly RuleFinding[] {
  const number = use.phoneField === null ? undefined : record[use.phoneField];
  const phone = number === undefined ? undefined : readPhone(number);
  if (use.phoneField === null || phone === undefined || isPhoneOfCountry(phone, institution.country))
    return [];
  const message = `is a number of ${phone.country ?? `the country code +${phone.callingCode}`}, but ${shorten(institution.name)} is in ${institution.country}`;
  return [{ field: use.phoneField, code: 'country_mismatch', message }];
}

/** Limits are compared as exact decimals, both ends included. */
function checkLimits(institution: Institution, amountText: string | undefined): InstitutionOutcome {
  const amount = amountText === undefined ? undefined : parseNumberText(amountText);
  const least = institution.minAmount === null ? undefined : parseNumberText(institution.minAmount);
  const most = institution.maxAmount === null ? undefined : parseNumberText(institution.maxAmount);
  if (amount === undefined) return { ...nothing, notes: [limitsNotChecked] };
  const notes = least === undefined || most === undefined ? [limitsNotChecked] : [];
  const limits = `${shorten(institution.name)} takes`;
  if (least !== undefined && compareDecimals(amount, least) < 0) {
    const message = `${amountText} is too little: ${limits} ${institution.minAmount} ${institution.currency} at least`;
    return { findings: [{ field: 'amount', code: 'below_minimum', message }], notes, fills: {} };
  }
  if (most !== undefined && compareDecimals(amount, most) > 0) {
    const message = `${amountText} is too much: ${limits} ${institution.maxAmount} ${institution.currency} at most`;
    return { findings: [{ field: 'amount', code: 'above_maximum', message }], notes, fills: {} };
  }
  return { ...nothing, notes };
}

function fillsFrom(
  institution: Institution,
  use: InstitutionUse,
  record: NormalisedRecord,
): NormalisedRecord {
  if (use.fills === null) return {};
  const name = record[use.fills.name] === undefined ? { [use.fills.name]: institution.name } : {};
  return { [use.fills.id]: institution.id, ...name };
}

function hasAmountFinding(row: CheckedRow): boolean {
  return row.findings.some(({ field }) => field === 'amount');
}

/** The country in which to look, a finding when nothing tells it, or null when that cannot be judged. */
function countryOf(
  { row, resolved, lookups }: InstitutionQuestion,
  use: InstitutionUse,
): string | RuleFinding | null {
  const source = countrySourceOf(row, use);
  if (typeof source === 'object') return source.country;
  if (source !== 'customer') return null;
  const country = customersCountry(row, resolved.record, lookups);
  if (country !== undefined) return country;
  if (resolved.findings.length > 0) return null;
  const field = use.countryFields[0] ?? 'institution_country';
  const message = `is empty; a value is required, because no other value tells the institution's country`;
  return { field, code: 'required', message };
}

/** Looks the row's institution up, and checks what depends on it. */
export function checkInstitution(question: InstitutionQuestion): InstitutionOutcome {
  const { row, resolved, lookups, title } = question;
  const use = institutionUseOf(row);
  if (use === undefined) return nothing;
  const country = countryOf(question, use);
  if (country === null) return nothing;
  if (typeof country !== 'string') return refuse(country);
  const list = lookups.institutions(country);
  if (list === undefined) throw new Error(`the institutions of ${country} were not looked up`);
  const { record } = resolved;
  const institution = findInstitution(list, record, title);
  if ('code' in institution) return refuse(institution);
  const field = record['institution_id'] === undefined ? 'institution_name' : 'institution_id';
  const limits = hasAmountFinding(row) ? nothing : checkLimits(institution, record['amount']);
  return {
    findings: [
      ...checkType(institution, use, record, field),
      ...checkCurrency(institution, record),
      ...checkPhone(institution, use, record),
      ...limits.findings,
    ],
    notes: limits.notes,
    fills: fillsFrom(institution, use, record),
  };
}
