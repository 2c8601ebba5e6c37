import type { Synonyms } from './synonyms.ts';

export const clientReferenceNames: Synonyms = {
  en: [
    'reference',
    'ref',
    'our reference',
    'invoice',
    'invoice no',
    'invoice number',
    'order no',
    'order number',
    'payment reference',
    'collection reference',
    'bill no',
    'bill number',
    'transaction reference',
    'receipt no',
  ],
  de: [
    'referenz',
    'rechnungsnummer',
    'rechnungsnr',
    'rechnung',
    'verwendungszweck',
    'auftragsnummer',
    'belegnummer',
  ],
  fr: ['référence', 'numéro de facture', 'n° de facture', 'facture', 'numéro de commande'],
  sw: ['kumbukumbu', 'namba ya ankara', 'ankara'],
  pt: ['referência', 'número da fatura', 'fatura', 'nº da fatura', 'número do pedido'],
};
