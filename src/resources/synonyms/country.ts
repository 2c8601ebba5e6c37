import type { Synonyms } from './synonyms.ts';

export const countryNames: Synonyms = {
  en: [
    'country code',
    'country iso',
    'iso country',
    'country of residence',
    'beneficiary country',
    'nation',
    'country name',
    'ctry',
  ],
  de: ['land', 'staat', 'ländercode', 'laendercode', 'wohnsitzland'],
  fr: ['pays', 'code pays', 'pays de résidence'],
  sw: ['nchi'],
  pt: ['país', 'código do país', 'país de residência'],
};
