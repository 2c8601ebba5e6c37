/* Text for a terminal: escaped, folded to its width, in tables and lists. */

import { styleText } from 'node:util';
import stringWidth from 'string-width';
import { stepText } from '../../account/next-steps.ts';
import { type Column, cellText, columnsOf, type Line, type Table } from '../../account/table.ts';
import type { NextStep } from '../../domain/batches/account.ts';
import type { Phrasebook } from '../../domain/failures/paybatch-error.ts';
import { countOf } from '../../domain/money/money.ts';
import type { ResultStatus } from '../../domain/rows/row-state.ts';
import type { Message } from '../../domain/settings/message.ts';
import { printable, showBreaks } from '../../domain/text/characters.ts';
import { terminalText } from '../options/options.ts';

/** Maximum width of text, for readability. Commands and paths are never broken, so that they can be copied. */
export const TEXT_COLUMNS = 100;

/** Matches only the sequences that `colourIf` writes. */
const ownColour = new RegExp(`(${String.fromCharCode(27)}\\[(?:1|22|31|32|33|39)m)`);
const unsafe = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}]/gu;

function safeCharacter(character: string): string {
  const shown = showBreaks(character);
  return shown === character ? '\uFFFD' : shown;
}

/**
 * Escapes output a second time; line breaks, tabs and paybatch's own colours are kept. Names from outside must already be
 * escaped (`printable`) where they are inserted, since a line break in a name would begin a line that looks like output of
 * paybatch.
 */
export function safeForTerminal(text: string, useColour: boolean): string {
  if (!useColour) return text.replace(unsafe, safeCharacter);
  return text
    .split(ownColour)
    .map((part) => (ownColour.test(part) ? part : part.replace(unsafe, safeCharacter)))
    .join('');
}

/**
 * JSON in which more characters are escaped than necessary, so that every terminal shows it as text. Its meaning is the
 * same.
 */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(/[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(''),
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

/** Number of terminal columns of a text. East Asian characters and emoji need two columns, combining accents none. */
export function textWidth(text: string): number {
  return stringWidth(text);
}

/**
 * Breaks a text between words; each line begins with `indent`. A word that is longer than a line is not broken.
 * @param terminalColumns lines have at most 100 columns, even on wider terminals
 */
export function wrapped(text: string, indent: string, terminalColumns = TEXT_COLUMNS): string[] {
  const columns = Math.min(terminalColumns, TEXT_COLUMNS);
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(/\s+/)) {
    if (line !== indent && textWidth(line) + 1 + textWidth(word) > columns) {
      lines.push(line);
      line = indent;
    }
    line += line === indent ? word : ` ${word}`;
  }
  return [...lines, line];
}

/**
 * Sentences, broken between words if the terminal is narrower. Commands are not broken, so that they can be copied, and
 * neither are lines of tables.
 */
export function folded(text: string, terminalColumns: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const isFixed = /\bpaybatch [a-z]|\S {2,}\S/.test(line);
      if (isFixed || textWidth(line) <= terminalColumns) return [line];
      return wrapped(line.trim(), /^ */.exec(line)?.[0] ?? '', terminalColumns);
    })
    .join('\n');
}

