/* People who have a key of their own in the ledger. */

/** A maker prepares batches, an approver approves plans, an admin adds and locks users. */
const userRoles = ['maker', 'approver', 'admin'] as const;

export type UserRole = (typeof userRoles)[number];

/** A user with the one key that counts now. */
export interface UserRecord {
  readonly name: string;
  readonly role: UserRole;
  /** False for an approver whom neither the first policy names nor the approvers in office have approved. */
  readonly isActive: boolean;
  /** For good. */
  readonly isLocked: boolean;
  /** See `keyIdOf`. */
  readonly keyId: string;
  /** Ed25519, DER in the form SPKI. */
  readonly publicKey: Buffer;
}

const namePattern = /^[a-z0-9][a-z0-9._@-]{0,62}$/;

/** What a name has to be, as the end of a sentence. */
export const userNameRule =
  'has to be 1 to 63 small letters, digits, points, hyphens, underscores or at signs, and to begin with a letter or digit';

export function isUserName(text: string): boolean {
  return namePattern.test(text);
}

export function isUserRole(text: string): text is UserRole {
  return userRoles.some((role) => role === text);
}
