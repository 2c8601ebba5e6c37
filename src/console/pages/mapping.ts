/* The pages on which a person says how an uploaded file, or an export of the other side, is read. */

import { type Html, html, section } from '../../account/report/page.ts';
import { fieldWord, kindWord } from '../../account/words/field-words.ts';
import { forecastParts, questionHeading, sentText } from '../../account/words/mapping-words.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import { kinds } from '../../engine/choices.ts';
import { rowsSent } from '../../propose/dialogue/marked-effects.ts';
import { reasonText } from '../../propose/session/question-reason.ts';
import type {
  DialogueQuestion,
  Grid,
  RefusalReason,
  RowsToSend,
  TablePlace,
} from '../../propose/session/session.ts';
import { proposedHeader } from '../../propose/sheet/grid.ts';
import type { OpenQuestion } from '../under-way/mapping-talk.ts';
import type { KeptReconciliation } from '../under-way/reconciliations.ts';
import type { Upload, UploadReading } from '../under-way/uploads.ts';
import { option, shortened } from './answer-options.ts';
import { notesOf } from './call.ts';
import { type Frame, form, type Notice, noticePart, type Page, workingPage } from './layout.ts';
import { answersSoFar } from './mapping-answers.ts';
import { dialectForm } from './mapping-dialect.ts';
import { answerFields } from './mapping-question.ts';
import { isOnlyConfirmed, reviewLead } from './mapping-review.ts';
import { pageText } from './page-words.ts';
import { action } from './remedies.ts';
import { facts } from './table.ts';
import { templatesOffer, uploadSection } from './templates.ts';

/** A file with questions about how it is read. */
export interface AskedFile {
  /** The address of the questions. */
  readonly address: string;
  readonly name: string;
  /** The label of the button that agrees to the whole reading: what is shown next. */
  readonly afterwards: string;
}

/** A file of an upload whose reading is agreed on. */
export interface MappedFile extends AskedFile {
  readonly upload: Upload;
  /** Counts the files of the upload from 1. */
  readonly number: number;
  /** The earlier decisions on how it is read. */
  readonly reading: UploadReading;
}

/** The address of the questions about a file. */
export function mappingAddress({ upload, number }: Pick<MappedFile, 'upload' | 'number'>): string {
  return `/uploads/${upload.id}/mapping/${number}`;
}

/** The page for choosing one of several files. */
export function chooseFilePage(upload: Upload, isAgain: boolean): Page {
  const query = isAgain ? '?again=yes' : '';
  const links = upload.files.map(
    ({ name }, at) =>
      html`<li><a href="${mappingAddress({ upload, number: at + 1 })}${query}">${name}</a></li>`,
  );
  return {
    title: 'Which file?',
    content: section(
      'Say how a file is read',
      html`<p>Each file is read in its own way. Choose the one whose columns were not understood.</p><ul>${links}</ul>
<p><a href="/uploads/${upload.id}">Back to the check of the files</a></p>`,
    ),
  };
}

/**
 * The page of the open question.
 * @param notice what is said above it; null for none
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
      problem === null ? null : noticePart({ text: problemText(problem), isProblem: true }),
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

function problemText(problem: string): string {
  return `That answer is not possible: ${problem}.`;
}

function fileFacts({ name }: AskedFile, place: TablePlace | null): Html {
  return facts([
    ['File', name],
    ['Sheet', place?.sheet ?? null],
    ['Header', place === null ? null : `row ${place.headerRows.join(' and ')}`],
    ['Rows', place === null ? null : kindWord(place.kind)],
  ]);
}

/** What becomes of the rows, and whether that counts what is chosen on the page. */
function forecastOf(question: DialogueQuestion): Html | null {
  const { forecast, rows } = question;
  if (rows === 0) return null;
  if (question.kind === 'values' && question.sending !== undefined) return sentOf(question, question.sending);
  const isCounted = question.kind !== 'values' && question.kind !== 'refused';
  return html`<p class="soft">As it stands, ${forecastParts(forecast).join('; ')}${isCounted ? null : '. What you choose here is not counted yet'}.</p>`;
}

/** The rows that are sent with what is proposed; a script of the page counts them by what is chosen. */
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

/** Why rows would be refused, with a row of each reason. */
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

/** A field in words, with its name small beside it. */
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

