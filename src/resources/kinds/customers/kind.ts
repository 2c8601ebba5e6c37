import type { KindDefinition } from '../../definition.ts';
import { customers } from './customers.ts';

export const customersKind: KindDefinition = {
  name: 'customers',
  singular: 'customer',
  label: 'Customers',
  whatWasDone: 'Customers created; no money was moved',
  referenceField: 'external_id',
  definitions: [customers],
};
