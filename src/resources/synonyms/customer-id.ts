import type { Synonyms } from './synonyms.ts';

export const customerIdNames: Synonyms = {
  en: ['customer uuid', 'client uuid', 'api customer id'],
  de: ['kunden-uuid'],
  fr: ['uuid client'],
  sw: ['kitambulisho cha mteja'],
  pt: ['uuid do cliente'],
};
