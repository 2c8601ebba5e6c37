import type { KindDefinition } from '../../../../src/kinds/definition.ts';
import { suppliers } from './suppliers.ts';

export const suppliersKind: KindDefinition = {
  name: 'suppliers',
  singular: 'supplier',
  label: 'Suppliers',
  whatWasDone: 'Suppliers added; no money was moved',
  referenceField: 'supplier_number',
  definitions: [suppliers],
};
