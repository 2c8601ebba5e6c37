/* The page of something that went wrong, and the page of somebody who has not entered. */

import { html } from '../../output/report/page.ts';
import type { Page } from './layout.ts';

/** A sentence about what is wrong, and what to do about it. */
export function problemPage(title: string, message: string, next: string): Page {
  return {
    title,
    content: html`<section class="problem" role="alert"><p class="headline">${message}</p><p>${next}</p></section>
<p><a href="/">To the first page</a></p>`,
  };
}

/** For somebody without a session, where there are no users. */
export function closedDoorPage(): Page {
  return problemPage(
    'Please enter',
    'This console was not entered from this browser, or the session has ended.',
    'Open the address that was printed where the console was started. It works once; start the console again for another one.',
  );
}
