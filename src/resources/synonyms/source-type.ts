import type { Synonyms } from './synonyms.ts';

export const sourceTypeNames: Synonyms = {
  en: ['source', 'kind of source'],
  de: ['herkunft'],
  fr: ['origine'],
  sw: ['chanzo'],
  pt: ['origem'],
};
