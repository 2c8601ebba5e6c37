/* Values of a file as pages quote them. */

import { type Html, html } from '../../account/report/page.ts';

/** Values of the file, unchanged. */
export function samplesOf(samples: readonly string[]): Html {
  return html`${samples.map((text) => html`<span class="sample">${shortened(text)}</span> `)}`;
}

const sampleCharacters = 60;

/** A text that fits into a cell. */
export function shortened(text: string, most = sampleCharacters): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
