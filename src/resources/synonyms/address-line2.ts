import type { Synonyms } from './synonyms.ts';

export const addressLine2Names: Synonyms = {
  en: [
    'address 2',
    'street 2',
    'apartment',
    'unit',
    'address line two',
    'addr 2',
    'apt',
    'suite',
    'floor',
    'flat',
  ],
  de: ['adresszusatz', 'zusatz', 'adresszeile 2', 'adresse 2'],
  fr: ["complément d'adresse", 'complément', 'adresse 2', 'adresse ligne 2'],
  sw: ['anwani 2'],
  pt: ['complemento', 'endereço 2', 'morada 2'],
};