/** Cuts a text to at most `columns` columns; an ellipsis marks the cut. */
export function shortened(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let kept = '';
  let width = 1;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += textWidth(segment);
    if (width > columns) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Pads a text with blanks to `columns` columns: after the text, or before it for figures. */
export function padded(text: string, columns: number, isFigure = false): string {
  const padding = ' '.repeat(Math.max(0, columns - textWidth(text)));
  return isFigure ? padding + text : text + padding;
}

export type Style = Parameters<typeof styleText>[0];

export type Colour = (style: Style, text: string) => string;

/** Adds colours. Only the caller decides whether to use colours; the stream is not checked. */
export function colourIf(useColour: boolean): Colour {
  return useColour
    ? (style, text) => styleText(style, text, { validateStream: false })
    : (_style, text) => text;
}

/** The colour of a status: green if nothing is left to do, red for an error, yellow if work has to continue. */
export function statusColour(status: ResultStatus): Style {
  switch (status) {
    case 'created':
    case 'existing':
      return 'green';
    case 'invalid':
    case 'rejected':
      return 'red';
    default:
      return 'yellow';
  }
}

/** One column of a table on a terminal. */
export interface AlignedColumn {
  readonly title: string;
  /** Whether the column contains figures, which are right-aligned. Words are left-aligned. */
  readonly isFigure?: boolean;
  /** Whether the column shrinks if the table would be wider than the terminal. */
  readonly mayShrink?: boolean;
}

const GAP = '  ';
const LEAST_CHARACTERS = 12;

/**
 * Aligned lines under a line of titles, at most `terminalColumns` wide if a column may shrink.
 * @param records one text for each column; text from outside is escaped here
 */
export function alignedTable(
  columns: readonly AlignedColumn[],
  records: readonly (readonly string[])[],
  colour: Colour,
  indent = '  ',
  terminalColumns = TEXT_COLUMNS,
): string[] {
  const safe = [columns.map(({ title }) => title), ...records.map((record) => record.map(printable))];
  const widths = columns.map((_, at) => Math.max(...safe.map((record) => textWidth(record[at] ?? ''))));
  const total = widths.reduce((sum, width) => sum + width, indent.length + GAP.length * (columns.length - 1));
  const shrinking = columns.findIndex(({ mayShrink }) => mayShrink);
  const full = widths[shrinking];
  if (full !== undefined && total > terminalColumns) {
    widths[shrinking] = Math.max(full - (total - terminalColumns), Math.min(full, LEAST_CHARACTERS));
  }
  const [titles = '', ...lines] = safe.map((record) => lineOf(columns, widths, record, indent));
  return [colour('bold', titles), ...lines];
}

function lineOf(
  columns: readonly AlignedColumn[],
  widths: readonly number[],
  record: readonly string[],
  indent: string,
): string {
  const cells = columns.map(({ isFigure }, at) => {
    const width = widths[at] ?? 0;
    return padded(shortened(record[at] ?? '', width), width, isFigure);
  });
  return (indent + cells.join(GAP)).trimEnd();
}

/** The notes on a file, for a terminal; no lines without notes. */
export function noteLines(notes: readonly Message[]): string[] {
  if (notes.length === 0) return [];
  return ['  Worth knowing', ...notes.flatMap((note) => wrapped(printable(terminalText(note)), '    '))];
}

/** A step for a terminal: its reason, and the command, which is never broken. */
export function stepLines(
  step: NextStep,
  words: Phrasebook,
  colour: Colour,
  terminalColumns?: number,
): string[] {
  return [
    ...wrapped(stepText(step), '  ', terminalColumns),
    `    ${colour('bold', printable(words.remedy(step.remedy)))}`,
  ];
}

/** Blocks of lines, with an empty line between them; without a newline at the end. */
export function blocksOf(blocks: readonly (readonly string[])[]): string {
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n');
}

/** A line with name and path for each written file; no line for files that do not exist. */
export function fileNames(
  named: readonly (readonly [name: string, path: string | null | undefined])[],
  nameWidth: number,
): string[] {
  return named.flatMap(([name, path]) =>
    path === null || path === undefined ? [] : [`  ${name.padEnd(nameWidth)}  ${printable(path)}`],
  );
}

/* Tables on a terminal. */

interface TableLineOptions {
  readonly terminalColumns?: number | undefined;
  /** Maximum of lines that are shown, followed by the number of further lines; all lines when absent. */
  readonly most?: number;
}

/** A table on a terminal: aligned lines under its titles, and the total below. Empty for an empty table. */
export function tableLines(
  table: Table,
  colour: Colour,
  { terminalColumns = TEXT_COLUMNS, most = Number.POSITIVE_INFINITY }: TableLineOptions = {},
): string[] {
  if (table.rows.length === 0) return [];
  const columns = columnsOf(table);
  const shown = table.rows.slice(0, most);
  const totals = table.totals ?? [];
  const places = columns.flatMap(({ kind }, place) =>
    kind !== 'actions' && [...table.rows, ...totals].some((line) => isFilled(line, place)) ? [place] : [],
  );
  const left = table.rows.length - shown.length;
  const more = left === 0 ? [] : [[`and ${countOf(left, 'more line')}`]];
  const text = (line: Line): string[] => places.map((place) => cellText(line[place] ?? null));
  const [titles = '', ...lines] = alignedTable(
    places.flatMap((place) => columns[place] ?? []).map(alignedColumn),
    [...shown.map(text), ...more, ...totals.map(text)],
    colour,
    '  ',
    terminalColumns,
  );
  return [titles, ...lines.map((line, at) => withStatusColour(line, shown[at], colour))];
}

/** The same table under its title. */
export function titledTable(table: Table, colour: Colour, options: TableLineOptions = {}): string[] {
  const lines = tableLines(table, colour, options);
  return lines.length === 0 ? [] : [`  ${colour('bold', table.title)}`, ...lines];
}

function isFilled(line: Line, place: number): boolean {
  return (line[place] ?? '') !== '';
}

function alignedColumn({ title, kind, mayShrink = false }: Column): AlignedColumn {
  return { title: title.toLowerCase(), isFigure: kind === 'figure', mayShrink };
}

/** Colours the status at the beginning of a line. */
function withStatusColour(line: string, cells: Line | undefined, colour: Colour): string {
  const first = cells?.[0] ?? null;
  if (first === null || typeof first !== 'object' || !('status' in first)) return line;
  return line.replace(cellText(first), (label) => colour(statusColour(first.status), label));
}
