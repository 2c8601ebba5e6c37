import type { Synonyms } from './synonyms.ts';

export const accountKindNames: Synonyms = {
  en: ['account type', 'acc type', 'kind of account'],
  de: ['kontoart', 'kontotyp'],
  fr: ['type de compte'],
  sw: ['aina ya akaunti'],
  pt: ['tipo de conta'],
};
