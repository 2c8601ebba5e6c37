/* What every page has: the banner of the mode, the way to the other pages, who looks, and forms that only we can send. */

import { type Html, html } from '../../account/report/page.ts';
import { type BroughtBack, type KeptForm, keptField, pageField } from '../access/kept-form.ts';
import { type Content, contentOf } from './table.ts';

export { moment, sentence } from './table.ts';

/** What is around the content of a page. */
export interface Frame {
  readonly mode: 'sandbox' | 'live';
  /** Whether the built-in sandbox is used, or the API's address. */
  readonly place: string;
  /** Name of who looks; null before somebody has entered. */
  readonly viewer: string | null;
  /** Whether people sign in here. */
  readonly hasUsers: boolean;
  /** Whether who looks may load an address, or send a form to it. */
  readonly may: (method: 'GET' | 'POST', address: string) => boolean;
  /** Proves that a form is one of ours. */
  readonly csrf: string;
  /** Whether the ledger is embedded, which is for trying out. */
  readonly isForTrying: boolean;
  /** Folders of this machine, which no page names by their paths. */
  readonly folders: readonly OwnFolder[];
  /** Address of the page, with its query; null where a form was answered. */
  readonly address: string | null;
  /** A form of this page that came when a session had ended; null where none waits. */
  readonly kept: BroughtBack | null;
}

/** One page: its name, the address of the part that it belongs to, and its content. */
export interface Page {
  readonly title: string;
  readonly part?: (typeof parts)[number]['address'];
  /** Seconds after which a browser without scripts loads it again; null where nothing changes by itself. */
  readonly refreshInSeconds?: number | null;
  readonly content: Content;
}

const parts = [
  { address: '/', name: 'To do' },
  { address: '/batches', name: 'Batches' },
  { address: '/mappings', name: 'Mappings' },
  { address: '/institutions', name: 'Institutions' },
  { address: '/doctor', name: 'Checks' },
  { address: '/users', name: 'People' },
] as const;

/** A whole page. */
export function pageOf(frame: Frame, { title, part, refreshInSeconds = null, content }: Page): Html {
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
<title>${title} · paybatch</title>
<link rel="stylesheet" href="/assets/console.css">
<script src="/assets/console.js" defer></script>
${refresh}</head>
<body>
<a class="skip" href="#content">Go to the content</a>
${banner(frame)}
<header class="top"><div>
<strong><a href="/">paybatch</a></strong>
${frame.viewer === null ? null : navigation(frame, part ?? null)}
${frame.viewer === null ? null : searchForm}
${frame.viewer === null ? null : signedIn(frame, frame.viewer)}
</div></header>
<main id="content">
<h1>${title}</h1>
${contentOf(frame.address, content)}
</main>
</body>
</html>
`;
}

function banner({ mode, place, isForTrying }: Frame): Html {
  const trying = isForTrying
    ? ' · embedded ledger, for trying out: one machine, and one import after the other'
    : null;
  return mode === 'live'
    ? html`<aside class="mode live" aria-label="Mode"><b>LIVE</b> Money moves. ${place}${trying}</aside>`
    : html`<aside class="mode" aria-label="Mode"><b>SANDBOX</b> No money moves. ${place}${trying}</aside>`;
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

/** What a form needs to know of what is around it. */
type FormFrame = Pick<Frame, 'csrf' | 'may' | 'address' | 'kept'>;

/**
 * A form that changes something, for those who may. It carries what proves that it is one of our pages, and which page: if
 * the session has ended by the time it is sent, it is filled in there again.
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

/** A form with files. What proves it comes first: it is read before the files are. */
export function uploadForm({ csrf, may }: Pick<Frame, 'csrf' | 'may'>, action: string, content: Html): Html {
  if (!may('POST', action)) return html``;
  return html`<form method="post" action="${action}" enctype="multipart/form-data"><input type="hidden" name="_csrf" value="${csrf}">${content}</form>`;
}

/** A part of a page that shows something under way, and keeps itself up to date. */
export interface LivePart {
  /** What is asked for anew: it answers with the part, with nothing, or that its page has changed. */
  readonly address: string;
  /** The page to go to where nobody knows any more what was under way, since the console was started anew. */
  readonly gone: string;
  /** What a lost connection means for what is under way, as a sentence. */
  readonly whenLost: string;
}

/** What can be clicked in it goes while there is no connection, so that no page offers what cannot be done. */
export function livePart(
  { address, gone, whenLost }: LivePart,
  content: Html | readonly (Html | null)[],
): Html {
  return html`<section id="progress" class="note" data-live="${address}" data-gone="${gone}">
<p class="lost" aria-live="assertive" data-text="${whenLost}"></p>
${content}
</section>`;
}

/* Folders of the machine as pages name them: where something is kept there is nobody's business. */

/** A folder that the console writes to. */
export interface OwnFolder {
  /** Absolute. */
  readonly path: string;
  /** What it is, as it stands in a sentence. */
  readonly name: string;
}

/** A sentence in which files of these folders stand without the way to them, and the folders as what they are. */
export function withoutFolders(text: string, folders: readonly OwnFolder[]): string {
  // One may be within another.
  const ordered = [...folders].sort((one, other) => other.path.length - one.path.length);
  return ordered.reduce((told, { path, name }) => {
    const own = path.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    const before = new RegExp(`${own}(?:[/\\\\][^/\\\\\\s"']+)*[/\\\\](?=[^\\s"'])`, 'g');
    return told.replace(before, '').replace(new RegExp(`${own}(?![\\w-])`, 'g'), name);
  }, text);
}

/* The page of something that went wrong, and the page of somebody who has not entered. */

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
