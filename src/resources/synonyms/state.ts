import type { Synonyms } from './synonyms.ts';

export const stateNames: Synonyms = {
  en: [
    'province',
    'region',
    'county',
    'state province',
    'subdivision',
    'state/province',
    'st',
    'state code',
    'county/state',
  ],
  de: ['bundesland', 'provinz', 'kanton'],
  fr: ['état', 'région', 'province', 'département'],
  sw: ['jimbo', 'mkoa', 'kaunti'],
  pt: ['estado', 'província', 'distrito', 'região'],
};
