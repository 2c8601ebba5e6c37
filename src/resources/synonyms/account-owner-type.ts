import type { Synonyms } from './synonyms.ts';

export const accountOwnerTypeNames: Synonyms = {
  en: [
    'owner type',
    'account owner',
    'holder type',
    'account holder type',
    'owner kind',
    'entity type',
    'holder kind',
  ],
  de: ['art des kontoinhabers', 'inhabertyp', 'kontoinhabertyp'],
  fr: ['type de titulaire', 'type du titulaire'],
  sw: ['aina ya mmiliki'],
  pt: ['tipo de titular', 'tipo do titular'],
};
