import type { Synonyms } from './synonyms.ts';

export const middleNameNames: Synonyms = {
  en: ['middle', 'second name', 'other name', 'other names', 'mname', 'middle names', 'middle initial'],
  de: ['zweiter vorname', 'mittelname'],
  fr: ['deuxième prénom', 'second prénom'],
  sw: ['jina la kati'],
  pt: ['nome do meio', 'segundo nome'],
};