/** The alternatives to answering. */
function otherWays(frame: Frame, file: AskedFile, { table }: OpenQuestion): Html {
  const other =
    table === null
      ? null
      : html`<a class="button second" href="${file.address}/table">Another sheet, header or kind of rows</a>`;
  return html`<div class="actions ways">${other}${action(frame, `${file.address}/again`, 'Count the rows again', 'second')}${action(frame, `${file.address}/stop`, 'Stop, and keep nothing', 'second')}</div>`;
}

/** Whether the answer is a place in the file, which is chosen among its first rows. */
export function isAboutPlace({ kind, about }: DialogueQuestion): boolean {
  return kind === 'reading' && (about === 'sheet' || about === 'header_rows');
}

/**
 * The first rows of the file, for choosing the header.
 * @param shown the sheet that is shown
 * @param notice what is said above them; null for none
 */
export function tablePage(
  frame: Frame,
  file: AskedFile,
  open: OpenQuestion,
  { place, grids }: NonNullable<OpenQuestion['table']>,
  shown: Grid,
  notice: Notice | null = null,
): Page {
  const { turn, question, canGoBack, problem } = open;
  const isAsked = isAboutPlace(question);
  const others = isAsked
    ? canGoBack
      ? html`<button class="second" formaction="${file.address}" name="do" value="back">Back</button>`
      : null
    : html`<a class="button second" href="${file.address}">Leave it as it is</a>`;
  // Another sheet has a header of its own, and it is its place that is shown.
  const headerRows = shown.sheet === place.sheet ? place.headerRows : proposedHeader(shown);
  const [first, second] = headerRows;
  const kindsOfRows = kinds.map((kind) => option(kind, kindWord(kind), kind === place.kind));
  const two = html`<input type="checkbox" name="two" value="yes"${second === undefined ? null : html` checked`}>`;
  return {
    title: isAsked ? questionHeading(question) : 'Where do the rows stand?',
    content: [
      fileFacts(file, { ...place, sheet: shown.sheet, headerRows }),
      notice === null ? null : noticePart(notice),
      problem === null ? null : noticePart({ text: problemText(problem), isProblem: true }),
      isAsked ? html`<p>${reasonText(question.why)}</p>` : null,
      sheetsOf(file, grids, shown),
      dialectForm(frame, file.address, open),
      form(
        frame,
        `${file.address}/table`,
        html`<section><h2>Choose the line with the names of the columns</h2>
<input type="hidden" name="turn" value="${turn}"><input type="hidden" name="sheet" value="${grids.indexOf(shown)}">
${gridOf(shown, first)}
<label class="choice">${two} <span>The header has two lines: this one, and the one below it.</span></label>
<div class="field"><label for="kind">The rows are</label><select id="kind" name="kind">${kindsOfRows}</select></div>
<p class="hint">What you have said of the columns so far is forgotten, if you choose another line, sheet or kind.</p>
<div class="actions"><button>Read this table</button>${others}</div></section>`,
      ),
      answersSoFar(frame, file.address, open),
    ],
  };
}

function sheetsOf(file: AskedFile, grids: readonly Grid[], shown: Grid): Html | null {
  if (grids.length < 2) return null;
  const links = grids.map((grid, at) => {
    const name = `${grid.sheet ?? 'the file'}${grid.isHidden ? ' (hidden)' : ''}, ${countOf(grid.allRows, 'line')}`;
    return grid === shown
      ? html`<li><b aria-current="true">${name}</b></li>`
      : html`<li><a href="${file.address}/table?sheet=${at}">${name}</a></li>`;
  });
  return html`<section><h2>Sheets</h2><ul class="files">${links}</ul></section>`;
}

const rowsShown = 30;

const columnsShown = 24;

const cellCharacters = 32;

function gridOf({ rows, sheet }: Grid, chosen: number): Html {
  const shown = rows.slice(0, rowsShown);
  const width = Math.min(columnsShown, Math.max(1, ...shown.map(({ cells }) => cells.length)));
  const lines = shown.map(({ number, cells }) => {
    const box = html`<input type="radio" name="row" value="${number}"${number === chosen ? html` checked` : null}>`;
    const texts = Array.from({ length: width }, (_, at) => shortened(cells[at] ?? '', cellCharacters));
    return html`<tr><th scope="row"><label class="choice">${box} <span>${number}</span></label></th>${texts.map((text) => html`<td>${text}</td>`)}</tr>
`;
  });
  if (lines.length === 0) return html`<p class="empty">The sheet is empty.</p>`;
  const name = `The first lines of ${sheet ?? 'the file'}`;
  return html`<div class="scroll" role="region" aria-label="${name}" tabindex="0"><table class="lines"><caption>${name}</caption><tbody>${lines}</tbody></table></div>`;
}

