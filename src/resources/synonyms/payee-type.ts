import type { Synonyms } from './synonyms.ts';

export const payeeTypeNames: Synonyms = {
  en: [
    'type',
    'recipient type',
    'beneficiary type',
    'payment type',
    'payout type',
    'rail',
    'payout method',
    'payment method',
    'method',
    'type of payee',
    'kind of payee',
    'transfer type',
  ],
  de: ['empfängertyp', 'zahlungsart', 'empfaengerart', 'typ'],
  fr: ['type de bénéficiaire', 'mode de paiement', 'type'],
  sw: ['aina ya mpokeaji', 'njia ya malipo'],
  pt: ['tipo de beneficiário', 'forma de pagamento', 'tipo'],
};
