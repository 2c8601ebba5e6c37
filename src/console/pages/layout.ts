/* The common parts of pages: the banner with the mode, the navigation, the viewer, and forms with a CSRF token. */

import { type Html, html } from '../../account/report/page.ts';
import { unprovenKeyText } from '../../account/words/note-text.ts';
import { modeWord } from '../../account/words/wording.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import type { RowFilter, RowPlace } from '../../domain/rows/search-terms.ts';
import { type BroughtBack, type KeptForm, keptField, ownAddress, pageField } from '../access/kept-form.ts';
import type { OwnFolder } from './page-words.ts';
import { cutName } from './standing.ts';
import { type Content, contentOf } from './table.ts';

/* Addresses of pages with filters, for links and forms. */

/** The value for findings about a whole row. It is needed because an empty field of a form is no condition. */
export const wholeRow = '-';

/** The address of the rows that match a filter. @param place the position of the page; null for the first page */
export function rowsAddress(
  batch: string,
  filter: RowFilter,
  place: RowPlace | null = null,
  name = 'rows',
): string {
  const query = queryOf(filter);
  if (place !== null) query.set(place.direction, String(place.row));
  const text = query.toString();
  return `/batches/${batch}/${name}${text === '' ? '' : `?${text}`}`;
}

/** A filter in the form of an address's query. */
export function queryOf({ status, code, column, text }: RowFilter): URLSearchParams {
  const query = new URLSearchParams();
  if (status !== undefined) query.set('status', status);
  if (code !== undefined) query.set('code', code);
  if (column !== undefined) query.set('column', column === '' ? wholeRow : column);
  if (text !== undefined) query.set('text', text);
  return query;
}

/** The data for every page, besides its content. */
export interface Frame {
  readonly mode: 'sandbox' | 'live';
  /** The fingerprint of the live key in force if nothing proves that the key is live; else null. */
  readonly unprovenKey: string | null;
  /** Says that the built-in sandbox is used, or names the API's address. */
  readonly place: string;
  /** The viewer's name; null before sign-in. */
  readonly viewer: string | null;
  /** Whether people sign in here. */
  readonly hasUsers: boolean;
  /** Whether the viewer may load an address, or may send a form to it. */
  readonly may: (method: 'GET' | 'POST', address: string) => boolean;
  /** The CSRF token. It proves that a form comes from the console. */
  readonly csrf: string;
  /** Whether the ledger is embedded. An embedded ledger is only for trials. */
  readonly isForTrying: boolean;
  /** Folders of this machine. Pages do not show their paths. */
  readonly folders: readonly OwnFolder[];
  /** Address of the page, with its query; null if the page answers a form. */
  readonly address: string | null;
  /** A form of this page that arrived after its session had ended; null if none exists. */
  readonly kept: BroughtBack | null;
}

/** One page: its name, the address of the part that it belongs to, and its content. */
export interface Page {
  readonly title: string;
  /** The state of the page's subject, which becomes the heading. The title then comes below it. */
  readonly state?: string;
  readonly part?: (typeof parts)[number]['address'];
  /** Seconds after which a browser without scripts reloads the page; null if nothing changes by itself. */
  readonly refreshInSeconds?: number | null;
  /** The fingerprint of the unproven key of the page's batch; when absent, that of the key in force. */
  readonly unprovenKey?: string | null;
  readonly content: Content;
}

const parts = [
  { address: '/', name: 'To do' },
  { address: '/batches', name: 'Batches' },
  { address: '/mappings', name: 'Mappings' },
  { address: '/institutions', name: 'Institutions' },
  { address: '/doctor', name: 'Checks' },
  { address: '/users', name: 'People' },
  { address: '/halt', name: 'Stop everything' },
] as const;

