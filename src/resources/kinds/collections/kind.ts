import type { KindDefinition } from '../../definition.ts';
import { collections } from './collections.ts';

export const collectionsKind: KindDefinition = {
  name: 'collections',
  singular: 'collection',
  label: 'Collections',
  referenceField: 'client_reference',
  definitions: [collections],
};
