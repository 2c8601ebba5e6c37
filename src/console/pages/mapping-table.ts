/* The choice of the table in a file: its sheet, the line where its rows begin, and the characters of a CSV file. */

import { readFileSync } from 'node:fs';
import { type Html, html } from '../../account/report/page.ts';
import { kindWord, questionHeading } from '../../account/words/mapping-words.ts';
import { countOf } from '../../domain/money/money.ts';
import { kinds } from '../../engine/choices.ts';
import { reasonText } from '../../propose/session/question-reason.ts';
import type { DialogueQuestion, ReadDialect } from '../../propose/session/session.ts';
import { type Grid, proposedHeader } from '../../propose/sheet/grid.ts';
import type { OpenQuestion } from '../under-way/mapping-talk.ts';
import { option, shortened } from './answer-options.ts';
import { type Frame, form, type Notice, noticePart, type Page } from './layout.ts';
import { answersSoFar } from './mapping-answers.ts';
import { type AskedFile, fileFacts } from './mapping-files.ts';

/** Says that the last answer was not possible, on this page or on the page of any other question. */
export function problemNotice(problem: string): Notice {
  return { text: `That answer is not possible: ${problem}.`, isProblem: true };
}

/** Whether the answer is a place in the file. A person chooses it among the first rows. */
export function isAboutPlace({ kind, about }: DialogueQuestion): boolean {
  return kind === 'reading' && (about === 'sheet' || about === 'header_rows');
}

/**
 * The first rows of the file, in which a person chooses the header.
 * @param shown the sheet that is shown
 * @param notice the sentence above the rows; null for no sentence
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
  // Another sheet has its own header, so the place of that header is shown.
  const headerRows = shown.sheet === place.sheet ? place.headerRows : proposedHeader(shown);
  const [first, second] = headerRows;
  const kindsOfRows = kinds.map((kind) => option(kind, kindWord(kind), kind === place.kind));
  const two = html`<input type="checkbox" name="two" value="yes"${second === undefined ? null : html` checked`}>`;
  return {
    title: isAsked ? questionHeading(question) : 'Where do the rows stand?',
    content: [
      fileFacts(file, { ...place, sheet: shown.sheet, headerRows }),
      notice === null ? null : noticePart(notice),
      problem === null ? null : noticePart(problemNotice(problem)),
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

/* The choice of the delimiter and the encoding of a CSV file, above its first rows. */

/** The properties of a CSV file's characters that a person can state. */
export type DialectPart = 'delimiter' | 'encoding';

interface Choice {
  /** The id, in the form in which a mapping states it. */
  readonly id: string;
  readonly label: string;
}

/** The choices of each part. */
export type DialectChoices = Readonly<Record<DialectPart, readonly Choice[]>>;

/** The choices that a page offers. The command line accepts any other delimiter and encoding too. */
export const dialectChoices: DialectChoices = JSON.parse(
  readFileSync(new URL('./mapping-dialect.json', import.meta.url), 'utf8'),
);

/**
 * The choice for a CSV file, with the values that were found or stated; null for a file without such a choice.
 * @param address of the questions about the file
 */
export function dialectForm(
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

/** The delimiter as text; a tab is written as people type it. */
function idOfDelimiter({ delimiter }: ReadDialect): string {
  return delimiter === '\t' ? '\\t' : delimiter;
}

/** The properties that a person has stated. */
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

/**
 * The options for a property. The value in force is selected. A value that was found needs no statement. A value that
 * was stated can be replaced by finding it again.
 */
function optionsOf(part: DialectPart, id: string, isStated: boolean): readonly Html[] {
  const others = dialectChoices[part].filter((choice) => choice.id !== id.toLowerCase());
  const first = isStated
    ? [option('', 'found by itself', false), option(id, `${labelOf(part, id)} (as you said)`, true)]
    : [option('', `${labelOf(part, id)} (found by itself)`, true)];
  return [...first, ...others.map((choice) => option(choice.id, choice.label, false))];
}