/** A whole page. */
export function pageOf(
  frame: Frame,
  { title, state, part, refreshInSeconds = null, unprovenKey = null, content }: Page,
): Html {
  const refresh =
    refreshInSeconds === null
      ? null
      : html`<noscript><meta http-equiv="refresh" content="${refreshInSeconds}"></noscript>
`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${state === undefined ? title : `${state} · ${title}`} · paybatch</title>
<link rel="stylesheet" href="/assets/console.css">
<script src="/assets/console.js" defer></script>
${refresh}</head>
<body>
<a class="skip" href="#content">Go to the content</a>
${banner(frame, unprovenKey ?? frame.unprovenKey)}
<header class="top"><div>
<strong><a href="/">paybatch</a></strong>
${frame.viewer === null ? null : navigation(frame, part ?? null)}
${frame.viewer === null ? null : html`${searchForm}<button type="button" class="second keys" data-keys title="Keys">?<span class="visually-hidden"> Keys</span></button>`}
${frame.viewer === null ? null : signedIn(frame, frame.viewer)}
</div></header>
<main id="content"${frame.may('POST', '/uploads') ? html` data-drop="/uploads"` : null}>
<h1>${state ?? title}</h1>
${state === undefined ? null : html`<p class="name">${cutName(title)}</p>`}
${contentOf(frame.address, content)}
</main>
</body>
</html>
`;
}

function banner({ mode, place, isForTrying }: Frame, unprovenKey: string | null): Html {
  const trying = isForTrying
    ? ' · for trying out: everything is kept on one machine, and one import runs after the other'
    : null;
  const word = modeWord({ environment: { mode }, unprovenKey });
  return mode === 'live'
    ? html`<aside class="mode live" aria-label="Mode"><b>${word}</b> ${unprovenKey === null ? 'Money moves.' : `Compare ${unprovenKey}.`} ${place}${trying}</aside>`
    : html`<aside class="mode" aria-label="Mode"><b>SANDBOX</b> No money moves. ${place}${trying}</aside>`;
}

/**
 * Says, before something is sent, that this is live; null in sandbox mode. @param batch the batch that the button
 * concerns
 */
export function liveNotice(frame: Frame, batch?: Pick<BatchAccount, 'unprovenKey'>): Html | null {
  if (frame.mode !== 'live') return null;
  const unprovenKey = batch?.unprovenKey ?? frame.unprovenKey;
  return unprovenKey === null
    ? html`<b>This is live: the API carries it out.</b>`
    : html`<b>${unprovenKeyText(unprovenKey)}.</b>`;
}

function navigation({ may }: Frame, current: string | null): Html {
  const mine = parts.filter(({ address }) => may('GET', address));
  const links = mine.map(({ address, name }) =>
    address === current
      ? html`<a href="${address}" aria-current="page">${name}</a>`
      : html`<a href="${address}">${name}</a>`,
  );
  return html`<nav aria-label="Main">${links}</nav>`;
}

const searchForm = html`<form class="search" role="search" action="/search"><label class="visually-hidden" for="q">Find a batch or a row</label><input type="search" id="q" name="q" placeholder="Find a name, account, id, file"><button class="second">Find</button></form>`;

function signedIn(frame: Frame, name: string): Html {
  return html`<span class="viewer">${name}</span>${form(frame, '/leave', html`<button class="second">${frame.hasUsers ? 'Sign out' : 'Leave'}</button>`)}`;
}

/** The parts of the frame that a form needs. */
type FormFrame = Pick<Frame, 'csrf' | 'may' | 'address' | 'kept'>;

/**
 * A form that changes something, for people who may use it. It has the CSRF token and its page's address. If the
 * session has ended when the form is sent, that page shows it filled in again.
 */
export function form(
  { csrf, may, address, kept }: FormFrame,
  action: string,
  content: Html | readonly (Html | null)[],
): Html {
  if (!may('POST', action)) return html``;
  const page = address === null ? null : html`<input type="hidden" name="${pageField}" value="${address}">`;
  const before =
    kept?.form.action === action ? html`<input type="hidden" name="${keptField}" value="${kept.id}">` : null;
  return html`<form method="post" action="${action}"><input type="hidden" name="_csrf" value="${csrf}">${page}${before}${content}</form>`;
}

/** Hidden fields of a form. */
export function hiddenFields(fields: Iterable<readonly [name: string, value: string]>): readonly Html[] {
  return [...fields].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
}

/** A form with files. The CSRF token comes first, because it is read before the files. */
export function uploadForm({ csrf, may }: Pick<Frame, 'csrf' | 'may'>, action: string, content: Html): Html {
  if (!may('POST', action)) return html``;
  return html`<form method="post" action="${action}" enctype="multipart/form-data"><input type="hidden" name="_csrf" value="${csrf}">${content}</form>`;
}

/** A sentence at the top of a page. */
export interface Notice {
  readonly text: string;
  /** Whether something went wrong, such as an answer that was not taken. */
  readonly isProblem: boolean;
}

/** The sentence at the top of a page. A screen reader interrupts only for a problem. */
export function noticePart({ text, isProblem }: Notice): Html {
  const headline = html`<p class="headline">${text}</p>`;
  return isProblem
    ? html`<section class="problem" role="alert">${headline}</section>`
    : html`<section class="note" role="status">${headline}</section>`;
}

/** A part of a page that shows work under way and updates itself. */
interface LivePart {
  /** The address to poll. It answers with the part, with nothing, or with the status that the page has changed. */
  readonly address: string;
  /** The page to load if the work is no longer known after a restart of the console. */
  readonly gone: string;
  /** The effect of a lost connection on the work, as a sentence. */
  readonly whenLost: string;
}

/** A live part. Its buttons and links are hidden without a connection, so that no page offers an impossible action. */
export function livePart(
  { address, gone, whenLost }: LivePart,
  content: Html | readonly (Html | null)[],
): Html {
  return html`<section id="progress" class="note" data-live="${address}" data-gone="${gone}">
<p class="lost" aria-live="assertive" data-text="${whenLost}"></p>
${content}
<button type="button" class="second notify" data-notify>Tell me when it is done</button>
</section>`;
}

/**
 * The page during work. It shows the result as soon as there is one.
 * @param address of the page; its progress is requested below this address
 * @param before the content above the live part
 */
export function workingPage(
  page: Pick<Page, 'title' | 'part'>,
  address: string,
  whenLost: string,
  content: Html,
  before: Html | null = null,
): Page {
  const live = livePart({ address: `${address}/progress`, gone: address, whenLost }, content);
  return { ...page, refreshInSeconds: 2, content: [before, live] };
}

/* The page of an error, and the page for a person without a session. */

/** Links to follow after an error. @param back the page of the form that was sent; empty if there was none */
export function waysOn(back: string): Html {
  const first = html`<a href="/">To the first page</a>`;
  return back === ''
    ? html`<p>${first}</p>`
    : html`<p><a href="${ownAddress(back)}">Back to the page</a> · ${first}</p>`;
}

/** A page with an error, and what to do about it. @param back as in `waysOn` */
export function problemPage(title: string, message: string, next: string, back = ''): Page {
  return {
    title,
    content: html`<section class="problem" role="alert"><p class="headline">${message}</p><p>${next}</p></section>
${waysOn(back)}`,
  };
}

/** The data about a request of a person without a session. */
interface WayIn {
  /** The page to show after sign-in. */
  readonly next: string;
  readonly kept: KeptForm | null;
  /** Whether the entered address does not open the console. */
  readonly isRefused?: boolean;
}

/** The page for a person without a session, if the console has no users. */
export function signInNeededPage(frame: Frame, { next, kept, isRefused = false }: WayIn): Page {
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
