import type { Synonyms } from './synonyms.ts';

export const clientCustomerIdNames: Synonyms = {
  en: ['our customer no', 'our customer id', 'customer label'],
  de: ['unsere kundennummer'],
  fr: ['notre numéro client'],
  sw: ['namba yetu ya mteja'],
  pt: ['nosso número de cliente'],
};
