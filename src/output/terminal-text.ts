import { styleText } from 'node:util';
import type { ResultStatus } from '../domain/row-state.ts';

/** Wider than this, text is hard to read; commands and paths are never broken, so that they can be copied. */
export const TEXT_COLUMNS = 100;

/** Text from outside without what could move the cursor, change colours or turn its direction round. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\uFFFD');
}

/** Breaks a text between words; each line begins with `indent`. A longer word stays whole. */
export function wrapped(text: string, indent: string): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(/\s+/)) {
    if (line !== indent && line.length + 1 + word.length > TEXT_COLUMNS) {
      lines.push(line);
      line = indent;
    }
    line += line === indent ? word : ` ${word}`;
  }
  return [...lines, line];
}

/** At most `columns` characters; what is left out shows as an ellipsis. */
export function shortened(text: string, columns: number): string {
  const characters = Array.from(text);
  return characters.length <= columns ? text : `${characters.slice(0, columns - 1).join('')}…`;
}

export type Style = Parameters<typeof styleText>[0];

export type Colour = (style: Style, text: string) => string;

/** Whether to colour is the caller's decision alone, whatever stream the text goes to. */
export function colourIf(useColour: boolean): Colour {
  return useColour
    ? (style, text) => styleText(style, text, { validateStream: false })
    : (_style, text) => text;
}

/** Green where nothing is left to do, red where something is wrong, yellow where something has to go on. */
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
