/*
 * The review of a reading as a table: the first lines of the file, the field of each column, and the values that would
 * be sent.
 */

import { type Html, html } from '../../account/report/page.ts';
import {
  fieldGroups,
  fieldsWord,
  fieldWord,
  forecastParts,
  questionHeading,
  repairName,
  usesOfSeveralFields,
} from '../../account/words/mapping-words.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import { markedField } from '../../propose/decisions.ts';
import {
  type NextQuestion,
  rarestOf,
  type SeenReading,
  type Sureness,
} from '../../propose/dialogue/review.ts';
import type { DialogueQuestion } from '../../propose/session/session.ts';
import type { GridRow } from '../../propose/sheet/grid.ts';
import type { OpenQuestion } from '../under-way/mapping-talk.ts';
import { option, sampleOf, samplesOf, searched, shortened } from './answer-options.ts';

type Review = Extract<DialogueQuestion, { readonly kind: 'review' }>;
type ReviewColumn = Review['columns'][number];

/** The id of a column's use, in the form's names. */
export function useOf({
  field,
  decides_rows: decides,
}: Pick<ReviewColumn, 'field' | 'decides_rows'>): string {
  if (field === null) return decides === true ? markedField : 'ignore';
  return [field].flat().join('+');
}

/** The open decisions of a person: the guesses in the table, then the questions that follow. */
function openIn({ columns, about }: Review, seen: SeenReading | null): readonly Html[] {
  const guesses = columns.flatMap((column, at) =>
    surenessAt(seen, column, at) === 'guess'
      ? [
          html`<li><a href="#use-${at}">Read "${shortened(column.column)}" as "${fieldsWord(about, useOf(column))}"?</a> <span class="soft">a guess, in the table</span></li>`,
        ]
      : [],
  );
  const next = (seen?.next ?? []).map(
    (one) => html`<li>${nextHeading(about, one)} <span class="soft">asked next</span></li>`,
  );
  return [...guesses, ...next];
}

/**
 * Whether a reading without open decisions is shown once more. Then the numbers come first, and the table is folded.
 */
export function isOnlyConfirmed({
  question,
  canGoBack,
  seen,
}: Pick<OpenQuestion, 'question' | 'canGoBack' | 'seen'>): boolean {
  if (question.kind !== 'review' || !canGoBack || question.forecast.pass === 0) return false;
  return openIn(question, seen).length === 0;
}

/** The open decisions of a person, then the expected results for the rows. */
export function reviewLead(question: Review, seen: SeenReading | null): Html {
  const { forecast, reasons } = question;
  const open = openIn(question, seen);
  // The answer to a question may cause another question.
  const mayBeMore = (seen?.next ?? []).length > 0;
  const isLost = forecast.pass === 0 && forecast.refused > 0;
  const lead =
    open.length === 0
      ? html`<p class="headline">${isLost ? 'No row would pass' : 'Nothing is left to decide'}</p>`
      : html`<p class="headline">${mayBeMore ? 'At least ' : null}${countOf(open.length, 'thing')} to decide</p><ol class="to-decide">${open}</ol>`;
  const why = reasons.length === 0 ? null : html` <a href="#refused">Why rows would be refused</a>`;
  return html`<section class="lead" aria-label="What there is to decide">${lead}
<p class="becomes">${forecastParts(forecast).join('; ')}.${why}</p></section>`;
}

function nextHeading(kind: string, question: NextQuestion): string {
  return questionHeading(question, (field) => fieldWord(kind, field));
}

function surenessAt(seen: SeenReading | null, column: ReviewColumn, at: number): Sureness {
  return seen?.columns[at]?.sureness ?? (column.field === null ? 'left_out' : 'sure');
}

