import type { Synonyms } from './synonyms.ts';

export const genderNames: Synonyms = {
  en: ['sex', 'gender m/f', 'sex m/f'],
  de: ['geschlecht'],
  fr: ['sexe', 'genre'],
  sw: ['jinsia'],
  pt: ['sexo', 'género', 'gênero'],
};
