/* The pages for signing in and for setting a password, and the page of a form that was kept during a new sign-in. */

import { type Html, html } from '../../account/report/page.ts';
import { countOf } from '../../domain/money/money.ts';
import { type BroughtBack, type FormProblem, type KeptForm, seenIn, typedIn } from '../access/kept-form.ts';
import { type Frame, form, hiddenFields, noticePart, type Page } from './layout.ts';
import { formPurposes } from './page-words.ts';

/* A form that arrived after its session had ended. Nothing was done with it, and its page shows it filled in again. */

/** The purpose of a form, by the last part of its address. */
function purposeOf(action: string): string {
  const last = action.split('?', 1)[0]?.split('/').at(-1) ?? '';
  const purpose = Object.hasOwn(formPurposes, last) ? formPurposes[last] : undefined;
  return purpose === undefined ? '' : ` ${purpose}`;
}

/** Fields that a page names by a hash, or fills in itself. A list of them does not help a person. */
const ofPage = /^(?:tick-|kind$|do$)/;

/** The filled-in fields by name; null if the form had only a button. A cell may have been emptied. */
function listOf(kept: KeptForm): Html | null {
  const shown = typedIn(kept).filter(
    ([name, value]) => (value !== '' && !ofPage.test(name)) || name.startsWith('cell-'),
  );
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
  return form(
    frame,
    action,
    html`${hiddenFields(fields)}<div class="actions"><button>Send it now</button><a class="button second" href="/">Leave it</a></div>`,
  );
}

/**
 * The note above a form that arrived after its session had ended, or that was incomplete. The console's script fills in
 * the form if the page still shows the same values. Without scripts the note itself sends the fields.
 */
export function keptNote(frame: Frame, { form: kept, problem }: BroughtBack): Html {
  const list = listOf(kept);
  if (problem !== null) return problemNote(kept, list, problem);
  if (list === null) {
    return html`<section class="note" role="status"><p class="headline">Your session had ended, so nothing was done.</p>
<p>Look at the page as it is now, and press the button again.</p></section>`;
  }
  const keptText = JSON.stringify({ action: kept.action, typed: typedIn(kept), seen: seenIn(kept) });
  return html`<section class="note" role="status" data-kept="${keptText}"><p class="headline">Your session had ended, so nothing was done yet.</p>
<p data-filled hidden>What you filled in${purposeOf(kept.action)} is in the form again: look at it, and send it.</p>
<p data-left>This is what you filled in${purposeOf(kept.action)}. The page shows something else by now, so look at it before you fill it in again:</p>
${list}
<noscript>${sendNow(frame, kept)}</noscript></section>`;
}

/** The note above an incomplete form. The script fills in the form, and puts the message beside the field. */
function problemNote(kept: KeptForm, list: Html | null, { message, field }: FormProblem): Html {
  const keptText = JSON.stringify({ action: kept.action, typed: typedIn(kept), seen: seenIn(kept), field });
  return html`<section class="problem" role="alert" data-kept="${keptText}"><p class="headline">${message}</p>
<p data-filled hidden>Nothing was changed. What you entered is in the form again.</p>
${list === null ? null : html`<p data-left>Nothing was changed. This is what you entered:</p>${list}`}</section>`;
}

/** The note as a separate page, for a form whose page was the answer to another form. */
export function keptFormPage(frame: Frame, kept: KeptForm): Page {
  return {
    title: 'Your form was kept',
    content: html`<section><p>Your session had ended, so nothing was done yet. This is what you filled in${purposeOf(kept.action)}:</p>
${listOf(kept)}
${sendNow(frame, kept)}</section>`,
  };
}

/** The content of the sign-in page. */
interface SignInPage {
  /** The page to show after signing in. */
  readonly next: string;
  /** The name that the person typed. */
  readonly name?: string;
  /** Why the page is shown, as a sentence. */
  readonly notice?: string;
  /** Why the last try failed, as a sentence. */
  readonly problem?: string;
  readonly kept?: KeptForm | null;
}

/** The page of signing in. */
export function signInPage(
  frame: Frame,
  { next, name = '', notice, problem, kept = null }: SignInPage,
): Page {
  const fields = html`<input type="hidden" name="next" value="${next}">
${kept === null ? null : html`<input type="hidden" name="kept" value="${JSON.stringify(kept)}">`}
<div class="field"><label for="name">Name</label>
<input id="name" name="name" value="${name}" autocomplete="username" autocapitalize="none" spellcheck="false" required maxlength="63"></div>
<div class="field"><label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required></div>
<div class="actions"><button>Sign in</button></div>`;
  return {
    title: 'Sign in',
    content: [
      notice === undefined ? null : html`<section class="note"><p>${notice}</p></section>`,
      problem === undefined ? null : noticePart({ text: problem, isProblem: true }),
      html`<section class="narrow">${form(frame, '/sign-in', fields)}
<p class="hint">No password yet, or forgotten? An admin makes a link with which you set one.</p></section>`,
    ],
  };
}

/** Says why signing in failed. It does not reveal whether the user exists. */
export function refusedSignIn(waitInMs: number): string {
  if (waitInMs === 0) return 'The name or the password is wrong.';
  const seconds = Math.ceil(waitInMs / 1000);
  const wait = seconds < 120 ? countOf(seconds, 'second') : countOf(Math.ceil(seconds / 60), 'minute');
  return `Too many tries failed: wait ${wait}, then try again.`;
}

/** The page on which a person sets a password. @param token of the link */
export function welcomePage(
  frame: Frame,
  { user, token, problem }: { readonly user: string; readonly token: string; readonly problem?: string },
): Page {
  const fields = html`<input type="hidden" name="token" value="${token}">
<input type="hidden" name="username" value="${user}" autocomplete="username">
<div class="field"><label for="password">New password</label>
<p class="hint" id="password-hint">12 characters or more. Several words do well.</p>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="12" maxlength="512" aria-describedby="password-hint"></div>
<div class="field"><label for="again">The same again</label>
<input id="again" name="again" type="password" autocomplete="new-password" required></div>
<div class="actions"><button>Set the password</button></div>`;
  return {
    title: `Welcome, ${user}`,
    content: [
      problem === undefined ? null : noticePart({ text: problem, isProblem: true }),
      html`<section class="narrow"><p>With this page you set the password of <b>${user}</b>. The link works once.</p>
${form(frame, '/welcome', fields)}</section>`,
    ],
  };
}
