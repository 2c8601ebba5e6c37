/* Names of temporary files that tell which process they belong to. */

/** The owner of a temporary file or folder: a process of some machine, or container. */
export interface TemporaryOwner {
  readonly host: string;
  readonly processId: number;
}

/** What the name of a temporary folder of ours begins with, so that what a killed process leaves can be told. */
export function temporaryPrefix({ host, processId }: TemporaryOwner): string {
  return `paybatch-${plainHost(host)}-${processId}-`;
}

/**
 * The name of a file while it is written, beside the one that it replaces: hidden, and short whatever that is called.
 * @param random six letters or digits
 */
export function temporaryFileName(owner: TemporaryOwner, random: string): string {
  return `.${temporaryPrefix(owner)}${random}.tmp`;
}

/** Whose temporary file or folder it is; null for any other name. */
export function ownerOfTemporary(name: string): TemporaryOwner | null {
  const [, ofFolder, ofFile] = /^(?:(paybatch-.*)|\.(paybatch-.*)\.tmp)$/.exec(name) ?? [];
  const [, host, processId] = /^paybatch-(\w+)-(\d{1,10})-\w{6}$/.exec(ofFolder ?? ofFile ?? '') ?? [];
  return host === undefined ? null : { host, processId: Number(processId) };
}

/** A host's name as it stands in the names of temporary files and folders. */
export function plainHost(host: string): string {
  return host.replaceAll(/\W/g, '_') || '_';
}
