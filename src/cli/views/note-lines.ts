import { printable } from '../../output/words/wording.ts';
import { inOptions } from '../remedies/remedy-text.ts';
import { wrapped } from './terminal-text.ts';

/** What is worth knowing about a file, for a terminal; no lines where there is nothing. */
export function noteLines(notes: readonly string[]): string[] {
  if (notes.length === 0) return [];
  return ['  Worth knowing', ...notes.flatMap((note) => wrapped(printable(inOptions(note)), '    '))];
}
