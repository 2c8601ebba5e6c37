/* Remedies on pages: a button, a link, or a sentence. */

import { stepText } from '../../account/next-steps.ts';
import { type Html, html } from '../../account/report/page.ts';
import type { NextStep } from '../../domain/batches/account.ts';
import type { Phrasebook, Remedy } from '../../domain/failures/paybatch-error.ts';
import { type Frame, form, rowsAddress } from './layout.ts';
import { withoutFolders } from './page-words.ts';
import { sentence } from './table.ts';

/** The place of a remedy, with the subject of its button. */
export interface RemedyPlace {
  /** Id of the upload whose files the call has read; null if none exists. */
  readonly upload: string | null;
  /** Number of the single file that the remedy concerns; if absent, it concerns all files. */
  readonly file?: number;
  /** Whole id of the batch that the remedy concerns; absent if it concerns none. */
  readonly batch?: string;
  /** The rows of that batch to correct; absent if the remedy does not concern rows. */
  readonly toCorrect?: 'invalid' | 'rejected';
  /** Whether this console keeps the batch's file, so that its reading can be changed. */
  readonly isUploaded?: boolean;
  /** Whether the button is the main button of its page. */
  readonly leads?: boolean;
}

/** A form that consists of one button for an action. */
export function action(frame: Frame, address: string, label: string, kind = ''): Html {
  return form(frame, address, html`<button class="${kind}">${label}</button>`);
}

/** A link that looks like a button, for people who may load its target. */
export function link(
  { may }: Pick<Frame, 'may'>,
  address: string,
  label: string,
  kind = 'second',
): Html | null {
  if (!may('GET', address)) return null;
  return html`<a class="button ${kind}" href="${address}">${label}</a>`;
}

/** A remedy: a button or a link if the console can do it, else a sentence. */
function remedyOffer(
  frame: Frame,
  remedy: Remedy,
  { upload, file, batch, toCorrect, isUploaded, leads = false }: RemedyPlace,
): Html | null {
  const kind = leads ? '' : 'second';
  switch (remedy.action) {
    case 'resume':
      // The remedy sends all rows of the batch. Only the batch's own page shows their number and their sums.
      if (batch === undefined) return link(frame, `/batches/${remedy.batch}`, 'Look at the batch, and go on');
      return remedy.refusedAlike === 'off'
        ? action(
            frame,
            `/batches/${remedy.batch}/resume?refused_alike=off`,
            'Send the other rows all the same',
            'second',
          )
        : action(frame, `/batches/${remedy.batch}/resume`, 'Go on');
    case 'retry':
      return action(frame, `/batches/${remedy.batch}/retry`, 'Send them again', 'second');
    case 'submit':
      return link(frame, `/batches/${remedy.batch}`, 'Look at the plan, and send it');
    case 'approve':
      return link(frame, `/batches/${remedy.batch}/approval`, 'Look at the approval');
    case 'status':
      return remedy.batch === undefined
        ? link(frame, '/batches', 'Batches')
        : link(frame, `/batches/${remedy.batch}`, 'The batch');
    case 'corrections':
      return link(frame, `/batches/${batch ?? remedy.batch}/draft`, 'Look at the corrections', kind);
    case 'results':
      return link(frame, `/batches/${remedy.batch}`, 'The batch and its files');
    case 'reconcile':
      return link(frame, `/batches/${remedy.batch}/reconcile`, 'Reconcile');
    case 'resolve':
      return link(frame, `/batches/${remedy.batch}/rows?status=held`, 'Decide about the rows', kind);
    case 'close':
      return link(frame, `/batches/${remedy.batch}/close`, 'Close the batch');
    case 'import':
      if (batch !== undefined && toCorrect !== undefined)
        return link(
          frame,
          `/batches/${batch}/rows?status=${toCorrect}`,
          'Look at them, and correct them',
          kind,
        );
      return upload === null ? null : action(frame, `/uploads/${upload}/check`, 'Check the file again');
    case 'plan':
      // The page of a batch shows its current plan.
      if (batch !== undefined) return link(frame, `/batches/${batch}#send`, 'Look at the plan as it is now');
      return upload === null ? null : action(frame, `/uploads/${upload}/check`, 'Check the file again');
    case 'validate':
      return upload === null ? null : action(frame, `/uploads/${upload}/check`, 'Check the file again');
    case 'mapping':
      return upload === null ? null : link(frame, mappingOf(upload, file), 'Say how the file is read', '');
    case 'edit_mapping':
      if (upload === null && batch !== undefined && isUploaded === true)
        return link(frame, `/batches/${batch}/mapping`, 'Say again how this file is read', '');
      return upload === null
        ? null
        : link(frame, `${mappingOf(upload, file)}?again=yes`, 'Say again how this file is read', '');
    case 'remembered_mappings':
      return link(frame, '/mappings', 'Remembered mappings');
    case 'institutions':
      return link(frame, `/institutions/${remedy.country}`, `Institutions of ${remedy.country}`);
    case 'doctor':
      return link(frame, '/doctor', 'Check the machine, the ledger and the API');
    case 'template':
      return html`<a class="button second" href="/templates/${remedy.kind}.xlsx" download>An empty file for ${remedy.kind}</a>`;
    case 'set':
      return upload === null ? null : settings(frame, remedy, upload, file);
    default:
      return null;
  }
}

