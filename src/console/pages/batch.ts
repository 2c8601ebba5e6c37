/* The page of a batch: where it stands, what to do next, what would be sent, its rows by status and its files. */

import { createHash } from 'node:crypto';
import { shortBatchId } from '../../domain/batches/batch.ts';
import type { ChangesSummary } from '../../domain/batches/batch-summary.ts';
import type { PlanTotals } from '../../domain/batches/plan.ts';
import type { BatchView } from '../../engine/status/batch-view.ts';
import { changesSections } from '../../output/report/changes.ts';
import { type Html, html, type TableSection } from '../../output/report/page.ts';
import { planSections, sendSection } from '../../output/report/plan.ts';
import { statusCell } from '../../output/report/sections.ts';
import type { NextStep } from '../../output/words/next-steps.ts';
import {
  approvalHeadline,
  closingHeadline,
  contradictionHeadline,
  countOf,
  groupedNumber,
  refusedAlikeHeadline,
  standingHeadline,
  unansweredHeadline,
  unrecordedHeadline,
  waitingNotes,
} from '../../output/words/wording.ts';
import { familyTable } from './family.ts';
import { institutionLinks } from './institutions.ts';
import { type Frame, form, livePart, moment, type Page, sentence } from './layout.ts';
import { apiName, countsOf, facts, filesOf, pageForms, reasonName, sumsOf } from './parts.ts';
import { link, nextStepsOf, type RemedyPlace } from './remedies.ts';
import { type TableView, tableView } from './table.ts';

/** What would be sent of a batch, as it was planned last. */
export interface ShownPlan {
  readonly planHash: string;
  readonly totals: PlanTotals;
}

/** What the page of a batch shows. */
export interface BatchPage {
  readonly batch: BatchView;
  /** Null where it was never planned. */
  readonly plan: ShownPlan | null;
  /** Rows of the plan that are not in the one that was approved. */
  readonly unapprovedRows: number;
  /** Whether its file is kept by this console. */
  readonly isUploaded: boolean;
  /** What changed in its payees since last time. */
  readonly changes: ChangesSummary;
  /** Countries with whose institutions its rows were checked, by their codes. */
  readonly institutionCountries: readonly string[];
  /** The batches of its family, the oldest first; none where it has none. */
  readonly family: readonly BatchView[];
  /** Where its sending stands, while it is under way; null otherwise. */
  readonly progress: Html | null;
  /** Why the last call on it did not come to its end; null where it did. */
  readonly problem: Html | null;
}

/** The page of a batch. */
export function batchPage(frame: Frame, page: BatchPage): Page {
  const { batch, plan, unapprovedRows, changes, institutionCountries, family, progress, problem } = page;
  // Of what is being sent the progress tells.
  const showsPlan =
    plan !== null && progress === null && (batch.state === 'planned' || batch.state === 'unapproved');
  const isPlanned = showsPlan && batch.state === 'planned';
  const isAllUnapproved = unapprovedRows > 0 && unapprovedRows >= (batch.counts.not_sent ?? 0);
  // The button of a planned batch stands under its plan, and no button sends what nobody has approved.
  const steps = (
    isPlanned || isAllUnapproved
      ? batch.remedies.filter(({ remedy }) => remedy.action !== 'resume')
      : batch.remedies
  ).map((step) => tellingAll(step, batch.counts));
  return {
    title: titleOf(batch),
    part: '/batches',
    refreshInSeconds: progress === null ? null : 5,
    content: [
      factsOf(batch),
      problem,
      progress,
      ...changesSections(changes, pageForms).map((section) => tableView(section)),
      // Figures of before would contradict those of the progress, which count on.
      progress === null ? standing(batch) : warningsOf(batch),
      ...(showsPlan ? tablesOf(batch, plan, institutionCountries) : []),
      unapprovedRows > 0 && progress === null ? outsideApproval(frame, batch, unapprovedRows) : null,
      isPlanned ? sendingOf(frame, batch, plan, unapprovedRows) : null,
      progress === null ? nextStepsOf(frame, steps, placeOf(page)) : null,
      progress === null ? sumsOf(batch.sums, batch.counts) : null,
      filesOf(batch.files, batch.id),
      more(frame, page),
      familyTable(batch, family),
      runs(batch),
    ],
  };
}

/** Rows that were not sent leave with those that are sent again. */
function tellingAll(step: NextStep, { not_sent = 0 }: BatchView['counts']): NextStep {
  if (step.remedy.action !== 'retry' || not_sent === 0) return step;
  const also = `The ${countOf(not_sent, 'row')} that ${not_sent === 1 ? 'was' : 'were'} not sent yet ${not_sent === 1 ? 'is' : 'are'} sent too.`;
  return { ...step, whyOnPage: `${step.whyOnPage ?? step.why} ${also}` };
}