/** The table of the review. Its choices are fields of its form. */
export function reviewFields(question: Review, seen: SeenReading | null): Html {
  const { columns, fields: choices, about } = question;
  const places = placesOf(columns, seen);
  const ids = choices.map(({ id }) => id);
  const titles = places.map(({ column, at }) =>
    column === null
      ? html`<th scope="col" class="left_out">(no title)</th>`
      : html`<th scope="col" class="${surenessAt(seen, column, at)}${isMoney(column) ? ' number' : ''}" id="column-${at}">${shortened(column.column)}</th>`,
  );
  const uses = places.map(({ column, at }) =>
    column === null ? html`<td class="left_out">not read</td>` : useCell(about, ids, column, at, seen),
  );
  const isPassed = question.forecast.pass > 0;
  const sent = places.map(({ column }) => (column === null ? html`<td></td>` : sentCell(column, isPassed)));
  // No value of an export is sent.
  const foot =
    isPassed && columns.every((column) => column.sent.length === 0)
      ? null
      : html`<tfoot><tr><th scope="row" class="line">would be sent</th>${sent}</tr></tfoot>`;
  const name = `The first lines of ${seen?.grid.sheet ?? 'the file'}, and how they are read`;
  return html`<div class="scroll seen" role="region" aria-label="${name}" tabindex="0"><table><caption class="visually-hidden">${name}</caption>
<thead><tr><th scope="col" class="line">Column</th>${titles}</tr>
<tr class="uses"><th scope="row" class="line">is read as</th>${uses}</tr></thead>
<tbody>${seen === null ? null : linesOf(seen, places)}</tbody>
${foot}</table></div>
<p class="hint">Columns that are read as the same field are joined by a blank, in the order of the file.</p>
${meaningsOf(about, choices)}`;
}

/** A column of the table: one of the review, or one of the file that has no title. */
interface Place {
  /** The column's place in the lines of the file. */
  readonly index: number;
  readonly column: ReviewColumn | null;
  /** The column's place among the columns of the review. */
  readonly at: number;
}

/** The last place up to which columns without a title are shown. */
const widest = 200;

function placesOf(columns: Review['columns'], seen: SeenReading | null): readonly Place[] {
  const titled = columns.map((column, at) => ({ index: seen?.columns[at]?.index ?? at, column, at }));
  const known = new Set(titled.map(({ index }) => index));
  const filled = new Set(
    (seen === null ? [] : shownLines(seen)).flatMap((line) =>
      line === null ? [] : line.cells.slice(0, widest).flatMap((cell, at) => (cell.trim() === '' ? [] : at)),
    ),
  );
  const others = [...filled]
    .filter((index) => !known.has(index))
    .map((index) => ({ index, column: null, at: -1 }));
  return [...titled, ...others].sort((left, right) => left.index - right.index);
}

/** Whether a column has amounts, which are aligned right. */
function isMoney({ field }: ReviewColumn): boolean {
  return field === 'amount';
}

const aboveShown = 4;
const belowShown = 6;
const leftOutShown = 3;

/**
 * The first lines of the file, then lines further below that are left out. Null marks lines in between that are not
 * shown.
 */
function shownLines({ grid, header, rows }: SeenReading): readonly (GridRow | null)[] {
  const [first = 1] = header;
  const last = header.at(-1) ?? first;
  const above = grid.rows.filter(({ number }) => number < first);
  const below = grid.rows.filter(({ number }) => number > last);
  const near = below.slice(0, belowShown);
  const far = below
    .slice(belowShown)
    .filter(({ number }) => !rows.has(number))
    .slice(0, leftOutShown);
  return [
    ...(above.length > aboveShown ? [...above.slice(0, aboveShown), null] : above),
    ...grid.rows.filter(({ number }) => header.includes(number)),
    ...near,
    ...far.flatMap((line, at) => {
      const before = far[at - 1] ?? near.at(-1);
      const isNext = before !== undefined && below.indexOf(line) === below.indexOf(before) + 1;
      return isNext ? [line] : [null, line];
    }),
    ...(below.length > near.length && far.at(-1) !== below.at(-1) ? [null] : []),
  ];
}

const cellCharacters = 32;

function linesOf(seen: SeenReading, places: readonly Place[]): readonly Html[] {
  const [first = 1] = seen.header;
  return shownLines(seen).map((line) => {
    if (line === null)
      return html`<tr class="gap"><th scope="row" class="line">…</th><td colspan="${places.length}"></td></tr>
`;
    const { number, cells } = line;
    // The titles of an export have no line number.
    const isHeader = seen.header.includes(number);
    const isRow = !isHeader && seen.rows.has(number);
    const [kind, mark] = isHeader
      ? ['header', 'header']
      : isRow
        ? ['row', null]
        : ['left_out', number < first ? 'above' : 'left out'];
    const texts = places.map(({ index, column }) => {
      const text = shortened(cells[index] ?? '', cellCharacters);
      if (column === null || column.field === null) return html`<td class="left_out">${text}</td>`;
      return isMoney(column) ? html`<td class="number">${text}</td>` : html`<td>${text}</td>`;
    });
    return html`<tr class="${kind}"><th scope="row" class="line">${number === 0 ? null : groupedNumber(number)}${mark === null ? null : html` <small>${mark}</small>`}</th>${texts}</tr>
`;
  });
}

