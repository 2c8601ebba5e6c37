import type { DoorWords } from '../../domain/failures/remedy.ts';
import type { CheckResult } from '../../engine/doctor/checks.ts';
import { printable } from '../../output/words/wording.ts';
import { inOptions, nextOfRemedies } from '../remedies/remedy-text.ts';
import { type Colour, colourIf, type Style, wrapped } from './terminal-text.ts';

const styles: Readonly<Record<CheckResult['level'], Style>> = {
  ok: 'green',
  warning: 'yellow',
  problem: 'red',
};

/** The results line by line, with what to do next below those that are not in order. */
export function checkList(results: readonly CheckResult[], words: DoorWords, useColour: boolean): string {
  const colour = colourIf(useColour);
  const width = Math.max(0, ...results.map(({ what }) => what.length));
  return results.flatMap((result) => linesOf(result, words, width, colour)).join('\n');
}

function linesOf(
  { level, what, finding, remedies }: CheckResult,
  words: DoorWords,
  width: number,
  colour: Colour,
): string[] {
  const indent = ' '.repeat('problem'.length + width + 4);
  const [first = '', ...others] = wrapped(printable(inOptions(finding)), indent);
  const head = `${colour(styles[level], level.padEnd('problem'.length))}  ${what.padEnd(width)}  `;
  const next = nextOfRemedies(remedies, words);
  const advice = next === null ? [] : [`${indent}next: ${colour('bold', printable(next))}`];
  return [head + first.slice(indent.length), ...others, ...advice];
}
