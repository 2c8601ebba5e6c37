import type { Synonyms } from './synonyms.ts';

export const customerTypeNames: Synonyms = {
  en: ['customer type', 'client type', 'kind of customer'],
  de: ['kundentyp', 'kundenart'],
  fr: ['type de client'],
  sw: ['aina ya mteja'],
  pt: ['tipo de cliente'],
};