/** The page while the file is examined. */
export function lookingPage(file: AskedFile): Page {
  return workingPage(
    { title: 'Looking at the file' },
    file.address,
    'The file is looked at again when it is back.',
    html`<p class="headline">Every row is tried with each way to read the file.</p><p>That takes a while for a long one.</p>`,
    fileFacts(file, null),
  );
}

/** The page after a person has stopped the questions about an uploaded file. */
export function stoppedAddress({ address }: MappedFile): string {
  return `${address}/stopped`;
}

/** Says that nothing was kept. What was made of the file before stays as it was. */
export function stoppedPage(frame: Frame, { name, upload: { id, files, batches } }: MappedFile): Page {
  const [batch, another] = batches;
  return {
    title: 'Stopped: nothing was kept',
    content: [
      html`<section role="status"><p>The questions about how ${name} is read were stopped. Your answers are deleted, and no row was taken in or sent by them.</p>
<div class="actions"><a class="button" href="/">To do</a>
${batch !== undefined && another === undefined ? html`<a class="button second" href="/batches/${batch}">Back to the batch</a>` : null}
${files.length > 1 ? html`<a class="button second" href="/uploads/${id}">The other files of the upload</a>` : null}</div></section>`,
      uploadSection(frame),
    ],
  };
}

/** The page without a question: the file is read as agreed for its header before. */
export function knownPage(frame: Frame, file: MappedFile, name: string | null): Page {
  return {
    title: 'Nothing in this file is new',
    content: html`${fileFacts(file, null)}<section>
<p>It is read with the remembered mapping${name === null ? '' : ` "${name}"`}.</p>
<div class="actions">${action(frame, `/uploads/${file.upload.id}/check`, 'Check the file again')}
<a class="button second" href="${file.address}?again=yes">Say again how this file is read</a></div></section>`,
  };
}

/* The pages on which a person says how an export of the other side is read. */

/** A file of a reconciliation whose reading is agreed on. */
export interface AskedExport extends AskedFile {
  readonly kept: KeptReconciliation;
  /** Counts the files of the reconciliation from 1. */
  readonly number: number;
}

/** The address of the questions about an export. */
export function exportAddress(
  { batch, id }: Pick<KeptReconciliation, 'batch' | 'id'>,
  number: number,
): string {
  return `/batches/${batch}/reconcile/${id}/mapping/${number}`;
}

/** The next page: for the next file, or the form with the kept files. */
export function afterExport({ kept, number }: AskedExport): string {
  return number < kept.files.length ? exportAddress(kept, number + 1) : waitingAddress(kept);
}

/** The address of the form of a reconciliation that has not begun, with its files. */
export function waitingAddress({ batch, id }: KeptReconciliation): string {
  return `/batches/${batch}/reconcile?kept=${id}`;
}

/** The page without a question: exports with this header are read as agreed before. */
export function knownExportPage(file: AskedExport, name: string | null): Page {
  return {
    title: `How ${file.name} is read is known`,
    content: html`<section><p>It is read with the remembered mapping${name === null ? '' : ` "${name}"`}.</p>
<div class="actions"><a class="button" href="${afterExport(file)}">Go on</a>
<a class="button second" href="${file.address}?again=yes">Say again how this file is read</a></div></section>`,
  };
}

/** What a person may do after an error in the dialogue. The answers are kept. */
export function waysAfterFailure(frame: Frame, { address }: AskedFile): Html {
  return html`<section><p>Your answers are kept. The last one may be what does not work: go back to its question, and answer it in another way.</p>
<div class="actions">${action(frame, `${address}/again?without=last`, 'Back to the question before')}${action(frame, `${address}/again`, 'Try again', 'second')}${action(frame, `${address}/again?without=all`, 'Begin anew', 'second')}</div></section>`;
}
