import type { Synonyms } from './synonyms.ts';

export const labelNames: Synonyms = {
  en: ['account label', 'account name', 'name', 'wallet', 'wallet name', 'account title'],
  de: ['bezeichnung', 'kontobezeichnung', 'kontoname'],
  fr: ['libellé', 'nom du compte'],
  sw: ['jina la akaunti'],
  pt: ['nome da conta', 'etiqueta'],
};
