import type { Synonyms } from './synonyms.ts';

export const institutionCountryNames: Synonyms = {
  en: ['bank country', 'provider country', 'beneficiary bank country', 'country of bank'],
  de: ['bankland', 'land der bank'],
  fr: ['pays de la banque'],
  sw: ['nchi ya benki'],
  pt: ['país do banco'],
};
