/* The pages on which a person says how a file is read: the open question, or where its rows begin, and its characters. */

import { readFileSync } from 'node:fs';
import { type Html, html } from '../../account/report/page.ts';
import {
  fieldWord,
  forecastParts,
  kindWord,
  questionHeading,
  sentText,
} from '../../account/words/mapping-words.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import { kinds } from '../../engine/choices.ts';
import { rowsSent } from '../../propose/dialogue/marked-effects.ts';
import { reasonText } from '../../propose/session/question-reason.ts';
import type {
  DialogueQuestion,
  ReadDialect,
  RefusalReason,
  RowsToSend,
} from '../../propose/session/session.ts';
import { type Grid, proposedHeader } from '../../propose/sheet/grid.ts';
import type { OpenQuestion } from '../under-way/mapping-talk.ts';
import { option, shortened } from './answer-options.ts';
import { notesOf } from './call.ts';
import { type Frame, form, type Notice, noticePart, type Page } from './layout.ts';
import { answersSoFar } from './mapping-answers.ts';
import { type AskedFile, fileFacts } from './mapping-files.ts';
import { answerFields } from './mapping-question.ts';
import { isOnlyConfirmed, reviewLead } from './mapping-review.ts';
import { pageText } from './page-words.ts';
import { action } from './remedies.ts';
import { templatesOffer } from './templates.ts';

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

/* The choice of what separates the columns of a CSV file, and of its encoding, above its first rows. */

/** What can be stated of the characters of a CSV file. */
export type DialectPart = 'delimiter' | 'encoding';

interface Choice {
  /** As a mapping states it. */
  readonly id: string;
  readonly label: string;
}

/** The choices of each part. */
export type DialectChoices = Readonly<Record<DialectPart, readonly Choice[]>>;

/** What a page offers; the command line takes any other character and encoding too. */
export const dialectChoices: DialectChoices = JSON.parse(
  readFileSync(new URL('./mapping-dialect.json', import.meta.url), 'utf8'),
);

/**
 * The choice for a CSV file, with what was found or stated; null for a file that has none.
 * @param address of the questions about the file
 */
function dialectForm(
  frame: Frame,
  address: string,
  { dialect, table }: Pick<OpenQuestion, 'dialect' | 'table'>,
): Html | null {
  if (dialect === null) return null;
  const delimiter = idOfDelimiter(dialect);
  const isStated = (part: DialectPart): boolean => dialect.stated.includes(part);
  const [grid] = table?.grids ?? [];
  const isOne = grid !== undefined && hasOneColumn(grid);
  const problem = isOne
    ? html`<p class="problem-text" role="alert">With a ${labelOf('delimiter', delimiter)} between columns, this file has only one column. Choose what separates them.</p>`
    : null;
  const choice = form(
    frame,
    `${address}/dialect`,
    html`<div class="field"><label for="delimiter">Columns are separated by</label>
<select id="delimiter" name="delimiter">${optionsOf('delimiter', delimiter, isStated('delimiter'))}</select></div>
<div class="field"><label for="encoding">Encoding</label>
<select id="encoding" name="encoding">${optionsOf('encoding', dialect.encoding, isStated('encoding'))}</select></div>
<button class="second">Read the file anew</button>`,
  );
  const found = `Columns are separated by: ${labelOf('delimiter', delimiter)}. Encoding: ${labelOf('encoding', dialect.encoding)}`;
  const open = isOne ? html` open` : null;
  return html`<section class="dialect">${problem}<details${open}><summary>${found}</summary>${choice}
<p class="hint">Change these only where columns or letters are wrong. The questions begin anew then.</p></details></section>`;
}

/** A tab as it is typed. */
function idOfDelimiter({ delimiter }: ReadDialect): string {
  return delimiter === '\t' ? '\\t' : delimiter;
}

/** What a person has stated. */
export function statedIn(dialect: ReadDialect | null): Partial<Record<DialectPart, string>> {
  if (dialect === null) return {};
  const all = { delimiter: idOfDelimiter(dialect), encoding: dialect.encoding };
  return Object.fromEntries(dialect.stated.map((part) => [part, all[part]]));
}

/** Whether no row has more than one filled cell. */
function hasOneColumn({ rows }: Grid): boolean {
  return rows.every(({ cells }) => cells.filter((cell) => cell.trim() !== '').length <= 1);
}

function labelOf(part: DialectPart, id: string): string {
  const known = dialectChoices[part].find((choice) => choice.id === id.toLowerCase());
  return known?.label ?? (part === 'delimiter' ? `"${id}"` : id);
}

/** What is in force comes as it is; what was found needs no statement, and what was stated may be found again. */
function optionsOf(part: DialectPart, id: string, isStated: boolean): readonly Html[] {
  const others = dialectChoices[part].filter((choice) => choice.id !== id.toLowerCase());
  const first = isStated
    ? [option('', 'found by itself', false), option(id, `${labelOf(part, id)} (as you said)`, true)]
    : [option('', `${labelOf(part, id)} (found by itself)`, true)];
  return [...first, ...others.map((choice) => option(choice.id, choice.label, false))];
}
