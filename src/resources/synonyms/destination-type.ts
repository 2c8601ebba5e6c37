import type { Synonyms } from './synonyms.ts';

export const destinationTypeNames: Synonyms = {
  en: ['kind of destination'],
  de: ['zielart'],
  fr: ['type de destination'],
  sw: ['aina ya lengo'],
  pt: ['tipo de destino'],
};
