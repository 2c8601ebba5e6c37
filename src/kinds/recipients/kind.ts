import type { KindDefinition } from '../definition.ts';
import { bankAccount } from './bank-account.ts';
import { bankAccountUs } from './bank-account-us.ts';
import { mobileMoney } from './mobile-money.ts';
import { sepa } from './sepa.ts';

/** A new payee type is one more file in this folder, and one more element of this list. */
export const recipientsKind: KindDefinition = {
  name: 'recipients',
  singular: 'recipient',
  label: 'Recipients',
  whatWasDone: 'Recipients registered; nothing was paid',
  referenceField: null,
  definitions: [bankAccountUs, bankAccount, mobileMoney, sepa],
};
