import type { Synonyms } from './synonyms.ts';

export const cityNames: Synonyms = {
  en: ['town', 'city town', 'locality', 'city/town', 'place', 'municipality', 'suburb'],
  de: ['ort', 'stadt', 'wohnort', 'ortschaft'],
  fr: ['ville', 'localité', 'commune'],
  sw: ['mji', 'jiji'],
  pt: ['cidade', 'localidade', 'município'],
};
