import type { Synonyms } from './synonyms.ts';

export const currencyNames: Synonyms = {
  en: [
    'ccy',
    'cur',
    'curr',
    'currency code',
    'account currency',
    'payout currency',
    'currency iso',
    'iso currency',
    'payment currency',
  ],
  de: ['währung', 'waehrung', 'währungscode', 'whg'],
  fr: ['devise', 'monnaie', 'code devise'],
  sw: ['sarafu'],
  pt: ['moeda', 'divisa', 'código da moeda'],
};
