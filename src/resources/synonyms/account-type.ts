import type { Synonyms } from './synonyms.ts';

export const accountTypeNames: Synonyms = {
  en: ['type of account', 'acct type', 'a/c type', 'acc type', 'kind of account', 'checking or savings'],
  de: ['kontoart', 'kontotyp', 'art des kontos'],
  fr: ['type de compte', 'nature du compte'],
  sw: ['aina ya akaunti'],
  pt: ['tipo de conta', 'tipo da conta'],
};