/** The address for deciding how a file of an upload is read. */
function mappingOf(upload: string, file: number | undefined): string {
  return `/uploads/${upload}/mapping${file === undefined ? '' : `/${file}`}`;
}

/** Settings for reading a file that one click chooses. */
const readingSettings = new Set(['hidden', 'leaveOutNonRows', 'encoding', 'sheet', 'kind', 'acceptDrift']);

function settings(
  frame: Frame,
  { oneOf }: Extract<Remedy, { action: 'set' }>,
  upload: string,
  file: number | undefined,
): Html | null {
  const known = oneOf.filter(
    ({ setting, value }) =>
      readingSettings.has(setting) && (value !== undefined || setting === 'leaveOutNonRows'),
  );
  if (known.length === 0)
    return oneOf.some(({ setting }) => setting === 'mapping' || setting === 'kind')
      ? link(frame, mappingOf(upload, file), 'Say how the file is read', '')
      : oneOf.some(({ setting }) => setting === 'noRememberedMapping')
        ? link(frame, '/mappings', 'Remembered mappings')
        : null;
  return html`${known.map(({ setting, value = 'true' }) =>
    action(
      frame,
      `/uploads/${upload}/check?${file === undefined ? '' : `file=${file}&`}${setting}=${encodeURIComponent(value)}`,
      readingLabel(setting, value),
      'second',
    ),
  )}`;
}

function readingLabel(setting: string, value: string): string {
  switch (setting) {
    case 'hidden':
      return value === 'skip' ? 'Leave hidden rows out' : 'Read hidden rows too';
    case 'leaveOutNonRows':
      return 'Leave headings and totals out';
    case 'encoding':
      return `Read it as ${value}`;
    case 'acceptDrift':
      return 'Take it as it is, this once';
    case 'sheet':
      return `Read the sheet "${value}"`;
    default:
      return `The rows are ${value}`;
  }
}

/** The remedies for an error: buttons and links, and a sentence for a remedy without a button or link. */
export function remediesOffer(
  frame: Frame,
  remedies: readonly Remedy[],
  place: RemedyPlace,
  words: Phrasebook,
): Html | null {
  if (remedies.length === 0) return null;
  // If a person decides how a file is read, this covers the other settings too.
  const isReading = ({ action: name }: Remedy): boolean => name === 'mapping' || name === 'edit_mapping';
  const ordered = [...remedies].sort((left, right) => Number(isReading(right)) - Number(isReading(left)));
  const offers = ordered.map((remedy) => remedyOffer(frame, remedy, place));
  // Two remedies may lead to the same page.
  const shown = new Map(offers.flatMap((offer) => (offer === null ? [] : [[offer.text, offer]])));
  const sentences = ordered
    .filter((_, at) => offers[at] === null)
    .map((remedy) => withoutFolders(words.remedy(remedy), frame.folders));
  return html`${sentences.map((text) => html`<p>What helps: ${ending(text)}</p>`)}<div class="actions">${[...shown.values()]}</div>`;
}

/**
 * Ends the text of a remedy with a full stop, unless it is a whole sentence already, such as a question to a person.
 */
function ending(text: string): string {
  return /[.!?]["”]?$/.test(text) ? text : `${text}.`;
}

function stepOffer(frame: Frame, step: NextStep, place: RemedyPlace): Html | null {
  const { what, remedy } = step;
  // A held row waits for a person's decision. This needs no export of the other side.
  if (what === 'decide' && (remedy.action === 'reconcile' || remedy.action === 'resolve')) {
    const address = rowsAddress(place.batch ?? remedy.batch, { status: 'held' });
    return link(frame, address, 'Look at them, and decide', place.leads === true ? '' : 'second');
  }
  if (what !== 'allow_retry' || remedy.action !== 'resume') return remedyOffer(frame, remedy, place);
  return action(frame, `/batches/${remedy.batch}/resume?refused_alike=off`, 'Let the batch go on', 'second');
}

/** The next steps with their buttons or links, the most urgent first. */
export function nextStepsOf(frame: Frame, steps: readonly NextStep[], place: RemedyPlace): Html | null {
  if (steps.length === 0) return null;
  const items = steps.map((step, at) => {
    const own = at === 0 ? place : { ...place, leads: false };
    return html`<li>${sentence(stepText(step, true))}
<div class="actions">${stepOffer(frame, step, own)}</div></li>
`;
  });
  return html`<section><h2>What to do next</h2><ol class="steps">${items}</ol></section>`;
}
