/* Going on with the questions about a file whose dialogue ended with an error. */

import { type Html, html } from '../../account/report/page.ts';
import type { Frame } from './layout.ts';
import type { AskedFile } from './mapping.ts';
import { action } from './remedies.ts';

/** What a person may do after an error in the dialogue. The answers are kept. */
export function waysAfterFailure(frame: Frame, { address }: AskedFile): Html {
  return html`<section><p>Your answers are kept. The last one may be what does not work: go back to its question, and answer it in another way.</p>
<div class="actions">${action(frame, `${address}/again?without=last`, 'Back to the question before')}${action(frame, `${address}/again`, 'Try again', 'second')}${action(frame, `${address}/again?without=all`, 'Begin anew', 'second')}</div></section>`;
}
