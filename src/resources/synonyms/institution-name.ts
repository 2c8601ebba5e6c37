import type { Synonyms } from './synonyms.ts';

export const institutionNameNames: Synonyms = {
  en: [
    'institution',
    'provider',
    'operator',
    'mobile operator',
    'mno',
    'network',
    'bank',
    'bank name',
    'mobile money provider',
    'beneficiary bank',
    'bank/provider',
    'bank / mobile money',
    'financial institution',
    'wallet provider',
    'telco',
    'payment provider',
    'bank or mobile money',
  ],
  de: ['bank', 'institut', 'anbieter', 'kreditinstitut'],
  fr: ['banque', 'opérateur', 'établissement', 'fournisseur'],
  sw: ['benki', 'mtoa huduma', 'taasisi'],
  pt: ['banco', 'instituição', 'operadora'],
};
