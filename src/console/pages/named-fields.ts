/* Texts of pages in which fields stand in words, with the API's names small beside them. */

import { type Html, html } from '../../account/report/page.ts';
import { fieldParts, fieldWord } from '../../account/words/field-words.ts';

/** A text in which the API's names of fields stand in words, each with its name small beside it. */
export function withFieldWords(kind: string, text: string): readonly (string | Html)[] {
  return fieldParts(kind, text).map((part) =>
    'text' in part
      ? part.text
      : html`"${fieldWord(kind, part.field)}" <small><code>${part.field}</code></small>`,
  );
}
