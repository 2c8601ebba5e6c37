import type { KindDefinition } from '../../definition.ts';
import { collections } from './collections.ts';

export const collectionsKind: KindDefinition = {
  name: 'collections',
  singular: 'collection',
  label: 'Collections',
  whatWasDone: 'Collections requested; nothing is collected before the payers pay',
  referenceField: 'client_reference',
  definitions: [collections],
};
