import type { DoorWords } from '../../domain/failures/remedy.ts';
import type { NextStep } from '../../output/words/next-steps.ts';
import { printable } from '../../output/words/wording.ts';
import { type Colour, wrapped } from './terminal-text.ts';

/** A step for a terminal: its reason, and the command, which is never broken. */
export function stepLines(
  step: NextStep,
  words: DoorWords,
  colour: Colour,
  terminalColumns?: number,
): string[] {
  return [
    ...wrapped(step.why, '  ', terminalColumns),
    `    ${colour('bold', printable(words.remedy(step.remedy)))}`,
  ];
}
