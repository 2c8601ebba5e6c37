/* The page of a call: its progress, and its end. */

import { callTables, plannedRows } from '../../account/batch-tables.ts';
import { type Html, html } from '../../account/report/page.ts';
import { inputName, standingHeadline } from '../../account/words/wording.ts';
import type { Step } from '../../call/context.ts';
import type { Note } from '../../domain/batches/note.ts';
import {
  FilesRefused,
  isUnread,
  type PaybatchError,
  type Phrasebook,
} from '../../domain/failures/paybatch-error.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import type { ConsoleCall, StepProgress } from '../under-way/calls.ts';
import { type Frame, form, liveNotice, livePart, type Page } from './layout.ts';
import { pageNoteText, pageText, withoutFolders } from './page-words.ts';
import { action, remediesOffer } from './remedies.ts';
import { type Content, sentence, tableView } from './table.ts';
import { uploadSection } from './templates.ts';

const stepNames: Readonly<Record<Step, string>> = {
  reading: 'Reading',
  checking: 'Checking',
  planning: 'Planning',
  sending: 'Sending',
  asking: 'Asking the API for the facts of created objects',
  comparing: 'Comparing',
};

/** Further input for a call's page. */
interface CallSurroundings {
  readonly words: Phrasebook;
  /** The monotonic clock. */
  readonly nowInMs: number;
  /** Whether no later call has used its upload. */
  readonly isNewest: boolean;
}

/** The page of a call that was begun in this console. */
export function callPage(
  frame: Frame,
  call: ConsoleCall,
  { words, nowInMs, isNewest }: CallSurroundings,
): Page {
  if (call.end === null) {
    return {
      title: call.title,
      refreshInSeconds: 3,
      content: [progressOf(frame, call, nowInMs), notesOf(frame, call)],
    };
  }
  const { batches, failure } = call.end;
  const links = batches.map(
    (batch) => html`<section>
<h2>${inputName(batch)}</h2><p>${standingHeadline(batch, false)}</p>
<div class="actions">${batch.id === null ? null : html`<a class="button second" href="/batches/${batch.id}">Look at it</a>`}</div></section>`,
  );
  return {
    title: call.titleOfResult ?? call.title,
    content: [
      failure === null ? null : failureOf(frame, failure, call, words),
      ...links,
      ...(isNewest && call.isSending !== true ? sendAll(frame, call) : []),
      failure === null && batches.length === 0 ? html`<p>It is done.</p>` : null,
      notesOf(frame, call),
      call.back === undefined ? null : html`<p><a href="${call.back.address}">${call.back.name}</a></p>`,
      failure !== null && call.upload !== undefined ? uploadSection(frame) : null,
    ],
  };
}

/**
 * The section for sending files that were uploaded together, with customers before other objects. It shows what is sent
 * and what is not, then the button that sends exactly that.
 */
function sendAll(frame: Frame, { upload, end }: ConsoleCall): readonly Content[] {
  const plans = (end?.batches ?? []).flatMap(({ file, sheet, plan }) =>
    plan === null ? [] : [{ file, sheet, ...plan }],
  );
  const planned = plans.filter(({ totals }) => plannedRows(totals) > 0);
  if (upload === undefined || planned.length < 2) return [];
  const rows = planned.reduce((sum, { totals }) => sum + plannedRows(totals), 0);
  const hashes = planned.map(({ planHash }) => planHash).join(',');
  const button = html`<section><h2>Send all of them</h2>
<p>Customers are sent first, then accounts, recipients and collections.</p>
<p>${liveNotice(frame)}</p>
${form(frame, `/uploads/${upload}/send`, html`<input type="hidden" name="plan_hashes" value="${hashes}"><div class="actions"><button>Send ${countOf(rows, 'row')} of ${countOf(planned.length, 'file')}</button></div>`)}</section>`;
  return [...callTables(plans).map((table) => tableView(table)), button];
}

/**
 * An error and its remedies. Several refused files are shown separately.
 * @param of the upload and the files that were read, or the batch whose page it is; null if there are none
 */
export function failureOf(
  frame: Frame,
  failure: PaybatchError,
  of: Pick<ConsoleCall, 'upload' | 'files' | 'batch'> | null,
  words: Phrasebook,
): Html {
  const { upload = null, files = [], batch } = of ?? {};
  const each = failure instanceof FilesRefused ? failure.each : [failure];
  const named = (text: string): string => {
    const withNames = files.reduce((so, { path, name }) => so.replaceAll(path, name), text);
    return withoutFolders(withNames, frame.folders);
  };
  return html`${each.map((error) => {
    const number = files.findIndex(({ path }) => path === error.file) + 1;
    const place = {
      upload,
      ...(batch === undefined ? {} : { batch }),
      ...(number === 0 || files.length === 1 ? {} : { file: number }),
    };
    const about = html`<p class="headline">${sentence(named(pageText(error.said)))}</p>
${remediesOffer(frame, error.remedies, place, words)}`;
    // A file is not faulty if the only problem is that its reading has not been decided yet.
    return upload !== null && isUnread(error)
      ? html`<section class="note">${about}</section>`
      : html`<section class="problem" role="alert">${about}</section>`;
  })}`;
}

