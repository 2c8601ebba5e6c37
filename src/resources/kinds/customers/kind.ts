import type { KindDefinition } from '../../definition.ts';
import { customers } from './customers.ts';

export const customersKind: KindDefinition = {
  name: 'customers',
  singular: 'customer',
  label: 'Customers',
  referenceField: 'external_id',
  definitions: [customers],
};
