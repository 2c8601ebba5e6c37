import type { Synonyms } from './synonyms.ts';

export const routingNumberNames: Synonyms = {
  en: [
    'routing',
    'routing no',
    'aba',
    'aba no',
    'aba number',
    'aba routing number',
    'rtn',
    'routing transit number',
    'fedwire',
    'aba/routing',
    'ach routing',
    'ach routing number',
    'routing #',
    'bank routing number',
    'aba #',
  ],
  de: ['routingnummer', 'aba nummer'],
  fr: ["numéro d'acheminement", 'code aba'],
  sw: ['namba ya routing'],
  pt: ['número de roteamento', 'código aba'],
};
