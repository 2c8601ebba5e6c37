const beginning = 'read as ';

/** What is noted about a value that was written in another form than the one that is sent. */
export function readingNote(value: string): string {
  return `${beginning}${value}`;
}

/** Whether a note says only that a value was written in another form. */
export function isReadingNote(note: string): boolean {
  return note.startsWith(beginning);
}

/** What is noted about a cell that was mended as a person has agreed to; it holds no value. */
export function repairNote(title: string, repaired: string): string {
  return `repaired ${title}: ${repaired}`;
}

/**
 * A note for a summary, where what single rows were read as is counted by column: `read in another form: Phone`
 * for `read as +254712345678: Phone`. It holds no value then.
 */
export function summaryOfNote(note: string): string {
  if (!note.startsWith(beginning)) return note;
  const title = /: (?<title>[^:]*)$/.exec(note)?.groups?.['title'];
  return title === undefined ? 'read in another form' : `read in another form: ${title}`;
}
