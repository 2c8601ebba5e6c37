import type { Synonyms } from './synonyms.ts';

export const emailNames: Synonyms = {
  en: ['mail', 'email address', 'mail address', 'e mail address', 'email id', 'contact email'],
  de: ['e-mail', 'e-mail-adresse', 'mailadresse'],
  fr: ['courriel', 'adresse e-mail', 'adresse électronique', 'mél'],
  sw: ['barua pepe'],
  pt: ['correio eletrónico', 'correio eletrônico', 'endereço de e-mail'],
};
