import { printable } from '../words/printable.ts';
import { type Colour, colourIf, padded, type Style, shortened, textWidth, wrapped } from './terminal-text.ts';

/** One column of a file, and what it is proposed to mean. */
export interface ProposedColumn {
  readonly title: string;
  /** Null for a column that is left out or open. */
  readonly field: string | null;
  readonly certainty: 'sure' | 'likely' | 'open';
  readonly why: string;
}

const TITLE_CHARACTERS = 28;

const certainties: Readonly<Record<ProposedColumn['certainty'], { word: string; style: Style }>> = {
  sure: { word: 'sure', style: 'green' },
  likely: { word: 'likely', style: 'yellow' },
  open: { word: 'to decide', style: 'red' },
};

/** A proposed mapping for a terminal: each column with what it means and why, and what else is open. */
export function mappingTable(
  proposal: {
    readonly columns: readonly ProposedColumn[];
    /** How values are written, in sentences. */
    readonly readings: readonly string[];
    readonly open: readonly string[];
  },
  useColour: boolean,
): string {
  const colour = colourIf(useColour);
  const readings = marked(proposal.readings, colour('yellow', '!'));
  const open = marked(proposal.open, colour('red', '?'));
  const sections = [columnLines(proposal.columns, colour), readings, open].filter(({ length }) => length > 0);
  return sections.map((lines) => lines.join('\n')).join('\n\n');
}

function marked(sentences: readonly string[], mark: string): string[] {
  return sentences.flatMap((sentence) => {
    const [first = '', ...others] = wrapped(printable(sentence), '    ');
    return [`  ${mark}${first.slice(3)}`, ...others];
  });
}

function columnLines(columns: readonly ProposedColumn[], colour: Colour): string[] {
  const rows = columns.map(({ title, field, certainty, why }) => ({
    title: shortened(printable(title === '' ? '(no name)' : title), TITLE_CHARACTERS),
    field: field ?? (certainty === 'open' ? '?' : 'left out'),
    certainty,
    why: printable(why),
  }));
  const width = (texts: readonly string[]): number => Math.max(0, ...texts.map(textWidth));
  const titleWidth = width(rows.map(({ title }) => title));
  const fieldWidth = width(rows.map(({ field }) => field));
  const wordWidth = width(rows.map(({ certainty }) => certainties[certainty].word));
  return rows.flatMap(({ title, field, certainty, why }) => {
    const { word, style } = certainties[certainty];
    const place = `  ${padded(title, titleWidth)}  →  ${field.padEnd(fieldWidth)}  `;
    const indent = ' '.repeat(textWidth(place) + wordWidth + 2);
    const [first = '', ...others] = wrapped(why, indent);
    return [`${place}${colour(style, word.padEnd(wordWidth))}  ${first.slice(indent.length)}`, ...others];
  });
}
