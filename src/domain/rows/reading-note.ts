const beginning = 'read as ';

/** What is noted about a value that was written in another form than the one that is sent. */
export function readingNote(value: string): string {
  return `${beginning}${value}`;
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
