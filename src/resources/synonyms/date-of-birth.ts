import type { Synonyms } from './synonyms.ts';

export const dateOfBirthNames: Synonyms = {
  en: [
    'dob',
    'birth date',
    'birthdate',
    'birthday',
    'date of birth',
    'born',
    'd.o.b.',
    'birth',
    'day of birth',
  ],
  de: ['geburtsdatum', 'geburtstag', 'geb. datum', 'geb. am', 'geboren', 'geboren am'],
  fr: ['date de naissance', 'né le', 'née le', 'naissance'],
  sw: ['tarehe ya kuzaliwa'],
  pt: ['data de nascimento', 'nascimento', 'data nasc.', 'dt nascimento'],
};
