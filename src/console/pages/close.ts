/* The page on which a person closes a batch: what that means, and what stands in its way. */

import { type Html, html, section } from '../../account/report/page.ts';
import { closingHeadline } from '../../account/words/wording.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import { countOf } from '../../domain/money/figures.ts';
import { type Frame, form, type Page, sentence } from './layout.ts';
import { countsOf } from './parts.ts';
import { nextStepsOf } from './remedies.ts';

/** The page of closing a batch. */
export function closePage(frame: Frame, batch: BatchAccount): Page {
  const { id, file, sheet, counts, closing, next } = batch;
  const unsent = (counts.not_sent ?? 0) + (counts.waiting ?? 0) + (counts.held ?? 0);
  const inDoubt = counts.unknown ?? 0;
  const name = sheet === null ? file : `${file}, sheet ${sheet}`;
  const back = html`<p><a href="/batches/${id}">Back to the batch</a></p>`;
  const page = (...content: readonly Html[]): Page => ({
    title: `Close ${name}`,
    part: '/batches',
    content: [back, ...content],
  });
  if (closing !== null)
    return page(section('It is closed', html`<p>${sentence(closingHeadline(closing))}</p>`));
  if (inDoubt > 0) {
    const steps = next.filter(({ remedy }) => remedy.action !== 'close');
    const doubt = html`<section class="problem"><p class="headline">${countOf(inDoubt, 'row')} may exist at the API.</p>
<p>They were sent, and no answer says what came of it. They have to be decided before the batch can be closed.</p></section>`;
    const shown = nextStepsOf(frame, steps, { upload: null });
    return page(doubt, ...(shown === null ? [] : [shown]));
  }
  return page(
    section('What that means', [
      html`<p>No run takes this batch up any more. ${countOf(unsent, 'row')} that ${unsent === 1 ? 'was' : 'were'} not sent will not be sent. What is created stays created: nothing is taken back. A closed batch cannot be opened again.</p>`,
      countsOf(batch),
    ]),
    section(
      'Close it',
      form(
        frame,
        `/batches/${id}/close`,
        html`<div class="field"><label for="note">Why? It is kept with your name.</label><input id="note" name="note" required maxlength="500" size="60"></div>
<div class="actions"><button class="danger">Close the batch</button></div>`,
      ),
    ),
  );
}
