/* Creates accounts in the sandbox. */

import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { type Circumstances, type Creation, knownCustomer, type Resource } from '../creation.ts';
import {
  type Content,
  currency,
  oneOf,
  plainText,
  RequestRefusal,
  readObject,
  required,
  uuidText,
} from '../fields.ts';

/** Fixed for all sandboxes, since the specification shows one tenant for an account holder. */
const TENANT_ID = '5a0f4a52-6c0e-4d1b-9a53-0c6a3f6b7e11';

const fields = {
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
    const request = readObject(body, fields, '');
    const kyc = knownCustomer(circumstances, request.customer_id);
    if (kyc !== 'passed') {
      throw new RequestRefusal(
        422,
        'kyc_required',
        'the customer has not completed identity verification',
        'customer_id',
      );
    }
    if (request.currency !== 'USD') {
      throw new RequestRefusal(422, 'currency_not_supported', 'accounts are held in USD only', 'currency');
    }
    if (request.label === 'Refused') {
      throw new RequestRefusal(422, 'account_refused', 'this account is refused (magic value)', 'label');
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

function opened(request: Content<typeof fields>, now: Date) {
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
