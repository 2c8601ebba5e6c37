/** What people write where there is nothing to write. */

const emptyWords: ReadonlySet<string> = new Set([
  ...[
    'n/a',
    'na',
    'n.a.',
    'n. a.',
    'nil',
    'none',
    'null',
    'unknown',
    'not available',
    'not provided',
    'not applicable',
    'no email',
    'blank',
    'empty',
  ],
  ...['-', '--', '---', '–', '—', '.', '..', '...', 'x', 'xx', 'xxx', '/', '?'],
  ...['k.a.', 'k. a.', 'ka', 'keine', 'keine angabe', 'entfällt', 'unbekannt', 'ohne'],
  ...['néant', 'neant', 's/o', 'sans objet', 'inconnu', 'aucun', 'nc', 'n/c', 'non communiqué'],
  ...[
    'ninguno',
    'ninguna',
    'sin dato',
    'sin datos',
    'no aplica',
    'no tiene',
    's/d',
    'desconocido',
    'n/d',
    'nd',
  ],
  ...[
    'não informado',
    'nao informado',
    'não tem',
    'não se aplica',
    'nenhum',
    'sem',
    'desconhecido',
    'não possui',
  ],
  ...[
    'nessuno',
    'non disponibile',
    'sconosciuto',
    'geen',
    'onbekend',
    'n.v.t.',
    'nvt',
    'hakuna',
    'haijulikani',
  ],
]);
/** A question mark says that something is missing, and is nobody's word for nothing. */
const doubtful: ReadonlySet<string> = new Set([
  '?',
  'x',
  'xx',
  'xxx',
  '/',
  'ka',
  'nc',
  'nd',
  'sem',
  'ohne',
  'na',
  '.',
]);

/** Whether a text stands for an empty cell, in whatever language. */
export function isEmptyWord(text: string): boolean {
  const word = text.trim().toLowerCase();
  return emptyWords.has(word) && !doubtful.has(word);
}