const surenessWords = { sure: 'sure', guess: 'a guess', decided: 'as you said' } as const;

function useCell(
  kind: string,
  ids: readonly string[],
  column: ReviewColumn,
  at: number,
  seen: SeenReading | null,
): Html {
  const { field, repairs } = column;
  const sureness = surenessAt(seen, column, at);
  const chosen = useOf(column);
  const own =
    field === null
      ? null
      : html` <code>${chosen.split('+').map((name, place) => (place === 0 ? name : html` + ${name}`))}</code>`;
  const said =
    sureness === 'left_out'
      ? null
      : html`<small id="sure-${at}"><b>${surenessWords[sureness]}</b>${own}</small>`;
  const described = said === null ? null : html` aria-describedby="sure-${at}"`;
  const mended =
    repairs.length === 0 ? null : html`<small>Repaired: ${repairs.map(repairName).join(', ')}</small>`;
  return html`<td class="${sureness}"><select name="field.${at}" id="use-${at}" aria-labelledby="column-${at}"${described}${searched(ids.length)}>${fieldOptions(kind, ids, chosen)}</select>
${said}${mended}</td>`;
}

/** The options for a column: leaving it out, every field, and the combinations of fields to split it into. */
function fieldOptions(kind: string, ids: readonly string[], chosen: string): Html {
  const joined = usesOfSeveralFields.filter((use) => use.split('+').every((field) => ids.includes(field)));
  const known = [...ids, ...joined, 'ignore'];
  const groups = fieldGroups(
    kind,
    ids.filter((id) => id !== markedField),
  ).map(({ title, fields }) => {
    const further = joined.filter((use) => fields.some((field) => use.startsWith(`${field}+`)));
    const options = [...fields, ...further].map((id) => option(id, fieldsWord(kind, id), id === chosen));
    return title === null ? html`${options}` : html`<optgroup label="${title}">${options}</optgroup>`;
  });
  const marks = ids.includes(markedField)
    ? option(markedField, fieldsWord(kind, markedField), chosen === markedField)
    : null;
  const other = known.includes(chosen) ? null : option(chosen, fieldsWord(kind, chosen), true);
  return html`${option('ignore', 'Leave out', chosen === 'ignore')}${marks}${other}${groups}`;
}

const sentShown = 3;

/** Three values of a column as they would be sent, the rarest and most unusual first. The others are folded. */
function sentCell(column: ReviewColumn, isPassed: boolean): Html {
  const { field, sent } = column;
  if (field === null) return html`<td class="left_out">nothing</td>`;
  if (sent.length === 0) {
    const why = isPassed ? 'nothing: it is empty in the rows that pass' : 'nothing yet: no row passes';
    return html`<td class="left_out">${why}</td>`;
  }
  const first = rarestOf(sent, sentShown);
  const inRow = new Set(first.map(({ value }) => value));
  const others = sent.filter(({ value }) => !inRow.has(value));
  const more =
    others.length === 0
      ? null
      : html`<details><summary>${groupedNumber(others.length)} more</summary>${sentList(others)}</details>`;
  const own = isMoney(column) ? html` class="number"` : null;
  return html`<td${own}>${sentList(first)}${more}</td>`;
}

function sentList(sent: ReviewColumn['sent']): Html {
  return html`<ul>${sent.map(
    ({ value, sent: text, rows }) =>
      html`<li>${samplesOf([value])}${text === value ? null : html`→ ${sampleOf(text)}`}<span class="soft">${countOf(rows, 'row')}</span></li>`,
  )}</ul>`;
}

function meaningsOf(kind: string, choices: Review['fields']): Html | null {
  if (choices.length === 0) return null;
  const labels = new Map(choices.map(({ id, label }) => [id, label]));
  const ordered = fieldGroups(
    kind,
    choices.map(({ id }) => id),
  ).flatMap(({ fields }) => fields);
  return html`<details><summary>What the fields mean</summary><dl class="meanings">${ordered.map((id) => html`<div><dt>${fieldsWord(kind, id)} <code>${id}</code></dt><dd>${labels.get(id) ?? ''}</dd></div>`)}</dl></details>`;
}
