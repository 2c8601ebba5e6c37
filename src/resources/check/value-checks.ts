import type { ReadingRules } from '../../domain/mapping.ts';
import type { FieldType } from '../definition.ts';
import { createAmountCheck } from './amount.ts';
import { createBirthDateCheck } from './birth-date.ts';
import { checkCurrency } from './currency.ts';
import { checkEmail } from './email.ts';
import { checkIban } from './iban.ts';
import { checkPhone } from './phone.ts';
import { checkCountry, checkState } from './place.ts';
import { checkRoutingNumber } from './routing-number.ts';
import type { ValueCheck, Verdict } from './verdict.ts';
import { mask, shorten } from './wording.ts';

const uuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

function checkUuid(text: string): Verdict {
  if (uuid.test(text)) return text.toLowerCase();
  const message = `${shorten(text)} is not a UUID, such as 3f2b6c1e-8a57-4d0b-9c36-5b1f0e7a2d94`;
  return { code: 'invalid_uuid', message };
}

function checkUsAccountNumber(text: string): Verdict {
  if (/^\d{4,17}$/.test(text)) return text;
  const message = `${mask(text)} is not an account number of the United States: it has 4 to 17 digits and nothing else`;
  return { code: 'invalid_account_number', message };
}

/** Several values in one cell, separated by semicolons; each counts once. */
function checkList(text: string): Verdict {
  const values = text.split(';').map((value) => value.trim());
  return [...new Set(values.filter((value) => value !== ''))].join(';');
}

/** Text is what it is: the API is the better judge of it. */
function acceptText(text: string): Verdict {
  return text;
}

/**
 * The check of each type.
 *
 * @param today YYYY-MM-DD in UTC
 */
export function createValueChecks(
  reading: ReadingRules,
  today: string,
): Readonly<Record<FieldType, ValueCheck>> {
  return {
    text: acceptText,
    list: checkList,
    identifier: acceptText,
    account_number: acceptText,
    us_account_number: checkUsAccountNumber,
    email: checkEmail,
    phone: checkPhone,
    birth_date: createBirthDateCheck(reading.dateFormat, today),
    country: checkCountry,
    state: checkState,
    currency: checkCurrency,
    uuid: checkUuid,
    amount: createAmountCheck(reading),
    iban: checkIban,
    routing_number: checkRoutingNumber,
  };
}
