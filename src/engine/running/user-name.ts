import { userInfo } from 'node:os';

/** Who gives a verdict or makes a reconciliation: the user of the operating system. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under an id that no name belongs to.
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
