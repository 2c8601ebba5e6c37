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
import {
  approvalHeadline,
  closingHeadline,
  contradictionHeadline,
  countOf,
  groupedNumber,
  headline,
  refusedAlikeHeadline,
  unansweredHeadline,
  unrecordedHeadline,
  waitingNotes,
} from '../../output/words/wording.ts';
import { familyTable } from './family.ts';
import { institutionLinks } from './institutions.ts';
import { type Frame, form, livePart, moment, type Page } from './layout.ts';
import { apiName, countsOf, facts, filesOf, reasonName, sumsOf } from './parts.ts';
import { link, nextStepsOf, type RemedyPlace } from './remedies.ts';
import { inPageWords } from './setting-words.ts';
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
export function batchPage(
  frame: Frame,
  { batch, plan, changes, institutionCountries, family, progress, problem }: BatchPage,
): Page {
  // Of what is being sent the progress tells.
  const showsPlan =
    plan !== null && progress === null && (batch.state === 'planned' || batch.state === 'unapproved');
  const isPlanned = showsPlan && batch.state === 'planned';
  // The button of a planned batch stands under its plan.
  const steps = isPlanned
    ? batch.remedies.filter(({ remedy }) => remedy.action !== 'resume')
    : batch.remedies;
  return {
    title: titleOf(batch),
    part: '/batches',
    refreshInSeconds: progress === null ? null : 5,
    content: [
      factsOf(batch),
      problem,
      progress,
      ...changesSections(changes).map((section) => tableView(section)),
      // Figures of before would contradict those of the progress, which count on.
      progress === null ? standing(batch) : warningsOf(batch),
      ...(showsPlan ? tablesOf(batch, plan, institutionCountries) : []),
      isPlanned ? sendingOf(frame, batch, plan) : null,
      progress === null ? nextStepsOf(frame, steps, placeOf(batch)) : null,
      progress === null ? sumsOf(batch.sums, batch.counts) : null,
      filesOf(batch.files, batch.id),
      more(frame, batch),
      familyTable(batch, family),
      runs(batch),
    ],
  };
}

/** Where what helps is offered: of a batch without invalid rows, the rejected ones are to be corrected. */
function placeOf({ id, counts }: BatchView): RemedyPlace {
  return { upload: null, batch: id, toCorrect: (counts.invalid ?? 0) > 0 ? 'invalid' : 'rejected' };
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
  return html`<section aria-label="Before this run">${warnings.map((text) => html`<p class="headline">${text}.</p>`)}</section>`;
}

/** The most important sentences of a batch, then its rows by status. */
function standing(batch: BatchView): Html {
  const { rows, counts, closing, approval } = batch;
  const remarks = [
    ...(closing === null ? [] : [closingHeadline(closing)]),
    ...(approval === null ? [] : [approvalHeadline(approval)]),
    ...waitingNotes(batch.waiting),
    ...batch.notes,
  ];
  return html`<section aria-label="Where it stands">
${warningTexts(batch).map((text) => html`<p class="headline">${text}.</p>`)}
<p class="headline">${headline(rows, counts)}</p>
${remarks.map((text) => html`<p class="second">${inPageWords(text)}</p>`)}
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

/** The button that sends exactly the plan that is shown. */
function sendingOf(frame: Frame, { id, counts }: BatchView, { planHash }: ShownPlan): Html {
  const rows = counts.not_sent ?? 0;
  const address = `/batches/${id}/send`;
  const live = frame.mode === 'live' ? html`<p><b>This is live: the API carries it out.</b></p>` : null;
  const send = form(
    frame,
    address,
    html`<input type="hidden" name="plan_hash" value="${planHash}">
${live}<div class="actions"><button>Send ${countOf(rows, 'row')}</button>
<a class="button second" href="/batches/${id}/close">Do not send: close the batch</a></div>`,
  );
  return html`<section><h2>Send</h2>
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

/** What a person agrees to before live rows are sent. */
export interface Agreement {
  readonly batch: BatchView;
  readonly plan: ShownPlan | null;
  readonly what: 'resume' | 'retry';
  /** Whether sending goes on although rows are refused for one reason. */
  readonly isOff: boolean;
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
export function agreementPage(frame: Frame, { batch, plan, what, isOff, isOutdated }: Agreement): Page {
  const { not_sent = 0, unknown = 0, rejected = 0, waiting = 0 } = batch.counts;
  const lines = [
    ...(not_sent > 0 ? [`${countOf(not_sent, 'row')} not sent yet`] : []),
    ...(unknown > 0
      ? [
          `${countOf(unknown, 'row')} in doubt, again under ${unknown === 1 ? 'its own key' : 'their own keys'}`,
        ]
      : []),
    ...(waiting > 0 ? [`${countOf(waiting, 'waiting row')}`] : []),
    ...(what === 'retry' && rejected > 0
      ? [`${countOf(rejected, 'rejected row')}, again under new keys`]
      : []),
  ];
  const address = `/batches/${batch.id}/${what}${isOff ? '?refused_alike=off' : ''}`;
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
      ...(plan === null ? [] : planSections(plan.totals).map((section) => tableView(section))),
      sumsOf(batch.sums, batch.counts),
    ],
  };
}

/** What can be done at any time, by those who may. */
function more(frame: Frame, { id, closing }: BatchView): Html | null {
  const links = [
    link(frame, `/batches/${id}/reconcile`, 'Reconcile'),
    link(frame, `/batches/${id}/mapping`, 'Say again how this file is read'),
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
