/* A form that arrived after its session had ended: nothing was done, and it is shown filled in on its page again. */

import { type Html, html } from '../../account/report/page.ts';
import { type BroughtBack, type KeptForm, seenIn, typedIn } from '../access/kept-form.ts';
import { type Frame, form, type Page } from './layout.ts';

/** The purpose of a form, by the last part of its address. */
const purposes: Readonly<Record<string, string>> = {
  approval: 'to approve or reject a plan',
  check: 'to check files again',
  close: 'to close a batch',
  decide: 'to decide about many rows',
  discard: 'to discard edits',
  edit: 'to correct cells',
  forget: 'to forget a mapping',
  link: 'to make a link',
  lock: 'to lock somebody',
  plan: 'to plan corrections',
  resume: 'to go on with a batch',
  retry: 'to send rows again',
  send: 'to send rows',
  stop: 'to stop what is under way',
  verdict: 'to decide about a row',
};

function purposeOf(action: string): string {
  const last = action.split('?', 1)[0]?.split('/').at(-1) ?? '';
  const purpose = Object.hasOwn(purposes, last) ? purposes[last] : undefined;
  return purpose === undefined ? '' : ` ${purpose}`;
}

/** The filled-in fields by name; null if there was only a button. A cell may have been emptied. */
function listOf(kept: KeptForm): Html | null {
  const shown = typedIn(kept).filter(([name, value]) => value !== '' || name.startsWith('cell-'));
  if (shown.length === 0) return null;
  const lines = shown.map(
    ([name, value]) =>
      html`<div data-name="${name}"><dt>${nameOf(name)}</dt><dd>${value === '' ? html`<span class="soft">empty</span>` : value}</dd></div>`,
  );
  return html`<dl class="kept">${lines}</dl>`;
}

function nameOf(field: string): string {
  const [, place] = /^cell-(\d+)$/.exec(field) ?? [];
  return place === undefined ? field.replaceAll('_', ' ') : `column ${Number(place) + 1}`;
}

function sendNow(frame: Frame, { action, fields }: KeptForm): Html {
  const hidden = fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
  return form(
    frame,
    action,
    html`${hidden}<div class="actions"><button>Send it now</button><a class="button second" href="/">Leave it</a></div>`,
  );
}

/**
 * The note above a form that arrived after its session had ended. The console's script fills in the form if the page
 * still shows the same; without scripts the note itself sends the fields.
 */
export function keptNote(frame: Frame, { form: kept }: BroughtBack): Html {
  const list = listOf(kept);
  if (list === null) {
    return html`<section class="note" role="status"><p class="headline">Your session had ended, so nothing was done.</p>
<p>Look at the page as it is now, and press the button again.</p></section>`;
  }
  const told = JSON.stringify({ action: kept.action, typed: typedIn(kept), seen: seenIn(kept) });
  return html`<section class="note" role="status" data-kept="${told}"><p class="headline">Your session had ended, so nothing was done yet.</p>
<p data-filled hidden>What you filled in${purposeOf(kept.action)} is in the form again: look at it, and send it.</p>
<p data-left>This is what you filled in${purposeOf(kept.action)}. The page shows something else by now, so look at it before you fill it in again:</p>
${list}
<noscript>${sendNow(frame, kept)}</noscript></section>`;
}

/** The same as a separate page, for a form whose page was the answer to another form. */
export function keptFormPage(frame: Frame, kept: KeptForm): Page {
  return {
    title: 'Your form was kept',
    content: html`<section><p>Your session had ended, so nothing was done yet. This is what you filled in${purposeOf(kept.action)}:</p>
${listOf(kept)}
${sendNow(frame, kept)}</section>`,
  };
}
