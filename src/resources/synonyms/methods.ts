import type { Synonyms } from './synonyms.ts';

export const methodsNames: Synonyms = {
  en: ['method', 'payment method', 'payment methods', 'channel', 'pay method'],
  de: ['zahlungsart', 'zahlungsmethode', 'zahlungsweg'],
  fr: ['mode de paiement', 'moyen de paiement'],
  sw: ['njia ya malipo'],
  pt: ['método de pagamento', 'forma de pagamento'],
};
