import type { FieldType } from '../../resources/definition.ts';

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
  ...['brak', 'nie dotyczy', 'nd.', 'nieznany', 'saknas', 'okänd', 'ingen', 'mangler', 'ukendt', 'ukjent'],
  ...['ei ole', 'ei tiedossa', 'puuttuu', 'není', 'chybí', 'neznámý', 'nu are', 'necunoscut', 'fără'],
  ...['yok', 'bilinmiyor', 'belirtilmemiş', 'nincs', 'ismeretlen'],
]);
/** Words that may as well be values of a text: a question mark says that something is missing, `NA` may be Namibia. */
const doubtful: ReadonlySet<string> = new Set([
  ...[
    '?',
    'x',
    'xx',
    'xxx',
    '/',
    '.',
    '..',
    '...',
    'ka',
    'nc',
    'nd',
    'sem',
    'ohne',
    'na',
    'none',
    'blank',
    'empty',
  ],
]);

/** Types whose values have digits or a form, so that none of these words is one of them. */
const formal: ReadonlySet<FieldType> = new Set([
  ...(['email', 'phone', 'birth_date', 'iban', 'routing_number', 'uuid', 'postal_code'] as const),
  ...(['account_number', 'us_account_number'] as const),
]);

/**
 * Whether a text stands for an empty cell, in whatever language. In amounts none does: a dash is zero in accounting,
 * and whoever has no amount is not to be paid.
 */
export function isEmptyWord(text: string, type: FieldType): boolean {
  if (type === 'amount') return false;
  const word = text.trim().toLowerCase();
  return emptyWords.has(word) && (formal.has(type) ? word !== '?' : !doubtful.has(word));
}
