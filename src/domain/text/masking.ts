import { isAtMost } from './characters.ts';

const shownCharacters = 255;

/** The value with all but its last characters hidden: at most four are shown, and never more than a third. */
export function mask(value: string): string {
  const characters = Array.from(value);
  const visible = Math.min(4, Math.floor(characters.length / 3));
  return `“…${visible === 0 ? '' : characters.slice(-visible).join('')}”`;
}

/**
 * A message with the whole value where it shows only the end of it: for files that nobody but their owner may read,
 * where the value stands anyway.
 * @param value the cell that the message is about
 */
export function unmasked(message: string, value: string): string {
  const text = value.trim();
  if (text === '' || !isAtMost(text, shownCharacters)) return message;
  // Checks look at some values without the signs that only make them readable.
  const compact = text.replace(/[\s\p{Pd}.()]/gu, '');
  return [text, compact, compact.toUpperCase()].reduce(
    (shown, form) => (form === '' ? shown : shown.replaceAll(mask(form), () => `“${text}”`)),
    message,
  );
}
