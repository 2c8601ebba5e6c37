/* The choice of what separates the columns of a CSV file, and of its encoding, above the first rows of the file. */

import { readFileSync } from 'node:fs';
import { type Html, html } from '../../account/report/page.ts';
import type { Grid, ReadDialect } from '../../propose/session/session.ts';
import type { OpenQuestion } from '../under-way/mapping-talk.ts';
import { option } from './answer-options.ts';
import { type Frame, form } from './layout.ts';

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
