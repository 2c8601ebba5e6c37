import type { Synonyms } from './synonyms.ts';

export const institutionIdNames: Synonyms = {
  en: ['provider id', 'operator id', 'bank id', 'institution uuid'],
  de: ['institut-id'],
  fr: ["identifiant de l'établissement"],
  sw: ['kitambulisho cha benki'],
  pt: ['id da instituição'],
};
