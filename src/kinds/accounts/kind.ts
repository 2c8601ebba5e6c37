/* The kind `accounts`: columns, rules, request and answer. */

import { readFileSync } from 'node:fs';
import { readEnvelope } from '../answer.ts';
import type { KindDefinition, ResourceDefinition } from '../definition.ts';
import {
  accountHandle,
  columnsIn,
  customerKey,
  customerReference,
  echoesOf,
  fieldsOf,
  textFields,
} from '../definition-parts.ts';

/** A customer's account on a blockchain network, with a wallet address and a virtual bank account. */
const accounts: ResourceDefinition = {
  name: 'accounts',
  kind: 'accounts',
  payeeType: null,
  path: '/v1/accounts',
  rules: columnsIn(readFileSync(new URL('./columns.json', import.meta.url), 'utf8')),
  references: [customerReference],
  institution: null,
  naturalKey: (record) => [
    customerKey(record) ?? '',
    record['currency'] ?? '',
    record['blockchain_network'] ?? '',
    record['type'] ?? '',
    record['label'] ?? '',
  ],
  handle: (record) => accountHandle(record, record['label']),
  body: (record) => fieldsOf(record, ['currency', 'type', 'blockchain_network', 'label', 'customer_id']),
  readAnswer: readEnvelope,
  echoes: echoesOf({
    customer_id: 'uuid',
    currency: 'code',
    label: 'text',
    type: 'code',
    blockchain_network: 'code',
  }),
  answerFields: [
    ...textFields('id', 'customer_id', 'label', 'type', 'currency', 'blockchain_network'),
    { path: 'status', type: 'text', usual: ['active'] },
    ...textFields('balance', 'assets[].balance'),
    { path: 'assets[].decimals', type: 'integer' },
    ...textFields(
      'assets[].symbol',
      'capabilities[]',
      'date_created',
      'tenant_id',
      'tenant_name',
      'tier',
      'wallet_address',
      'virtual_account_id',
      'virtual_account_bank_account_number',
      'virtual_account_bank_routing_number',
      'virtual_account_bank_name',
      'virtual_account_bank_address',
      'virtual_account_bank_beneficiary_address',
    ),
  ],
  ownReference: 'label',
};

export const accountsKind: KindDefinition = {
  name: 'accounts',
  singular: 'account',
  label: 'Accounts',
  whatWasDone: 'Accounts opened; no money was moved',
  referenceField: null,
  definitions: [accounts],
};
