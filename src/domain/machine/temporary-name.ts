/* Names of temporary files that contain the process to which they belong. */

/** The owner of a temporary file or folder: a process of a machine or container. */
export interface TemporaryOwner {
  readonly host: string;
  readonly processId: number;
}

/** The prefix of paybatch's own temporary folders, by which the folders of a killed process can be recognised. */
export function temporaryPrefix({ host, processId }: TemporaryOwner): string {
  return `paybatch-${plainHost(host)}-${processId}-`;
}

/**
 * The name of a file while it is written, next to the file that it replaces. It is hidden, and short whatever the other
 * file's name is.
 * @param random six letters or digits
 */
export function temporaryFileName(owner: TemporaryOwner, random: string): string {
  return `.${temporaryPrefix(owner)}${random}.tmp`;
}

/** The owner of a temporary file or folder; null for any other name. */
export function ownerOfTemporary(name: string): TemporaryOwner | null {
  const [, ofFolder, ofFile] = /^(?:(paybatch-.*)|\.(paybatch-.*)\.tmp)$/.exec(name) ?? [];
  const [, host, processId] = /^paybatch-(\w+)-(\d{1,10})-\w{6}$/.exec(ofFolder ?? ofFile ?? '') ?? [];
  return host === undefined ? null : { host, processId: Number(processId) };
}

/** A host's name in the form that is used in names of temporary files and folders. */
export function plainHost(host: string): string {
  return host.replaceAll(/\W/g, '_') || '_';
}
