/* Values of a file as pages quote them. */

import { type Html, html } from '../../account/report/page.ts';
import { markedValueName } from '../../account/words/mapping-words.ts';
import { colourOfMark } from '../../domain/tables/row-marks.ts';

/** Values of the file, unchanged. */
export function samplesOf(samples: readonly string[]): Html {
  return html`${samples.map((text) => html`<span class="sample">${shortened(text)}</span> `)}`;
}

/** A value that sets rows apart; a colour as a patch of it, with its name and then its digits. */
export function markedValue(value: string): Html {
  const colour = colourOfMark(value);
  if (colour === null) return html`${shortened(markedValueName(value))}`;
  return html`<svg class="patch" viewBox="0 0 1 1" aria-hidden="true"><rect width="1" height="1" fill="#${colour.rgb}"/></svg> ${colour.name} <small class="soft">${colour.rgb}</small>`;
}

const sampleCharacters = 60;

/** A text that fits into a cell. */
export function shortened(text: string, most = sampleCharacters): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
