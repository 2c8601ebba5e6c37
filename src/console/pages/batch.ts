/* The page of a batch: its state, the next steps, what would be sent, its rows by status and its files. */

import {
  amountsTable,
  plannedRows,
  reasonsTable,
  runsTable,
  sendTable,
  skipLine,
  skipTable,
} from '../../account/batch-tables.ts';
import { changesTables } from '../../account/changes.ts';
import { notesOf, type Sentence, sentencesOf } from '../../account/facts.ts';
import { rowsToSend } from '../../account/figures.ts';
import { type Html, html } from '../../account/report/page.ts';
import { type Table, withColumns } from '../../account/table.ts';
import { rowsOfKind } from '../../account/words/mapping-words.ts';
import { apiName, reasonName } from '../../account/words/wording.ts';
import type { BatchAccount, PlanTotals, ShownPlan } from '../../domain/batches/account.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import type { BatchOverview } from '../../engine/overview.ts';
import { institutionLinks } from './institutions.ts';
import { type Frame, form, liveNotice, livePart, type Page } from './layout.ts';
import { amountsPicture, runPicture } from './pictures.ts';
import { link, nextStepsOf, type RemedyPlace } from './remedies.ts';
import { familyLine, familyTable, numbersOf, standingTitle, sumsOf, titleOf } from './standing.ts';
import {
  drawnCell,
  facts,
  filesOf,
  linkCell,
  moment,
  sentence,
  statusList,
  type TableView,
  tableView,
} from './table.ts';

/** The content of a batch's page. */
export interface BatchPage extends BatchOverview {
  /** Whether its file is kept by this console. */
  readonly isUploaded: boolean;
  /** The person who uploaded the same file before the last upload, and the time; null if the file came only once. */
  readonly before: { readonly by: string | null; readonly at: string } | null;
  /** The progress of sending; null if no sending is under way. */
  readonly progress: Html | null;
  /** Why the last call on the batch did not complete; null if it did. */
  readonly problem: Html | null;
}

/** The page of a batch. */
export function batchPage(frame: Frame, page: BatchPage): Page {
  const { batch, plan, unapprovedRows, changes, institutionCountries, family, progress, problem } = page;
  const hasEdits = batch.edited.notSent > 0;
  // During sending, the progress is shown instead.
  const showsPlan =
    plan !== null && progress === null && (batch.state === 'planned' || batch.state === 'unapproved');
  const isPlanned = showsPlan && batch.state === 'planned';
  const isAllUnapproved = unapprovedRows > 0 && unapprovedRows >= rowsToSend(batch).notSent;
  // A planned batch has its button below its plan, and no button sends an unapproved plan.
  const mayResume = !isPlanned && !isAllUnapproved;
  const steps = batch.next.filter(({ remedy: { action } }) => action !== 'resume' || mayResume);
  const sending = isPlanned && !hasEdits ? sendingOf(frame, batch, plan, unapprovedRows) : null;
  const next = nextStepsOf(frame, steps, { ...placeOf(page), leads: sending === null });
  return {
    title: titleOf(batch),
    state: standingTitle(batch),
    part: '/batches',
    refreshInSeconds: progress === null ? null : 5,
    unprovenKey: batch.unprovenKey,
    content: [
      progress === null ? cameBefore(frame, page) : null,
      factsOf(batch),
      familyLine(batch, family),
      problem,
      progress,
      // While sending is under way, earlier figures would contradict the growing figures of the progress.
      progress === null ? standing(batch) : warningsOf(batch),
      // The state, the next steps and the sums come first. The button that sends a plan is below the plan's totals.
      ...(progress === null && sending === null ? [next, showsPlan ? null : amountsOf(batch)] : []),
      ...changesTables(changes).map((table) => tableView(table)),
      showsPlan ? tableView(sendTable(plan.totals)) : null,
      unapprovedRows > 0 && progress === null ? outsideApproval(frame, batch, unapprovedRows) : null,
      sending,
      ...(progress === null
        ? [
            sending === null ? null : next,
            showsPlan ? skippedOf(batch, plan, institutionCountries) : null,
            // A planned batch needs no table of reasons, because its plan shows why rows would not be sent.
            showsPlan ? amountsOf(batch) : tableView(reasonsTable(batch)),
          ]
        : []),
      filesOf(batch),
      ...(progress === null
        ? [plan === null ? null : amountsPicture(plan.totals, page.lastTime), runPicture(page.lastRun)]
        : []),
      more(frame, page, sending !== null),
      familyTable(batch, family),
      runs(batch),
    ],
  };
}

