/** A temporary folder's owner: a process of some machine, or container. */
export interface FolderOwner {
  readonly host: string;
  readonly processId: number;
}

/** What the name of a temporary folder of ours begins with, so that what a killed process leaves can be told. */
export function temporaryPrefix({ host, processId }: FolderOwner): string {
  return `paybatch-${plainHost(host)}-${processId}-`;
}

/** Whose temporary folder it is; null for any other name. */
export function ownerOfFolder(name: string): FolderOwner | null {
  const [, host, processId] = /^paybatch-(\w+)-(\d{1,10})-\w{6}$/.exec(name) ?? [];
  return host === undefined ? null : { host, processId: Number(processId) };
}

/** A host's name as it stands in the names of folders. */
export function plainHost(host: string): string {
  return host.replaceAll(/\W/g, '_') || '_';
}
