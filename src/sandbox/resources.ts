/* The endpoints that create customers, accounts and collections in the sandbox. */

import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { CustomerAnswer } from './core.ts';
import { type Circumstances, type Creation, knownCustomer, type Resource } from './creation.ts';
import {
  addressFields,
  amount,
  type Content,
  country,
  currency,
  date,
  email,
  nested,
  oneOf,
  optional,
  phone,
  plainText,
  type Reader,
  Refusal,
  readObject,
  refuse,
  required,
  requireStateOfCountry,
  uuidText,
  wordText,
} from './fields.ts';
import type { SandboxDirectory } from './institutions.ts';
import type { ModeState } from './mode-state.ts';

/* Creates customers in the sandbox. */

const customerFields = {
  first_name: required(plainText),
  middle_name: optional(plainText),
  last_name: required(plainText),
  email: optional(email),
  phone: optional(phone),
  type: optional(oneOf('individual')),
  gender: optional(wordText),
  date_of_birth: optional(date),
  external_id: optional(plainText),
  address: optional(
    nested({
      address_line1: optional(plainText),
      address_line2: addressFields.address_line2,
      city: optional(plainText),
      state: addressFields.state,
      country: required(country),
      postal_code: optional(plainText),
    }),
  ),
};

export const customersResource: Resource = {
  kind: 'customers',
  path: '/v1/customers',
  magicField: 'last_name',
  create(body: unknown, { now, settings: { kyc, customerAnswer } }: Circumstances): Creation {
    const request = readObject(body, customerFields, '');
    check(request, now);
    const id = randomUUID();
    const kycStatus = kyc === 'required' || request.last_name === 'Unverified' ? 'pending' : 'passed';
    const object = { id, ...request, kyc_status: kycStatus, date_created: now.toISOString() };
    return {
      id,
      natural: naturalOf(request),
      answer: answered(object, customerAnswer),
      object: JSON.stringify(object),
      kyc: kycStatus,
    };
  },
};

function check(request: Content<typeof customerFields>, now: Date): void {
  if (request.address) requireStateOfCountry(request.address);
  if (request.date_of_birth !== undefined && request.date_of_birth > now.toISOString().slice(0, 10)) {
    refuse('date_in_future', 'date_of_birth lies in the future', 'date_of_birth');
  }
  if (request.last_name === 'Refused') {
    refuse('customer_refused', 'this customer is refused (magic value)', 'last_name');
  }
}

function naturalOf(request: Content<typeof customerFields>): (string | undefined)[] {
  if (request.external_id !== undefined) return ['external_id', request.external_id];
  if (request.email !== undefined) return ['email', request.email.toLowerCase()];
  if (request.phone !== undefined) return ['phone', request.phone];
  return ['name', request.first_name, request.middle_name, request.last_name, request.date_of_birth];
}

function answered(object: object, shape: CustomerAnswer): string {
  if (shape === 'bare') return JSON.stringify(object);
  if (shape === 'nested') return JSON.stringify({ customer: object });
  return JSON.stringify({ data: object, error: null });
}

/* Creates accounts in the sandbox. */

/** The same for all sandboxes, since the specification shows one tenant for an account holder. */
const TENANT_ID = '5a0f4a52-6c0e-4d1b-9a53-0c6a3f6b7e11';

const accountFields = {
  currency: required(currency),
  type: required(oneOf('regular')),
  blockchain_network: required(
    oneOf('polygon', 'ethereum', 'base', 'arbitrum', 'optimism', 'avalanche', 'celo'),
  ),
  label: required(plainText),
  customer_id: required(uuidText),
};

export const accounts: Resource = {
  kind: 'accounts',
  path: '/v1/accounts',
  magicField: 'label',
  create(body: unknown, circumstances: Circumstances): Creation {
    const request = readObject(body, accountFields, '');
    const kyc = knownCustomer(circumstances, request.customer_id);
    if (kyc !== 'passed') {
      refuse('kyc_required', 'the customer has not completed identity verification', 'customer_id');
    }
    if (request.currency !== 'USD') {
      refuse('currency_not_supported', 'accounts are held in USD only', 'currency');
    }
    if (request.label === 'Refused') {
      refuse('account_refused', 'this account is refused (magic value)', 'label');
    }
    const account = opened(request, circumstances.now);
    return {
      id: account.id,
      natural: [
        request.customer_id,
        request.currency,
        request.blockchain_network,
        request.type,
        request.label,
      ],
      answer: JSON.stringify({ data: account, error: null }),
      customer: request.customer_id,
    };
  },
};

