/* What `doctor` has found, line by line. */

import { checkText } from '../../account/words/check-text.ts';
import { printable } from '../../account/words/wording.ts';
import { type DoorWords, remediesOf } from '../../domain/failures/remedy.ts';
import type { Check } from '../../domain/machine/checks.ts';
import { inOptions, nextOfRemedies } from '../remedies/remedy-text.ts';
import { type Colour, colourIf, type Style, wrapped } from './terminal-text.ts';

const styles: Readonly<Record<Check['level'], Style>> = {
  ok: 'green',
  warning: 'yellow',
  problem: 'red',
};

/** The checks line by line, with what to do next below those that are not in order. */
export function checkList(
  checks: readonly Omit<Check, 'outcome'>[],
  words: DoorWords,
  useColour: boolean,
): string {
  const colour = colourIf(useColour);
  const lines = checks.map((check) => checkLine(check, words));
  const width = Math.max(0, ...lines.map(({ what }) => what.length));
  return lines.flatMap((line) => linesOf(line, width, colour)).join('\n');
}

/** A check in words. Names from outside stand in it as they came. */
interface CheckLine {
  readonly level: Check['level'];
  /** What was looked at, in a word or two: `database`. */
  readonly what: string;
  /** What was found, as a sentence without its full stop. */
  readonly finding: string;
  /** What helps; null when all is well. */
  readonly next: string | null;
}

export function checkLine({ level, what, finding }: Omit<Check, 'outcome'>, words: DoorWords): CheckLine {
  const [text, remedies = null] = checkText(finding);
  return { level, what, finding: inOptions(text), next: nextOfRemedies(remediesOf(remedies), words) };
}

function linesOf({ level, what, finding, next }: CheckLine, width: number, colour: Colour): string[] {
  const indent = ' '.repeat('problem'.length + width + 4);
  const [first = '', ...others] = wrapped(printable(finding), indent);
  const head = `${colour(styles[level], level.padEnd('problem'.length))}  ${what.padEnd(width)}  `;
  const advice = next === null ? [] : [`${indent}next: ${colour('bold', printable(next))}`];
  return [head + first.slice(indent.length), ...others, ...advice];
}