/** The place of remedies on this page. If the batch has no invalid rows, the rejected rows are the rows to correct. */
function placeOf({ batch: { id, counts }, isUploaded }: BatchPage): RemedyPlace {
  return {
    upload: null,
    batch: id,
    toCorrect: (counts.invalid ?? 0) > 0 ? 'invalid' : 'rejected',
    isUploaded,
  };
}

/**
 * Says that the file is known. Otherwise a person who uploads it again would think that the page shows something new.
 */
function cameBefore({ viewer }: Frame, { before }: BatchPage): Html | null {
  if (before === null) return null;
  const { by, at } = before;
  const who = by === null ? 'This file was imported' : `${by === viewer ? 'You' : by} uploaded this file`;
  return html`<section class="note" role="status"><p class="headline">${who} before, at ${moment(at)}: nothing new was done.</p></section>`;
}

function factsOf({ id, kind, createdAt, rows, environment }: BatchAccount): Html {
  return facts([
    ['Batch', shortBatchId(id)],
    ['Rows', rowsOfKind(kind, rows)],
    ['Received', moment(createdAt)],
    ['API', apiName(environment.origin)],
  ]);
}

/** The warnings about a batch while a run is under way. */
function warningsOf(batch: BatchAccount): Html | null {
  const warnings = sentencesOf(batch, true).filter(({ tone }) => tone === 'alarm' || tone === 'stop');
  if (warnings.length === 0) return null;
  return html`<section aria-label="Before this run">${warnings.map(paragraph)}</section>`;
}

/** With more notes, the numbers would not be at the top. */
const fewNotes = 3;

/** The notes on a batch, and its rows by status. */
function standing(batch: BatchAccount): Html {
  const notes = notesOf(batch, true).map((text) => html`<p class="second">${sentence(text)}</p>`);
  const areFolded = notes.length > fewNotes;
  return html`<section aria-label="Its status">
${sentencesOf(batch, true).map(paragraph)}
${areFolded ? null : notes}
${numbersOf(batch)}${sumsOf(batch)}
${areFolded ? html`<details><summary>${countOf(notes.length, 'note')} on the file</summary>${notes}</details>` : null}
<details><summary>What the numbers mean</summary>${statusList(batch)}</details>
<p><a href="/batches/${batch.id}/rows">All rows</a></p>
</section>`;
}

function paragraph({ tone, text }: Sentence): Html {
  return html`<p class="${tone === 'plain' || tone === 'main' ? 'second' : 'headline'}">${sentence(text)}.</p>`;
}

/** The sums of a batch's rows, folded; null if there are no sums. */
export function amountsOf(batch: BatchAccount): TableView | null {
  const table = amountsTable(batch);
  return table === null ? null : tableView({ ...table, isFolded: true });
}

/** The rows that would not be sent, with the reasons. */
function skippedOf(
  { id }: BatchAccount,
  { totals }: ShownPlan,
  countries: readonly string[],
): TableView | null {
  // The section is open if a person has to correct rows, because this is the next task.
  const isFolded = totals.skip.every(({ status }) => status !== 'invalid');
  return tableView({ ...skipTableOf(totals, id, countries), isFolded });
}

/** Rows that joined the plan after its approval, such as rows whose customer exists by now. */
function outsideApproval(frame: Frame, { id }: BatchAccount, rows: number): Html {
  return html`<section class="note"><p class="headline">${countOf(rows, 'row')} joined after the approval.</p>
<p>${rows === 1 ? 'It is' : 'They are'} not sent under it: have the plan approved as it is now.</p>
<div class="actions">${link(frame, `/batches/${id}/approval`, 'Look at the approval')}</div></section>`;
}

