/* The command that helps, as a shell takes it. */

/** Gives the options that a next command needs besides its own words. */
export type OptionsOf = (command: NextCommand) => readonly string[];

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
  /** Another command that helps in another way; said behind it. */
  readonly or?: NextCommand;
  /** Of the batch that it is about, where it is about one. */
  readonly environment?: { readonly mode: 'sandbox' | 'live'; readonly origin: string };
}

/** The advice as a sentence, with the options that each of its commands needs. */
export function adviceText(
  command: NextCommand,
  optionsOf: (command: NextCommand) => readonly string[] = () => [],
): string {
  const { before = '', words, after = '', or } = command;
  const line = ['paybatch', ...words, ...optionsOf(command)].map(shellWord).join(' ');
  const other = or === undefined ? '' : `; ${adviceText(or, optionsOf)}`;
  return `${before}${line}${after}${other}`;
}

/** What stands for a file whose path nobody knows. */
export const someFile = 'FILE';

const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * An argument as a POSIX shell takes it for one word. What a terminal would act on is escaped in the way that
 * bash, ksh and zsh read.
 */
export function shellWord(text: string): string {
  if (unprintable.test(text)) {
    const escaped = text.replace(/['\\]/g, '\\$&').replace(new RegExp(unprintable, 'gu'), escapedByte);
    return `$'${escaped}'`;
  }
  return /^[\p{L}\p{N}_./:=@%+,-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Byte by byte, which every one of those shells understands, whatever its locale. */
function escapedByte(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}