function opened(request: Content<typeof accountFields>, now: Date) {
  return {
    id: randomUUID(),
    customer_id: request.customer_id,
    label: request.label,
    type: request.type,
    currency: request.currency,
    blockchain_network: request.blockchain_network,
    status: 'active',
    balance: '0.00',
    assets: [{ balance: '0.00', decimals: 6, symbol: 'USDC' }],
    capabilities: ['transfer', 'receive', 'remittance'],
    date_created: now.toISOString(),
    tenant_id: TENANT_ID,
    tenant_name: 'Sandbox Tenant',
    tier: '',
    wallet_address: `0x${randomBytes(20).toString('hex')}`,
    virtual_account_id: randomUUID(),
    virtual_account_bank_account_number: `90${randomInt(1e9, 1e10)}`,
    virtual_account_bank_routing_number: '021000021',
    virtual_account_bank_name: 'Sandbox Bank, N.A.',
    virtual_account_bank_address: '1 Example Plaza, New York, NY 10004, US',
    virtual_account_bank_beneficiary_address: '500 Sample Street, Wilmington, DE 19801, US',
  };
}

/* Creates collections in the sandbox. */

const method = oneOf('mobile_money');

const methods: Reader<string[]> = (value, field) => {
  if (!Array.isArray(value)) throw new Refusal(400, 'invalid_type', `${field} must be an array`, field);
  if (value.length !== 1)
    throw new Refusal(400, 'invalid_value', `${field} must hold mobile_money only`, field);
  return value.map((entry: unknown) => method(entry, field));
};

const collectionFields = {
  amount: required(amount),
  currency: required(currency),
  country: required(country),
  customer_id: required(uuidText),
  client_customer_id: optional(plainText),
  client_reference: required(plainText),
  source: required(nested({ source_type: required(oneOf('external')), methods: required(methods) })),
  destination: required(
    nested({ id: required(uuidText), destination_type: required(oneOf('internal_account')) }),
  ),
};

type CollectionRequest = Content<typeof collectionFields>;

export const collections: Resource = {
  kind: 'collections',
  path: '/v1/collections',
  magicField: 'client_reference',
  create(body: unknown, circumstances: Circumstances): Creation {
    const { mode, directory, now } = circumstances;
    const request = readObject(body, collectionFields, '');
    knownCustomer(circumstances, request.customer_id);
    checkDestination(request, mode);
    const dialCode = checkPayIn(request, directory);
    if (request.client_reference.startsWith('REFUSE-')) {
      refuse('collection_refused', 'this collection is refused (magic value)', 'client_reference');
    }
    const id = randomUUID();
    const answer = {
      instruction: instructionFor(request, dialCode),
      client_reference: request.client_reference,
      transaction_id: id,
      transaction_status: 'pending',
      onramp_status: 'initialized',
      amount: request.amount,
      currency: request.currency,
      country: request.country,
    };
    const rest = {
      customer_id: request.customer_id,
      client_customer_id: request.client_customer_id,
      source: request.source,
      destination: request.destination,
      date_created: now.toISOString(),
    };
    return {
      id,
      natural: [request.client_reference],
      answer: JSON.stringify(answer),
      object: JSON.stringify({ ...answer, ...rest }),
    };
  },
};

function checkDestination(request: CollectionRequest, mode: ModeState): void {
  const owner = mode.accounts.get(request.destination.id);
  if (owner === undefined) {
    throw new Refusal(404, 'account_not_found', 'there is no such account', 'destination.id');
  }
  if (owner !== request.customer_id) {
    refuse('account_of_other_customer', 'the account is not this customer’s', 'destination.id');
  }
}

/** @returns the code that the payer dials */
function checkPayIn(request: CollectionRequest, directory: SandboxDirectory): string {
  const offer = directory.mobileMoneyOf(request.country);
  if (offer === undefined) {
    refuse('country_not_supported', 'there is no mobile money in this country', 'country');
  }
  if (offer.currency !== request.currency) {
    refuse('currency_mismatch', `payers in ${request.country} pay in ${offer.currency}`, 'currency');
  }
  return offer.dialCode;
}

function instructionFor(request: CollectionRequest, dialCode: string): string {
  const billNumber = randomInt(100_000, 1_000_000);
  return [
    '<div class="instruction"><ol>',
    `<li>Dial <strong>${escapeHtml(dialCode)}</strong></li>`,
    '<li>Select <em>Payments</em>, then <em>Pay bill</em></li>',
    `<li>Enter the bill pay number <strong>${billNumber}</strong></li>`,
    `<li>Enter the reference number <strong>${escapeHtml(request.client_reference)}</strong></li>`,
    `<li>Enter the amount <strong>${request.currency} ${request.amount}</strong> and confirm with your PIN</li>`,
    '</ol></div>',
  ].join('');
}

function escapeHtml(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
