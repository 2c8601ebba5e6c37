import type { Synonyms } from './synonyms.ts';

export const lastNameNames: Synonyms = {
  en: ['surname', 'family name', 'last', 'lname', 'name last', 'family names', 'second name surname'],
  de: ['nachname', 'familienname', 'zuname'],
  fr: ['nom', 'nom de famille'],
  sw: ['jina la ukoo', 'jina la mwisho', 'jina la familia'],
  pt: ['apelido', 'sobrenome', 'último nome', 'nome de família'],
};
