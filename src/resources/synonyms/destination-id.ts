import type { Synonyms } from './synonyms.ts';

export const destinationIdNames: Synonyms = {
  en: ['destination', 'account id', 'destination account', 'destination account id', 'receiving account id'],
  de: ['zielkonto'],
  fr: ['compte de destination'],
  sw: ['akaunti lengwa'],
  pt: ['conta de destino'],
};
