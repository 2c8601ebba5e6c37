/* The page of something that went wrong, and the page of somebody who has not entered. */

import { html } from '../../account/report/page.ts';
import type { KeptForm } from '../access/kept-form.ts';
import { type Frame, form, type Page } from './layout.ts';

/** A sentence about what is wrong, and what to do about it. */
export function problemPage(title: string, message: string, next: string): Page {
  return {
    title,
    content: html`<section class="problem" role="alert"><p class="headline">${message}</p><p>${next}</p></section>
<p><a href="/">To the first page</a></p>`,
  };
}

/** What somebody wanted who has not entered. */
interface WayIn {
  /** The page to go on to. */
  readonly next: string;
  readonly kept: KeptForm | null;
  /** Whether an address was given, and does not open the console. */
  readonly isRefused?: boolean;
}

/** For somebody without a session, where there are no users. */
export function closedDoorPage(frame: Frame, { next, kept, isRefused = false }: WayIn): Page {
  const fields = html`<input type="hidden" name="next" value="${next}">${kept === null ? null : html`<input type="hidden" name="kept" value="${JSON.stringify(kept)}">`}
<div class="field"><label for="address">The address that was printed</label>
<p class="hint" id="address-hint">It works once. Start the console again for another one.</p>
<input id="address" name="address" required autocomplete="off" aria-describedby="address-hint"></div>
<div class="actions"><button>Enter</button></div>`;
  return {
    title: 'Please enter',
    content: [
      html`<section class="problem" role="alert"><p class="headline">${isRefused ? 'That address does not open the console, or was used before.' : 'This console was not entered from this browser, or the session has ended.'}</p>
${kept === null ? null : html`<p>What you filled in is kept: enter, and you see it again.</p>`}</section>`,
      html`<section class="narrow">${form(frame, '/enter', fields)}</section>`,
    ],
  };
}
