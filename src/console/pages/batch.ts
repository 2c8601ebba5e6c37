/* The page of a batch: where it stands, what to do next, what would be sent, its rows by status and its files. */

import { shortBatchId } from '../../domain/batches/batch.ts';
import type { ChangesSummary } from '../../domain/batches/batch-summary.ts';
import type { PlanTotals } from '../../domain/batches/plan.ts';
import type { BatchView } from '../../engine/status/batch-view.ts';
import { changesSections } from '../../output/report/changes.ts';
import { type Html, html, tableSection } from '../../output/report/page.ts';
import { planSections } from '../../output/report/plan.ts';
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
import { type Frame, form, moment, type Page } from './layout.ts';
import { countsOf, facts, filesOf, sumsOf } from './parts.ts';
import { nextStepsOf } from './remedies.ts';

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
  /** Where its sending stands, while it is under way; null otherwise. */
  readonly progress: Html | null;
  /** Why the last call on it did not come to its end; null where it did. */
  readonly problem: Html | null;
}

/** The page of a batch. */
export function batchPage(frame: Frame, { batch, plan, changes, progress, problem }: BatchPage): Page {
  const isPlanned = batch.state === 'planned' && plan !== null;
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
      ...changesSections(changes).map((section) => tableSection(section)),
      standing(batch),
      isPlanned ? planOf(frame, batch, plan) : null,
      progress === null ? nextStepsOf(frame, steps, { upload: null }) : null,
      sumsOf(batch.sums, batch.counts),
      filesOf(batch.files, batch.id),
      family(batch),
      runs(batch),
    ],
  };
}

function titleOf({ file, sheet }: Pick<BatchView, 'file' | 'sheet'>): string {
  return sheet === null ? file : `${file}, sheet ${sheet}`;
}

function factsOf({ id, kind, createdAt, rows, environment }: BatchView): Html {
  return facts([
    ['Batch', shortBatchId(id)],
    ['Rows', `${groupedNumber(rows)} ${kind}`],
    ['Taken in', moment(createdAt)],
    ['API', environment.origin],
  ]);
}

/** The most important sentences of a batch, then its rows by status. */
function standing(batch: BatchView): Html {
  const { rows, counts, contradicted, unrecorded, unanswered, refusedAlike, closing, approval, environment } =
    batch;
  const warnings = [
    ...(contradicted > 0 ? [contradictionHeadline(contradicted)] : []),
    ...(unrecorded > 0 ? [unrecordedHeadline(unrecorded)] : []),
    ...(refusedAlike === null ? [] : [refusedAlikeHeadline(refusedAlike)]),
    ...(unanswered === null ? [] : [unansweredHeadline(unanswered, environment.origin)]),
  ];
  const remarks = [
    ...(closing === null ? [] : [closingHeadline(closing)]),
    ...(approval === null ? [] : [approvalHeadline(approval)]),
    ...waitingNotes(batch.waiting),
    ...batch.notes,
  ];
  return html`<section aria-label="Where it stands">
${warnings.map((text) => html`<p class="headline">${text}.</p>`)}
<p class="headline">${headline(rows, counts)}</p>
${remarks.map((text) => html`<p class="second">${text}</p>`)}
${countsOf(counts, batch.id)}
<p><a href="/batches/${batch.id}/rows">All rows</a></p>
</section>`;
}

/** What would be sent, with totals, and the button that sends exactly that. */
function planOf(frame: Frame, { id, counts }: BatchView, { planHash, totals }: ShownPlan): Html {
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
  const tables = planSections(totals).map((section) => tableSection(section));
  return html`${tables}<section><h2>Send</h2>
<p>Exactly this plan is sent: it is refused if the rows have changed since it was shown.</p>
<p class="soft">Plan <code>${planHash.slice(0, 16)}</code></p>
${send}</section>`;
}

function family({ id, family: all }: BatchView): Html | null {
  if (all === null) return null;
  const { first, doneRows, corrections } = all;
  const others = corrections.filter((correction) => correction.id !== id);
  const link = (batch: string): Html => html`<a href="/batches/${batch}">${shortBatchId(batch)}</a>`;
  return html`<section><h2>Corrections</h2>
<p>${groupedNumber(doneRows)} of ${countOf(first.rows, 'row')} of the first file are created or existing.</p>
${first.id === id ? null : html`<p>It corrects rows of ${link(first.id)}.</p>`}
${others.map((correction) => html`<p>${link(correction.id)}: ${groupedNumber(correction.doneRows)} of ${countOf(correction.rows, 'corrected row')} done.</p>`)}</section>`;
}

function runs({ runs: list }: BatchView): Html | null {
  return tableSection({
    title: 'Runs',
    columns: ['Run', 'Command', 'Began', 'Ended', 'Outcome', 'Host'],
    rows: list.map(({ number, command, startedAt, endedAt, outcome, host, isUnderWay }) => [
      String(number),
      command,
      moment(startedAt),
      endedAt === null ? (isUnderWay ? 'under way' : 'cut off') : moment(endedAt),
      outcome === null ? null : outcome.replaceAll('_', ' '),
      host,
    ]),
  });
}