/** Where what helps is offered: of a batch without invalid rows, the rejected ones are to be corrected. */
function placeOf({ batch: { id, counts }, isUploaded }: BatchPage): RemedyPlace {
  return {
    upload: null,
    batch: id,
    toCorrect: (counts.invalid ?? 0) > 0 ? 'invalid' : 'rejected',
    isUploaded,
  };
}

function titleOf({ file, sheet }: Pick<BatchView, 'file' | 'sheet'>): string {
  return sheet === null ? file : `${file}, sheet ${sheet}`;
}

function factsOf({ id, kind, createdAt, rows, environment }: BatchView): Html {
  return facts([
    ['Batch', shortBatchId(id)],
    ['Rows', `${groupedNumber(rows)} ${kind}`],
    ['Received', moment(createdAt)],
    ['API', apiName(environment.origin)],
  ]);
}

/** What speaks against a batch, as sentences. */
function warningTexts({
  contradicted,
  unrecorded,
  unanswered,
  refusedAlike,
  environment,
}: BatchView): readonly string[] {
  return [
    ...(contradicted > 0 ? [contradictionHeadline(contradicted)] : []),
    ...(unrecorded > 0 ? [unrecordedHeadline(unrecorded)] : []),
    ...(refusedAlike === null ? [] : [refusedAlikeHeadline(refusedAlike)]),
    ...(unanswered === null ? [] : [unansweredHeadline(unanswered, apiName(environment.origin))]),
  ];
}

/** The same while a run is under way. */
function warningsOf(batch: BatchView): Html | null {
  const warnings = warningTexts(batch);
  if (warnings.length === 0) return null;
  return html`<section aria-label="Before this run">${warnings.map((text) => html`<p class="headline">${sentence(text)}.</p>`)}</section>`;
}

/** The most important sentences of a batch, then its rows by status. */
function standing(batch: BatchView): Html {
  const { rows, counts, closing, approval } = batch;
  const remarks = [
    ...(closing === null ? [] : [closingHeadline(closing)]),
    ...(approval === null ? [] : [approvalHeadline(approval)]),
    ...waitingNotes(batch.waiting, reasonName),
    ...batch.notes,
  ];
  return html`<section aria-label="Where it stands">
${warningTexts(batch).map((text) => html`<p class="headline">${sentence(text)}.</p>`)}
<p class="headline">${standingHeadline(rows, counts, closing !== null)}</p>
${remarks.map((text) => html`<p class="second">${sentence(text)}</p>`)}
${countsOf(counts, batch.id)}
<p><a href="/batches/${batch.id}/rows">All rows</a></p>
</section>`;
}

/** What would be sent and what would not, with totals. */
function tablesOf(
  { id }: BatchView,
  { totals }: ShownPlan,
  countries: readonly string[],
): readonly (TableView | null)[] {
  return [sendSection(totals), skipSection(totals, id, countries)].map((section) => tableView(section));
}

/** Rows that joined the plan after it was approved, such as those whose customer is there by now. */
function outsideApproval(frame: Frame, { id }: BatchView, rows: number): Html {
  return html`<section class="note"><p class="headline">${countOf(rows, 'row')} joined after the approval.</p>
<p>${rows === 1 ? 'It is' : 'They are'} not sent under it: have the plan approved as it is now.</p>
<div class="actions">${link(frame, `/batches/${id}/approval`, 'Look at the approval')}</div></section>`;
}

/** The button that sends exactly the plan that is shown. */
function sendingOf(
  frame: Frame,
  { id }: BatchView,
  { planHash, totals }: ShownPlan,
  unapprovedRows: number,
): Html | null {
  const planned = totals.send.reduce((sum, group) => sum + group.rows, 0);
  const rows = planned - unapprovedRows;
  if (rows <= 0 && unapprovedRows > 0) return null;
  const address = `/batches/${id}/send`;
  const live = frame.mode === 'live' ? html`<p><b>This is live: the API carries it out.</b></p>` : null;
  const send = form(
    frame,
    address,
    html`<input type="hidden" name="plan_hash" value="${planHash}">
${live}<div class="actions"><button>${rows === 0 ? 'Finish it: nothing is left to be sent' : `Send ${countOf(rows, 'row')}`}</button>
<a class="button second" href="/batches/${id}/close">Do not send: close the batch</a></div>`,
  );
  return html`<section id="send"><h2>Send</h2>
<p>Exactly this plan is sent: it is refused if the rows have changed since it was shown.</p>
<p class="soft">Plan <code>${planHash.slice(0, 16)}</code></p>
${send}</section>`;
}

