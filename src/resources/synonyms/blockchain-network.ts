import type { Synonyms } from './synonyms.ts';

export const blockchainNetworkNames: Synonyms = {
  en: ['network', 'blockchain', 'chain', 'crypto network', 'blockchain name'],
  de: ['netzwerk', 'blockchain netzwerk'],
  fr: ['réseau', 'réseau blockchain'],
  sw: ['mtandao'],
  pt: ['rede', 'rede blockchain'],
};
