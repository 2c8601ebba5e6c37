/* Where a batch stands with the approvals that the policy in force asks for. */

/** An approval that counts now. Times are ISO 8601 in UTC, by the database's clock. */
export interface GivenApproval {
  readonly by: string;
  readonly at: string;
  readonly planHash: string;
}

/** What the policy asks of a batch, and what it has. A batch of which no policy asks anything has no standing. */
export interface ApprovalStanding {
  /** Version of the policy in force. */
  readonly policy: number;
  /** How many different approvers have to approve one plan. */
  readonly needed: number;
  /** The approvals that count now, oldest first. Two approvers may have approved different plans. */
  readonly given: readonly GivenApproval[];
  /** Id of the approval under which rows may be claimed; null while the batch waits for approvals. */
  readonly inForce: string | null;
  /** Until when it is in force; null while the batch waits for approvals. */
  readonly until: string | null;
  /** The last decision, if it was a rejection. */
  readonly rejected: { readonly by: string; readonly at: string; readonly note: string } | null;
  /** Names of those who may approve: active approvers, without the makers of the batch unless the policy allows them. */
  readonly mayApprove: readonly string[];
  /** Whether it may be approved at the console. */
  readonly takesConsole: boolean;
  /** Of the plan that was shown last; null where none was. */
  readonly planHash: string | null;
  /** Changes whenever a person decides that a row is sent. A whole number as text. */
  readonly contentRevision: string;
}

/** Whether no row of the batch may be claimed until somebody approves. */
export function waitsForApproval(
  standing: ApprovalStanding | null | undefined,
): standing is ApprovalStanding {
  return standing !== null && standing !== undefined && standing.inForce === null;
}
