import type { Synonyms } from './synonyms.ts';

export const firstNameNames: Synonyms = {
  en: [
    'given name',
    'forename',
    'first',
    'fname',
    'name first',
    'christian name',
    'first names',
    'given names',
  ],
  de: ['vorname', 'vornamen', 'rufname'],
  fr: ['prénom', 'prénoms'],
  sw: ['jina la kwanza'],
  pt: ['nome próprio', 'primeiro nome', 'prenome'],
};