/** A run on another machine, or of another program: how far it is. */
export function elsewhere({ id, runs: list, counts, rows }: BatchView): Html {
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

/** What a button says of how a batch is gone on with. */
export interface SendingChoice {
  /** Whether sending goes on although rows are refused for one reason. */
  readonly isOff: boolean;
  /** Whether waiting rows are tried at once, however short ago they were refused. */
  readonly isNow: boolean;
}

/** A choice as the query of an address. */
export function choiceQuery({ isOff, isNow }: SendingChoice): string {
  const parts = [...(isOff ? ['refused_alike=off'] : []), ...(isNow ? ['waiting=now'] : [])];
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** What a person agrees to before live rows are sent. */
export interface Agreement {
  readonly batch: BatchView;
  readonly plan: ShownPlan | null;
  readonly what: 'resume' | 'retry';
  readonly choice: SendingChoice;
  /** Whether somebody has agreed to what this page showed before the batch changed. */
  readonly isOutdated: boolean;
}

/** What somebody agrees to on the page before live rows are sent, as a hash: it changes with the rows by status and their sums. */
export function agreementHash({ counts, sums }: BatchView): string {
  return createHash('sha256')
    .update(JSON.stringify([counts, sums]))
    .digest('hex');
}

/** The page before live rows are sent that were not sent with their plan: how many, and what they add up to. */
export function agreementPage(frame: Frame, { batch, plan, what, choice, isOutdated }: Agreement): Page {
  const { counts, doubt, superseded } = batch;
  const { not_sent = 0, unknown = 0, waiting = 0 } = counts;
  // A third request of a row, or one under a key that has run out, is never made.
  const again = what === 'retry' ? 0 : unknown - (doubt?.expired ?? 0) - (doubt?.unsettled ?? 0);
  const rejected = what === 'retry' ? (counts.rejected ?? 0) - (superseded.all.rejected ?? 0) : 0;
  const lines = [
    ...(not_sent > 0 ? [`${countOf(not_sent, 'row')} not sent yet`] : []),
    ...(again > 0
      ? [`${countOf(again, 'row')} in doubt, again under ${again === 1 ? 'its own key' : 'their own keys'}`]
      : []),
    ...(waiting > 0 ? [`${countOf(waiting, 'waiting row')}`] : []),
    ...(rejected > 0 ? [`${countOf(rejected, 'rejected row')}, again under new keys`] : []),
  ];
  const address = `/batches/${batch.id}/${what}${choiceQuery(choice)}`;
  return {
    title: `Send rows of ${titleOf(batch)}?`,
    part: '/batches',
    content: [
      isOutdated
        ? html`<section class="problem" role="alert"><p class="headline">The batch has changed since this page was loaded: nothing was sent.</p><p>Look at it once more.</p></section>`
        : null,
      html`<section><p class="headline">This is live: the API carries it out.</p>
<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>
${form(
  frame,
  address,
  html`<input type="hidden" name="agreed" value="${agreementHash(batch)}"><div class="actions"><button>Yes, send them</button>
<a class="button second" href="/batches/${batch.id}">No, back to the batch</a></div>`,
)}</section>`,
      ...(plan === null ? [] : planSections(plan.totals, pageForms).map((section) => tableView(section))),
      sumsOf(batch.sums, batch.counts),
    ],
  };
}

/** What can be done at any time, by those who may. */
function more(frame: Frame, { batch: { id, closing }, isUploaded }: BatchPage): Html | null {
  const links = [
    link(frame, `/batches/${id}/reconcile`, 'Reconcile'),
    isUploaded ? link(frame, `/batches/${id}/mapping`, 'Say again how this file is read') : null,
    closing === null ? link(frame, `/batches/${id}/close`, 'Close the batch') : null,
  ];
  if (links.every((each) => each === null)) return null;
  return html`<section><h2>More</h2><div class="actions">${links}</div></section>`;
}

/** What would not be sent, each reason with the way to its rows. */
function skipSection({ skip }: PlanTotals, batch: string, countries: readonly string[]): TableSection {
  return {
    title: 'What would not be sent',
    columns: ['Status', 'Why', 'Rows', 'First row'],
    rows: skip.map(({ status, code, rows, firstRow }) => [
      statusCell(status),
      code === null || code === 'duplicate'
        ? code
        : html`<a href="/batches/${batch}/rows?status=${status}&amp;code=${code}">${reasonName(code)}</a>${institutionLinks(code, countries)}`,
      rows,
      html`<a href="/batches/${batch}/rows/${firstRow}">${firstRow}</a>`,
    ]),
  };
}

function runs({ runs: list }: BatchView): TableView | null {
  return tableView({
    title: 'Runs',
    columns: ['Run', 'Command', 'Begun by', 'Began', 'Ended', 'Outcome', 'Host'],
    rows: list.map(({ number, command, actor, startedAt, endedAt, outcome, host, isUnderWay }) => [
      String(number),
      command,
      actor === null ? null : `${actor.name} (${actor.door})`,
      moment(startedAt),
      endedAt === null ? (isUnderWay ? 'under way' : 'cut off') : moment(endedAt),
      outcome === null ? null : outcome.replaceAll('_', ' '),
      host,
    ]),
  });
}
