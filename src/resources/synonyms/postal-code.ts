import type { Synonyms } from './synonyms.ts';

export const postalCodeNames: Synonyms = {
  en: ['zip', 'zip code', 'postcode', 'post code', 'postal', 'po code', 'zip postal code', 'postal zip'],
  de: ['plz', 'postleitzahl'],
  fr: ['code postal', 'cp'],
  sw: ['msimbo wa posta', 'sanduku la posta'],
  pt: ['código postal', 'cep'],
};