/** The progress of a call. */
export function progressOf(frame: Frame, call: ConsoleCall, nowInMs: number): Html {
  const { step, isStopping } = call;
  const isSending = call.isSending === true || step?.step === 'sending';
  const live = {
    address: `/calls/${call.id}/progress`,
    gone: afterRestart(call),
    whenLost: isSending
      ? 'The figures are those of then. What is being sent goes on as soon as the console runs, and this page with it.'
      : 'The figures are those of then. This page goes on as soon as the console answers.',
  };
  return livePart(live, [
    step === null ? html`<p class="headline">Under way.</p>` : stepOf(step, nowInMs),
    pausedText(call, nowInMs),
    isStopping
      ? html`<p>It is being stopped: what is in flight is still answered.</p>`
      : html`<div class="actions">${action(frame, `/calls/${call.id}/stop`, 'Stop', 'second')}<span class="soft">What is under way goes on when this page is closed.</span></div>`,
  ]);
}

/**
 * Says what happens to a call after a restart of its console: sending continues automatically, and files are checked
 * again.
 */
function afterRestart({ batch, back, upload, isSending }: ConsoleCall): string {
  if (batch !== undefined) return `/batches/${batch}`;
  if (back !== undefined) return back.address;
  return upload === undefined || isSending === true ? '/' : `/uploads/${upload}`;
}

function pausedText({ pausedUntilInMs }: ConsoleCall, nowInMs: number): Html | null {
  if (pausedUntilInMs === null || pausedUntilInMs <= nowInMs) return null;
  const seconds = Math.ceil((pausedUntilInMs - nowInMs) / 1000);
  return html`<p>The API asked us to wait: ${seconds} s are left.</p>`;
}

function stepOf(step: StepProgress, nowInMs: number): Html {
  const { rows, done, share, about } = step;
  const name = `${stepNames[step.step]}${about === null ? '' : ` ${about}`}`;
  const part = rows !== null && rows > 0 ? done / rows : share;
  const bar =
    part === null
      ? null
      : html`<progress max="100" value="${Math.floor(Math.min(1, part) * 100)}" aria-label="${name}"></progress>`;
  const of = rows === null ? countOf(done, 'row') : `${groupedNumber(done)} of ${countOf(rows, 'row')} done`;
  return html`<p class="headline">${name}</p>${bar}
<p>${of}${rateText(step, nowInMs)}</p>
${step.step === 'sending' ? html`<p>In this run: ${outcomesText(step.outcomes)}.</p>` : null}`;
}

function outcomesText({ created, refused, waiting, inDoubt }: StepProgress['outcomes']): string {
  const parts = [
    `${groupedNumber(created)} created`,
    ...(refused > 0 ? [`${groupedNumber(refused)} refused`] : []),
    ...(waiting > 0 ? [`${groupedNumber(waiting)} waiting`] : []),
    ...(inDoubt > 0 ? [`${groupedNumber(inDoubt)} without a conclusive answer`] : []),
  ];
  return parts.join(', ');
}

/** The rate of a run. Rows that were done before this run do not count. */
function rateText({ rows, done, doneBefore, beganAtInMs }: StepProgress, nowInMs: number): string {
  const seconds = (nowInMs - beganAtInMs) / 1000;
  const doneNow = done - doneBefore;
  if (seconds < 2 || doneNow <= 0) return '';
  const rate = doneNow / seconds;
  const shown = rate >= 10 ? groupedNumber(Math.round(rate)) : rate.toFixed(1);
  if (rows === null || done >= rows) return `, ${shown} a second`;
  return `, ${shown} a second, about ${durationText((rows - done) / rate)} left`;
}

function durationText(seconds: number): string {
  if (seconds < 90) return countOf(Math.ceil(seconds), 'second');
  if (seconds < 5400) return countOf(Math.ceil(seconds / 60), 'minute');
  return countOf(Math.ceil(seconds / 3600), 'hour');
}

/** The notes of a call that did not stop it; null if there are none. */
export function notesOf({ folders }: Frame, { notes }: { readonly notes: readonly Note[] }): Html | null {
  if (notes.length === 0) return null;
  const texts = notes.map((note) => withoutFolders(pageNoteText(note), folders));
  return html`<section><h2>Worth knowing</h2><ul>${texts.map((text) => html`<li>${sentence(text)}</li>`)}</ul></section>`;
}
