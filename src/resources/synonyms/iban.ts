import type { Synonyms } from './synonyms.ts';

export const ibanNames: Synonyms = {
  en: ['iban no', 'iban number', 'iban code', 'beneficiary iban', 'iban account', 'iban #'],
  de: ['iban-nummer', 'iban nr'],
  fr: ['code iban', 'numéro iban'],
  sw: ['namba ya iban'],
  pt: ['número iban', 'código iban'],
};
