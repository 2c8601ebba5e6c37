/* Pages for signing in, for setting a password, and for a form that was kept during a new sign-in. */

import { html } from '../../account/report/page.ts';
import { countOf } from '../../domain/money/money.ts';
import type { KeptForm } from '../access/kept-form.ts';
import { type Frame, form, type Page } from './layout.ts';

/** The content of the sign-in page. */
export interface SignInPage {
  /** The page after signing in. */
  readonly next: string;
  /** The name that was typed. */
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
      problem === undefined
        ? null
        : html`<section class="problem" role="alert"><p class="headline">${problem}</p></section>`,
      html`<section class="narrow">${form(frame, '/sign-in', fields)}
<p class="hint">No password yet, or forgotten? An admin makes a link with which you set one.</p></section>`,
    ],
  };
}

/** Why signing in failed. It does not reveal whether the user exists. */
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
      problem === undefined
        ? null
        : html`<section class="problem" role="alert"><p class="headline">${problem}</p></section>`,
      html`<section class="narrow"><p>With this page you set the password of <b>${user}</b>. The link works once.</p>
${form(frame, '/welcome', fields)}</section>`,
    ],
  };
}
