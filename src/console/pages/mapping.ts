/* The page of the open question about how a file is read. */

import { type Html, html } from '../../account/report/page.ts';
import { fieldWord, forecastParts, questionHeading, sentText } from '../../account/words/mapping-words.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import { rowsSent } from '../../propose/dialogue/marked-effects.ts';
import type { DialogueQuestion, RefusalReason, RowsToSend } from '../../propose/session/session.ts';
import type { OpenQuestion } from '../under-way/mapping-talk.ts';
import { shortened } from './answer-options.ts';
import { notesOf } from './call.ts';
import { type Frame, form, type Notice, noticePart, type Page } from './layout.ts';
import { answersSoFar } from './mapping-answers.ts';
import { type AskedFile, fileFacts } from './mapping-files.ts';
import { answerFields } from './mapping-question.ts';
import { isOnlyConfirmed, reviewLead } from './mapping-review.ts';
import { dialectForm, problemNotice } from './mapping-table.ts';
import { pageText } from './page-words.ts';
import { action } from './remedies.ts';
import { templatesOffer } from './templates.ts';

/**
 * The page of the open question.
 * @param notice the sentence above the question; null for no sentence
 * @param instead the alternative to answering questions about the file; null for none
 */
export function questionPage(
  frame: Frame,
  file: AskedFile,
  open: OpenQuestion,
  notice: Notice | null = null,
  instead: Html | null = null,
): Page {
  const { question, problem, table } = open;
  return {
    title: questionHeading(question, (field) => fieldWord(table?.place.kind ?? '', field)),
    content: [
      fileFacts(file, table?.place ?? null),
      notice === null ? null : noticePart(notice),
      problem === null ? null : noticePart(problemNotice(problem)),
      question.kind === 'review' ? reviewLead(question, open.seen) : null,
      question.kind === 'review' ? dialectForm(frame, file.address, open) : null,
      form(
        frame,
        file.address,
        html`<section>${isOnlyConfirmed(open) ? html`<details><summary>Look at the whole reading once more</summary>${answerFields(open)}</details>` : answerFields(open)}
<input type="hidden" name="turn" value="${open.turn}">
${question.kind === 'review' ? null : forecastOf(question)}
${buttons(open, file)}</section>`,
      ),
      answersSoFar(frame, file.address, open),
      otherWays(frame, file, open),
      notesOf(frame, open),
      question.kind === 'review' ? reasonsSection(question, open) : null,
      question.kind === 'review' && !open.canGoBack ? instead : null,
    ],
  };
}

/** The alternative of writing the rows into a template instead of describing the file's columns. */
export function insteadOfReading(): Html {
  return html`<section><p>Nothing of the file is taken in before you have agreed to how it is read. You can also fill in one of our files instead, and upload that on <a href="/">the first page</a>.</p>
${templatesOffer()}</section>`;
}

/** The expected results for the rows, and whether they include the choices on the page. */
function forecastOf(question: DialogueQuestion): Html | null {
  const { forecast, rows } = question;
  if (rows === 0) return null;
  if (question.kind === 'values' && question.sending !== undefined) return sentOf(question, question.sending);
  const isCounted = question.kind !== 'values' && question.kind !== 'refused';
  return html`<p class="soft">As it stands, ${forecastParts(forecast).join('; ')}${isCounted ? null : '. What you choose here is not counted yet'}.</p>`;
}

/** The rows that are sent with the proposals. A script of the page updates the number for the current choices. */
function sentOf(
  { values }: Extract<DialogueQuestion, { readonly kind: 'values' }>,
  sending: RowsToSend,
): Html {
  const proposals = new Map(values.map(({ value, proposal }) => [value, proposal]));
  const isOpen = values.some(({ proposal }) => proposal === null);
  const sent = rowsSent(sending, isOpen ? () => 'send' : (value) => proposals.get(value));
  const text = isOpen ? 'If all of these are sent' : 'With what is proposed here';
  const places = values.map(({ value }) => value);
  const counted = sending.groups.map((one) => ({
    ...one,
    values: one.values.map((value) => places.indexOf(value)),
  }));
  return html`<p class="soft" role="status" data-sending="${JSON.stringify(counted)}" data-words="With these answers, ${sentText('{}', sending)}.">${text}, ${sentText(groupedNumber(sent), sending)}.</p>`;
}

/** The reasons for which rows would be refused, with one row for each reason. */
function reasonsSection(
  { reasons, columns }: Extract<DialogueQuestion, { readonly kind: 'review' }>,
  { table }: OpenQuestion,
): Html | null {
  const nameOf = (column: string): string | Html =>
    columns.some((own) => own.column === column) ? column : withItsName(table?.place.kind ?? '', column);
  const items = reasons.map(
    (reason) => html`<li><b>${countOf(reason.rows, 'row')}</b>: ${
      reason.column === null ? null : html`${nameOf(reason.column)}: `
    }${pageText(reason.message)}
${exampleOf(reason, table)}</li>
`,
  );
  if (items.length === 0) return null;
  return html`<section id="refused"><h2>Why rows would be refused</h2><ul>${items}</ul></section>`;
}

/** A field in words, with its API name in small letters beside it. */
function withItsName(kind: string, field: string): Html {
  return html`"${fieldWord(kind, field)}" <small><code>${field}</code></small>`;
}

const exampleCharacters = 160;

function exampleOf({ example_row: number }: RefusalReason, table: OpenQuestion['table']): Html | null {
  if (number === 0) return null;
  const grid = table?.grids.find(({ sheet }) => sheet === table.place.sheet);
  const cells = grid?.rows.find((row) => row.number === number)?.cells ?? [];
  const text = cells.filter((cell) => cell.trim() !== '').join(' · ');
  return html`<p class="soft">For example row ${groupedNumber(number)}${text === '' ? '' : `: ${shortened(text, exampleCharacters)}`}</p>`;
}

function buttons({ question, canGoBack, seen }: OpenQuestion, { afterwards }: AskedFile): Html {
  const isLast = question.kind === 'review' && canGoBack && (seen?.next ?? []).length === 0;
  const back = canGoBack
    ? html`<button class="second" name="do" value="back" formnovalidate>Back</button>`
    : null;
  return html`<div class="actions"><button name="do" value="answer">${isLast ? afterwards : 'Go on'}</button>${back}</div>
${question.kind === 'review' ? html`<p class="hint">If you change something, the whole reading is shown once more before it counts.</p>` : null}`;
}

/** The alternatives to answering the question. */
function otherWays(frame: Frame, file: AskedFile, { table }: OpenQuestion): Html {
  const other =
    table === null
      ? null
      : html`<a class="button second" href="${file.address}/table">Another sheet, header or kind of rows</a>`;
  return html`<div class="actions ways">${other}${action(frame, `${file.address}/again`, 'Count the rows again', 'second')}${action(frame, `${file.address}/stop`, 'Stop, and keep nothing', 'second')}</div>`;
}
