import type { Synonyms } from './synonyms.ts';

export const customerExternalIdNames: Synonyms = {
  en: [
    'external id',
    'customer ref',
    'customer reference',
    'client ref',
    'client id',
    'client no',
    'customer no',
    'customer number',
    'customer code',
    'external customer id',
    'member no',
    'member id',
    'staff no',
    'employee no',
    'employee id',
    'payroll no',
    'membership no',
  ],
  de: ['kundennummer', 'kundennr', 'kunden-nr.', 'mitgliedsnummer', 'personalnummer'],
  fr: ['numéro client', 'n° client', 'référence client', 'code client', 'matricule'],
  sw: ['namba ya mteja', 'nambari ya mteja', 'namba ya mwanachama'],
  pt: ['número do cliente', 'nº do cliente', 'código do cliente', 'referência do cliente'],
};
