/* Creates recipients in the sandbox. */

import { randomUUID } from 'node:crypto';
import { type Circumstances, type Creation, knownCustomer, type Resource } from './creation.ts';
import {
  addressFields,
  currency,
  isIban,
  isRoutingNumber,
  nested,
  oneOf,
  phone,
  plainText,
  Refusal,
  readObject,
  refuse,
  required,
  requireStateOfCountry,
  type Shape,
  textField,
  uuidText,
  wordText,
} from './fields.ts';
import type { SandboxDirectory, SandboxInstitution } from './institutions.ts';

const everyPayee = {
  account_name: required(plainText),
  bank_name: required(plainText),
  currency: required(currency),
  customer_id: required(uuidText),
};

const usAccountNumber = textField(/^\d{4,17}$/, 'invalid_account_number', '4 to 17 digits');
const accountNumber = textField(
  /^[A-Za-z0-9-]{4,34}$/,
  'invalid_account_number',
  '4 to 34 letters, digits or hyphens',
);
const { address_line1, city, state, country, postal_code } = addressFields;

const fieldsByPayeeType = {
  bank_account_us: {
    ...everyPayee,
    payee_type: required(oneOf('bank_account_us')),
    account_number: required(usAccountNumber),
    routing_number: required(textField(isRoutingNumber, 'invalid_routing_number', 'an ABA routing number')),
    account_owner_type: required(wordText),
    account_type: required(wordText),
    address: required(nested({ address_line1, city, state, country, postal_code })),
  },
  bank_account: {
    ...everyPayee,
    payee_type: required(oneOf('bank_account')),
    account_number: required(accountNumber),
    institution_id: required(uuidText),
  },
  mobile_money: {
    ...everyPayee,
    payee_type: required(oneOf('mobile_money')),
    phone_number: required(phone),
    institution_id: required(uuidText),
  },
  sepa: {
    ...everyPayee,
    payee_type: required(oneOf('sepa')),
    account_owner_type: required(wordText),
    iban: required(textField(isIban, 'invalid_iban', 'an IBAN in capitals without spaces')),
    address: required(nested({ address_line1, city, country, postal_code })),
  },
} as const satisfies Record<string, Shape>;

type PayeeType = keyof typeof fieldsByPayeeType;

interface Address {
  readonly address_line1: string;
  readonly city: string;
  readonly state?: string | null | undefined;
  readonly country: string;
  readonly postal_code: string;
}

/** The fields of all payee types. Each type reads only its own fields. */
interface Payee {
  readonly payee_type: PayeeType;
  readonly account_name: string;
  readonly bank_name: string;
  readonly currency: string;
  readonly customer_id: string;
  readonly account_number?: string;
  readonly phone_number?: string;
  readonly routing_number?: string;
  readonly iban?: string;
  readonly account_owner_type?: string;
  readonly account_type?: string;
  readonly institution_id?: string;
  readonly address?: Address;
}

export const externalAccounts: Resource = {
  kind: 'external_accounts',
  path: '/v1/external-accounts',
  magicField: 'account_name',
  create(body: unknown, circumstances: Circumstances): Creation {
    const { directory, now } = circumstances;
    const payee: Payee = readObject(body, fieldsByPayeeType[payeeTypeOf(body)], '');
    knownCustomer(circumstances, payee.customer_id);
    const institution = institutionOf(payee, directory);
    checkCurrency(payee, institution);
    if (payee.address) requireStateOfCountry(payee.address);
    refuseMagicPayees(payee);
    const record = recorded(payee, institution, now);
    return {
      id: record.id,
      natural: [
        payee.customer_id,
        payee.payee_type,
        payee.account_number ?? payee.phone_number ?? payee.iban,
        payee.routing_number ?? payee.institution_id,
        payee.currency,
      ],
      answer: JSON.stringify({ data: record, error: null }),
      // Fields that are only in the request: they are stored, but never in an answer.
      object: JSON.stringify({ ...record, bank_name: payee.bank_name, account_type: payee.account_type }),
    };
  },
};

function payeeTypeOf(body: unknown): PayeeType {
  const { payee_type: type } = (typeof body === 'object' && body !== null ? body : {}) as Record<
    string,
    unknown
  >;
  if (typeof type === 'string' && Object.hasOwn(fieldsByPayeeType, type)) return type as PayeeType;
  const types = Object.keys(fieldsByPayeeType).join(', ');
  throw new Refusal(400, 'invalid_payee_type', `payee_type must be one of ${types}`, 'payee_type');
}

function institutionOf(payee: Payee, directory: SandboxDirectory): SandboxInstitution | undefined {
  if (payee.institution_id === undefined) return undefined;
  const institution = directory.find(payee.institution_id);
  if (institution === undefined) {
    throw new Refusal(404, 'institution_not_found', 'there is no such institution', 'institution_id');
  }
  const isBank = institution.account_number_type === 'bank_account_number';
  if (isBank !== (payee.payee_type === 'bank_account')) {
    const is = isBank ? 'a bank' : 'a mobile money provider';
    refuse('institution_type_mismatch', `the institution is ${is}`, 'institution_id');
  }
  if (payee.phone_number !== undefined && !directory.isPhoneOf(payee.phone_number, institution)) {
    refuse('phone_country_mismatch', 'the phone is not of its country', 'phone_number');
  }
  return institution;
}

function checkCurrency(payee: Payee, institution: SandboxInstitution | undefined): void {
  const right = institution?.currency ?? (payee.payee_type === 'sepa' ? 'EUR' : 'USD');
  if (payee.currency !== right) {
    refuse('currency_mismatch', `the currency of this payee must be ${right}`, 'currency');
  }
}

function refuseMagicPayees(payee: Payee): void {
  if (payee.account_name === 'Closed Account') {
    refuse('account_closed', 'the account is closed (magic value)', 'account_name');
  }
  const field = payee.phone_number === undefined ? 'account_number' : 'phone_number';
  if (payee[field]?.endsWith('404404')) {
    refuse('recipient_not_found', 'the institution knows no such account (magic value)', field);
  }
}

function recorded(payee: Payee, institution: SandboxInstitution | undefined, now: Date) {
  const isBank = payee.payee_type === 'bank_account';
  return {
    id: randomUUID(),
    customer_id: payee.customer_id,
    payee_type: payee.payee_type,
    account_name: payee.account_name,
    account_number: payee.account_number ?? null,
    ...(payee.phone_number === undefined ? {} : { phone_number: payee.phone_number }),
    account_owner_type: payee.account_owner_type ?? null,
    currency: payee.currency,
    address: payee.address ?? null,
    iban: payee.iban ?? null,
    routing_number: payee.routing_number ?? null,
    institution_id: institution?.id ?? null,
    institution_name: institution?.name ?? payee.bank_name,
    institution_country_iso_code: institution?.country_iso_code ?? null,
    institution_type: institution === undefined ? null : isBank ? 'bank' : 'mobile_money',
    date_created: now.toISOString(),
  };
}
