import type { KindDefinition } from '../../definition.ts';
import { accounts } from './accounts.ts';

export const accountsKind: KindDefinition = {
  name: 'accounts',
  singular: 'account',
  label: 'Accounts',
  whatWasDone: 'Accounts opened; no money was moved',
  referenceField: null,
  definitions: [accounts],
};
