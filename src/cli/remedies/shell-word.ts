/* How a POSIX shell takes words. */

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

/** A command line of ours, of words that may hold anything. */
export function commandLine(words: readonly string[]): string {
  return ['paybatch', ...words].map(shellWord).join(' ');
}
