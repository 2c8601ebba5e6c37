import type { Synonyms } from './synonyms.ts';

export const bankNameNames: Synonyms = {
  en: [
    'bank',
    'beneficiary bank',
    'beneficiary bank name',
    'name of bank',
    'bank of beneficiary',
    'receiving bank',
  ],
  de: ['bankname', 'kreditinstitut', 'name der bank', 'geldinstitut', 'bankverbindung'],
  fr: ['banque', 'nom de la banque', 'établissement bancaire'],
  sw: ['benki', 'jina la benki'],
  pt: ['banco', 'nome do banco'],
};
