import type { Environment } from '../batches/environment.ts';
import { shellWord } from '../text/shell-word.ts';

/**
 * A command that helps, as far as it is known where something fails. The options that it needs besides, so that it
 * works as it is printed, only the caller knows.
 */
export interface NextCommand {
  /** Said before it: `look at it again: `. */
  readonly before?: string;
  /** Behind `paybatch`, not quoted: the command's name, its arguments, and options that belong to it alone. */
  readonly words: readonly string[];
  /** Said behind it: ` lists the batches`. */
  readonly after?: string;
  /** Which options of the call it needs again: those of its API, ledger and folders, and those of reading files. */
  readonly needs: 'no_options' | 'place' | 'place_and_reading';
  /** Of the batch that it is about, where it is about one. */
  readonly environment?: Environment;
}

/** The advice as a sentence, with the options given. */
export function adviceText(
  { before = '', words, after = '' }: NextCommand,
  options: readonly string[] = [],
): string {
  return `${before}${['paybatch', ...words, ...options].map(shellWord).join(' ')}${after}`;
}

/** What stands for a file whose path nobody knows. */
export const someFile = 'FILE';
