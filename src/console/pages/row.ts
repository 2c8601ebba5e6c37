/* The page of one row: its cells, its findings, the possible decisions, and its history. */

import { type Html, html, section } from '../../account/report/page.ts';
import type { RowView } from '../../account/row.ts';
import { statusMark } from '../../account/table.ts';
import { fieldWord } from '../../account/words/mapping-words.ts';
import { eventSentence, standingSentences, unansweredSentence } from '../../account/words/row-words.ts';
import { inputName, reasonName, statusMeaning } from '../../account/words/wording.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import type { ResultRow, RowEvent } from '../../domain/rows/result-row.ts';
import { capital } from '../../domain/settings/message.ts';
import type { DraftResult } from '../../engine/drafts/draft.ts';
import type { CreatedValues } from '../../engine/rows.ts';
import { cellsSection, cellsWithFaults, columnName, editsSection } from './cells.ts';
import { institutionLinks } from './institutions.ts';
import { type Frame, form, type Page } from './layout.ts';
import { verdictChoices, verdictsFor } from './page-words.ts';
import { nextStepsOf } from './remedies.ts';
import { facts, moment, sentence, type TableView, tableView } from './table.ts';

/** The content of a row's page. */
interface RowPage {
  readonly batch: BatchAccount;
  readonly row: RowView;
  /** The row as in the result files. */
  readonly result: ResultRow;
  /** The titles of the file's columns. */
  readonly columns: readonly string[];
  /**
   * The object that another row has created instead, and the values in which it differs; null if the row is not held
   * for this reason.
   */
  readonly created: CreatedValues['created'];
  /** The edits of the row. */
  readonly draft: DraftResult;
}

/** The page of a row. */
export function rowPage(frame: Frame, page: RowPage): Page {
  const { batch, row, result, columns, draft } = page;
  const [own] = draft.rows;
  const isUndecided =
    (row.status === 'held' || row.status === 'unknown') &&
    frame.may('POST', `/batches/${batch.id}/rows/${row.row}/verdict`);
  // Steps are left out if a form below already corrects the cells or decides about the row.
  const steps = row.next.filter(({ what, remedy }) =>
    what === 'decide' ? !isUndecided : own?.isCorrectable !== true || remedy.action !== 'import',
  );
  return {
    title: `Row ${row.row} of ${inputName(batch)}`,
    part: '/batches',
    content: [
      html`<p><a href="/batches/${batch.id}/rows">Back to the rows</a></p>`,
      standing(page),
      differsFromCreated(page),
      nextStepsOf(frame, steps, { upload: null }),
      isUndecided ? verdictForm(frame, batch, row, result) : null,
      own === undefined ? null : cellsSection(frame, batch.id, result, own, columns),
      editsSection(draft),
      history(row),
    ],
  };
}

function standing({ batch, row, result, columns }: RowPage): Html {
  const { status, attempts, firstSentAt, changedAt } = row;
  return html`<section aria-label="Its status"><p class="headline">${statusMark(status)}</p>
<p class="second">${capital(statusMeaning(status))}.</p>
${said(row, result, columns).map((text) => html`<p>${text}</p>`)}${institutionLinks(row.code)}
${facts([
  ['Batch', html`<a href="/batches/${batch.id}">${shortBatchId(batch.id)}</a>`],
  ['Requests', String(attempts)],
  ['First sent', firstSentAt === null ? null : moment(firstSentAt)],
  ['Last changed', moment(changedAt)],
])}</section>`;
}

function differsFromCreated({ batch, created }: RowPage): TableView | null {
  if (created === null) return null;
  const { by, values } = created;
  const address = `/batches/${by.batch}/rows/${by.row}`;
  return tableView({
    title: 'What differs from the object that is there',
    columns: ['Field', 'It was created with', 'This row has'],
    rows: values.map(({ field, created: before, here }) => [fieldWord(batch.kind, field), before, here]),
    below: html`<p class="soft">It was created by <a href="${address}">row ${by.row} of batch ${shortBatchId(by.batch)}</a>.</p>`,
  });
}

/** The texts about a row: first its findings in the words of pages, then other facts. */
function said(row: RowView, result: ResultRow, columns: readonly string[]): readonly (string | Html)[] {
  const { own, whole } = cellsWithFaults(result, columns);
  const found = [
    ...own.flatMap(({ place, faults }) => faults.map(({ text }) => `${columnName(columns, place)}: ${text}`)),
    ...whole.map(({ text }) => text),
  ];
  const isFound = (result.findings ?? []).length > 0 && result.findings?.[0]?.code === row.code;
  const others = standingSentences(isFound ? { ...row, code: null, message: null } : row);
  return [...(isFound ? found : []), ...others.map((text) => sentence(saidOf(row, text)))];
}

/** A sentence about a row without its code, because codes are for programs. Column titles stay unchanged. */
function saidOf({ code, field }: RowView, text: string): string {
  const said = code === null ? text : text.replace(` (${code})`, '');
  return field !== null && said.startsWith(`${field}:`) ? said : capital(said);
}

/**
 * The form for a verdict. It also sends the state of the row that the person saw. The verdict is refused if the row has
 * changed.
 */
function verdictForm(frame: Frame, batch: BatchAccount, row: RowView, result: ResultRow): Html {
  const choices = verdictsFor(row);
  const takesId = choices.includes('created') || choices.includes('existing');
  return html`<div id="decide">${section(
    'Decide about it',
    form(
      frame,
      `/batches/${batch.id}/rows/${row.row}/verdict`,
      html`<input type="hidden" name="attempts" value="${result.attempts}"><input type="hidden" name="key" value="${result.idempotencyKey ?? ''}">
${verdictChoices(choices)}
${takesId ? html`<div class="field"><label for="object">Id of the object at the API</label><input id="object" name="id" maxlength="255" size="40"></div>` : null}
<div class="field"><label for="note">Note: how do you know?</label><input id="note" name="note" maxlength="500" size="60"></div>
<div class="actions"><button>Record this</button><span class="soft">Nothing is sent by it. It is kept with your name.</span></div>`,
    ),
  )}</div>`;
}

function history({ attempts, history: events }: RowView): TableView | null {
  const unanswered = unansweredSentence(attempts, events);
  return tableView({
    title: 'What happened to it',
    columns: ['When', 'What', 'Answer'],
    rows: events.map((event) => [
      { time: event.time },
      eventSentence(inWords(event)),
      event.event === 'attempt' ? event.answer : null,
    ]),
    shown: html`<ol class="events">${events.map((event) => html`<li>${moment(event.time)}<div>${eventSentence(inWords(event))}${answerOf(event)}</div></li>`)}</ol>`,
    below: unanswered === null ? null : html`<p class="soft">${unanswered}</p>`,
  });
}

/** An event with its reason in words. An event whose reason only repeats the outcome stays unchanged. */
function inWords(event: RowEvent): RowEvent {
  if (event.event !== 'attempt' || event.reason === null || event.reason === event.outcome) return event;
  return { ...event, reason: reasonName(event.reason) };
}

/** The body of an answer, which may be long. */
function answerOf(event: RowEvent): Html | null {
  if (event.event !== 'attempt' || event.answer === null || event.answer === '') return null;
  return html`<details><summary>The answer</summary><pre>${event.answer}</pre></details>`;
}