/** The button that sends exactly the plan that is shown. */
function sendingOf(
  frame: Frame,
  batch: BatchAccount,
  { planHash, totals }: ShownPlan,
  unapprovedRows: number,
): Html | null {
  const rows = plannedRows(totals) - unapprovedRows;
  if (rows <= 0 && unapprovedRows > 0) return null;
  const { id } = batch;
  const address = `/batches/${id}/send`;
  const send = form(
    frame,
    address,
    html`<input type="hidden" name="plan_hash" value="${planHash}">
<p>${liveNotice(frame, batch)}</p><div class="actions"><button>${rows === 0 ? 'Finish it: nothing is left to be sent' : `Send ${countOf(rows, 'row')}`}</button>
<a class="button second" href="/batches/${id}/close">Do not send: close the batch</a></div>`,
  );
  return html`<section id="send"><h2>Send</h2>
<p>Exactly this plan is sent: it is refused if the rows have changed since it was shown.</p>
<p class="soft">Fingerprint of this plan: <code>${planHash.slice(0, 16)}</code>. It is another one as soon as a row of the plan changes.</p>
${send}</section>`;
}

/** The progress of a run that another machine or another program executes. */
export function elsewhere({ id, runs: list, counts, rows }: BatchAccount): Html {
  const names = list
    .filter(({ isUnderWay }) => isUnderWay)
    .map(
      ({ command, host, actor }) =>
        `${command} on ${host}${actor === null ? '' : `, begun by ${actor.name}`}`,
    );
  const done = rows - (counts.not_sent ?? 0) - (counts.unknown ?? 0);
  const live = {
    address: `/batches/${id}/progress`,
    gone: `/batches/${id}`,
    whenLost: 'The figures are those of then. The run goes on without this page.',
  };
  return livePart(
    live,
    html`<p class="headline">A run is under way: ${names.join('; ')}.</p>
<progress max="${rows}" value="${done}" aria-label="Rows that are done"></progress>
<p>${groupedNumber(done)} of ${countOf(rows, 'row')} done.</p>`,
  );
}

/**
 * The actions that are possible at any time, for people who may use them.
 * @param offersClosing whether closing is already offered beside sending
 */
function more(
  frame: Frame,
  { batch: { id, closing }, isUploaded }: BatchPage,
  offersClosing: boolean,
): Html | null {
  const links = [
    link(frame, `/batches/${id}/reconcile`, 'Reconcile'),
    isUploaded ? link(frame, `/batches/${id}/mapping`, 'Say again how this file is read') : null,
    closing === null && !offersClosing ? link(frame, `/batches/${id}/close`, 'Close the batch') : null,
  ];
  if (links.every((each) => each === null)) return null;
  return html`<section><h2>More</h2><div class="actions">${links}</div></section>`;
}

/** The rows that would not be sent. Each reason has a link to its rows. */
function skipTableOf(totals: PlanTotals, batch: string, countries: readonly string[]): Table {
  return {
    ...skipTable(totals),
    rows: totals.skip.map((group) => {
      const { status, code, firstRow } = group;
      const [shownStatus = null, why = null, rows = null] = skipLine(group);
      const first = linkCell(firstRow, `/batches/${batch}/rows/${firstRow}`);
      if (code === null || code === 'duplicate' || status === 'created')
        return [shownStatus, why, rows, first];
      const address = `/batches/${batch}/rows?status=${status}&code=${code}`;
      const named = html`<a href="${address}">${reasonName(code)}</a>${institutionLinks(code, countries)}`;
      return [shownStatus, drawnCell(named, reasonName(code)), rows, first];
    }),
  };
}

function runs({ runs: all }: BatchAccount): TableView | null {
  const shown = ['Run', 'Command', 'Begun by', 'Started', 'Ended', 'Outcome', 'Host'];
  return tableView({ ...withColumns(runsTable(all), shown), title: 'Runs', isFolded: true });
}
