/* What the policy in force allows each batch. Reads the approvals of the batches, and verifies every signature. */

import { type BatchRecord, type LeasedBatch, shortBatchId } from '../../domain/batches/batch.ts';
import type { ApprovalStanding } from '../../domain/batches/batch-facts.ts';
import { type Policy, policyInForceOf, takesConsole, unsoundControl } from '../../domain/controls/policy.ts';
import { signedAt, verifyApprovals } from '../../domain/controls/statement.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { ApprovalBehind } from '../../ledger/before-sending/approvals.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import type { SignedContent } from '../approvals.ts';

/** A batch whose rows are claimed under an approval. */
export interface ApprovedBatch {
  readonly approvalId: string;
  readonly approved: SignedContent;
}

/** What the policy allows a batch: its rows are claimed under an approval, or the batch waits for one. */
type Permission = ApprovedBatch | { readonly approvalId: null; readonly waiting: ApprovalStanding };

/** By batch id. A batch for which the policy requires nothing has no entry. */
export type Permissions = ReadonlyMap<string, Permission>;

/**
 * Returns what the policy in force allows leased batches. The ledger itself refuses a claim without an approval. This
 * function also verifies the signatures, which a database cannot do. A batch with nothing to send needs no approval, unless
 * final rows are to be sent.
 * @throws PaybatchError (`approval_invalid`) when the signature of an approval, of the policy or of an approver's
 *   appointment is missing or does not match
 */
export async function readPermissions(
  verbs: LedgerVerbs,
  held: readonly LeasedBatch[],
  sendsFinalRows = false,
): Promise<Permissions> {
  const policy = await requireSoundControls(verbs);
  const standings = await verbs.readApprovals(held.map(({ batch }) => batch.id));
  const permissions = new Map<string, Permission>();
  for (const { batch } of held) {
    const standing = standings.get(batch.id);
    if (standing === undefined) continue;
    const approved = standing.inForce === null ? null : await signedContent(verbs, batch, standing, policy);
    if (standing.inForce !== null && approved !== null) {
      permissions.set(batch.id, { approvalId: standing.inForce, approved });
    } else if (sendsFinalRows || (await verbs.hasMovableRows(batch.id))) {
      permissions.set(batch.id, { approvalId: null, waiting: standing });
    }
  }
  return permissions;
}

/** @returns the policy in force; null where no policy is in force */
async function requireSoundControls(verbs: LedgerVerbs): Promise<Policy | null> {
  const controls = await verbs.readControls();
  const unsound = controls.policyInForce === null ? null : unsoundControl(controls);
  if (unsound === null) return policyInForceOf(controls);
  const what =
    unsound.what === 'policy'
      ? `Policy ${unsound.version} was put into force`
      : `The user ${unsound.name} was made an approver`;
  throw new PaybatchError(
    'approval_invalid',
    `${what} without the signed approvals that it needed. Nothing was sent.`,
    'find out who changed the database; then lock the users who are not what they seem, and set the policy again',
  );
}

/**
 * The signed approvals behind the approval in force, with their signatures verified. Their age is computed from the time in
 * the signed statement.
 * @returns null where too few of them are still valid
 */
async function signedContent(
  verbs: LedgerVerbs,
  batch: BatchRecord,
  { inForce, needed }: ApprovalStanding,
  policy: Policy | null,
): Promise<SignedContent | null> {
  const stored = await verbs.readApprovalsBehind(batch.id, inForce ?? '');
  const { id, mode, origin, kind } = batch;
  const mayBeOfConsole = policy !== null && takesConsole(policy, mode, kind);
  const expected = { subject: 'batch', decision: 'approve', batch: id, environment: { mode, origin } };
  const [unsound] = verifyApprovals(
    stored,
    await verbs.listUserKeys(),
    ({ by }) => ({ ...expected, by }),
    mayBeOfConsole,
  );
  if (unsound !== undefined) {
    throw new PaybatchError(
      'approval_invalid',
      `The stored approval ${unsound.decision.id} of batch ${shortBatchId(id)} is not what its approver has signed (${unsound.problem}). Nothing of the batch was sent.`,
      'find out who changed the database; then have an approver reject the plan, and approve it again',
    );
  }
  const rule = policy?.rules.find((each) => each.mode === mode && each.kinds.includes(kind));
  const now = (await verbs.databaseTime()).getTime();
  const isInTime = ({ statement }: ApprovalBehind): boolean =>
    now - signedAt(statement).getTime() < (rule?.validForInMs ?? 0);
  const behind = stored.filter(isInTime);
  return new Set(behind.map(({ by }) => by)).size < needed ? null : { behind, needed };
}
