import type { Synonyms } from './synonyms.ts';

export const destinationLabelNames: Synonyms = {
  en: ['account label', 'account', 'account name', 'wallet', 'receiving account'],
  de: ['kontobezeichnung'],
  fr: ['libellé du compte'],
  sw: ['jina la akaunti lengwa'],
  pt: ['nome da conta'],
};
