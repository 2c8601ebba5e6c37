/* Where the audit trail stood, for whoever keeps it outside of the database. */

/** The last event of a chain of the audit trail. Kept elsewhere, it shows later that events were removed or rewritten. */
export interface AuditHead {
  readonly number: number;
  /** SHA-256, in hex. */
  readonly hash: string;
}
