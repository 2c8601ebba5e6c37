/* Formats how a file is read, and the remembered mappings. */

import { forecastParts, namedField } from '../../account/words/mapping-words.ts';
import { groupedNumber } from '../../domain/money/money.ts';
import type { Message } from '../../domain/settings/message.ts';
import { printable } from '../../domain/text/characters.ts';
import type { ShownMapping } from '../../engine/mapping.ts';
import { markedField } from '../../propose/decisions.ts';
import { terminalText } from '../options/options.ts';
import { alignedTable, type Colour, colourIf, shortened, textWidth, wrapped } from './terminal-text.ts';

/** Formats how a file would be read, for a terminal. */

/** A reading of a file, for people. */
interface ReadingView {
  /** The kind of the rows, which determines the words for their fields. */
  readonly about: string;
  readonly columns: readonly {
    readonly column: string;
    /** One field, several if the column is split, or null if it is left out. */
    readonly field: string | readonly string[] | null;
    /** Whether its values decide which rows are sent. */
    readonly decides_rows?: true;
    readonly samples: readonly string[];
    /** The repairs that make its values readable. */
    readonly repairs: readonly string[];
    /** Its values as they would be sent; absent if they are not known. */
    readonly sent?: readonly { readonly value: string; readonly sent: string; readonly rows: number }[];
  }[];
  readonly forecast: { readonly pass: number; readonly refused: number; readonly left_out: number };
  readonly reasons: readonly {
    readonly column: string | null;
    readonly rows: number;
    readonly example_row: number;
    readonly message: Message;
  }[];
  /** The decisions that a person has to make, in sentences. */
  readonly open: readonly string[];
}

const sampleCharacters = 22;

const titleCharacters = 34;

const leastTitle = 12;
const leastSample = 12;
/** Number of blanks before and between three columns. */
const gaps = 6;

const reasonsShown = 8;

/** The columns with their fields, and the forecast for the rows. */
export function readingTable(view: ReadingView, useColour: boolean, terminalColumns = 100): string {
  const colour = colourIf(useColour);
  const sections = [
    columnLines(view, colour, terminalColumns),
    sentLines(view, terminalColumns),
    [forecastSentence(view.forecast, colour)],
    reasonLines(view, terminalColumns),
    view.open.flatMap((sentence) => wrapped(`? ${printable(sentence)}`, '    ', terminalColumns)),
  ];
  return sections
    .filter(({ length }) => length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function columnLines({ about, columns }: ReadingView, colour: Colour, terminalColumns: number): string[] {
  const uses = columns.map((column) => useOf(about, column) + repairsOf(column.repairs));
  // Titles are shortened before field names, since a person uses these names to change how a column is read.
  const left = terminalColumns - gaps - leastSample - Math.max(0, ...uses.map(textWidth));
  const mostTitle = Math.max(leastTitle, Math.min(titleCharacters, left));
  const records = columns.map(({ column, samples }, at) => [
    shortened(column, mostTitle),
    uses[at] ?? '',
    samples.map((sample) => shortened(sample, sampleCharacters)).join('   '),
  ]);
  const hasSamples = columns.some(({ samples }) => samples.length > 0);
  const all = [{ title: 'Column' }, { title: 'is read as' }, { title: 'for example', mayShrink: true }];
  const titles = hasSamples ? all : all.slice(0, 2);
  const shown = hasSamples ? records : records.map((record) => record.slice(0, 2));
  return alignedTable(titles, shown, colour, '  ', terminalColumns);
}

/** `first name (first_name) + last name (last_name)`. */
function useOf(kind: string, { field, decides_rows: decides }: ReadingView['columns'][number]): string {
  if (field === null) return decides === true ? namedField(kind, markedField) : 'left out';
  return [field]
    .flat()
    .map((name) => namedField(kind, name))
    .join(' + ');
}

/** The values of each column as they would be sent: `Bank: KCB → KCB Bank Kenya (12)`. */
function sentLines({ columns }: ReadingView, terminalColumns: number): string[] {
  const lines = columns.flatMap(({ column, sent = [] }) => {
    const values = sent.map(({ value, sent: text, rows }) => {
      const before = shortened(printable(value), sampleCharacters);
      const meant = text === value ? '' : ` → ${text === '' ? '(empty)' : printable(text)}`;
      return `${before}${meant}${rows === 1 ? '' : ` (${groupedNumber(rows)})`}`;
    });
    if (values.length === 0) return [];
    const title = shortened(printable(column), titleCharacters);
    return wrapped(`${title}: ${values.join(', ')}`, '    ', terminalColumns);
  });
  return lines.length === 0 ? [] : ['  As they would be sent:', ...lines];
}

function repairsOf(repairs: readonly string[]): string {
  return repairs.length === 0 ? '' : `; ${repairs.map((name) => name.replaceAll('_', ' ')).join(', ')}`;
}

/** `591 of 612 rows would pass; 9 are refused; 12 are no rows.` */
export function forecastSentence(forecast: ReadingView['forecast'], colour: Colour): string {
  const [first = '', ...others] = forecastParts(forecast);
  const parts = [colour(forecast.refused === 0 ? 'green' : 'bold', first), ...others];
  return `  ${parts.join('; ')}.`;
}

function reasonLines({ reasons }: ReadingView, terminalColumns: number): string[] {
  const shown = reasons.slice(0, reasonsShown);
  const width = Math.max(0, ...shown.map(({ rows }) => groupedNumber(rows).length));
  return shown.flatMap(({ rows, column, message, example_row: row }) => {
    const place = column === null ? '' : `${printable(column)}: `;
    const example = row === 0 ? '' : ` (row ${row})`;
    const indent = ' '.repeat(width + 6);
    const [first = '', ...others] = wrapped(
      `${place}${printable(terminalText(message))}${example}`,
      indent,
      terminalColumns,
    );
    return [`    ${groupedNumber(rows).padStart(width)}  ${first.slice(indent.length)}`, ...others];
  });
}

/** The remembered mappings for a terminal, the newest first. */
export function rememberedTable(
  mappings: readonly ShownMapping[],
  useColour: boolean,
  terminalColumns?: number,
): string {
  if (mappings.length === 0) return 'No mapping is remembered.';
  const records = mappings.map(({ name, kind, header, rememberedAt, mapping }) => [
    ...[name, kind ?? 'export', ('sheet' in mapping && mapping.sheet) || '', rememberedAt.slice(0, 10)],
    header.filter((title) => title !== '').join(', '),
  ]);
  const columns = [
    { title: 'name' },
    { title: 'kind' },
    { title: 'sheet' },
    { title: 'since' },
    { title: 'header', mayShrink: true },
  ];
  return alignedTable(columns, records, colourIf(useColour), '', terminalColumns).join('\n');
}
