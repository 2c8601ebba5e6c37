/* Folders of the machine as pages name them: where something is kept there is nobody's business. */

/** A folder that the console writes to. */
export interface OwnFolder {
  /** Absolute. */
  readonly path: string;
  /** What it is, as it stands in a sentence. */
  readonly name: string;
}

/** A sentence in which files of these folders stand without the way to them, and the folders as what they are. */
export function withoutFolders(text: string, folders: readonly OwnFolder[]): string {
  // One may be within another.
  const ordered = [...folders].sort((one, other) => other.path.length - one.path.length);
  return ordered.reduce((told, { path, name }) => {
    const own = path.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    const before = new RegExp(`${own}(?:[/\\\\][^/\\\\\\s"']+)*[/\\\\](?=[^\\s"'])`, 'g');
    return told.replace(before, '').replace(new RegExp(`${own}(?![\\w-])`, 'g'), name);
  }, text);
}
