/*
 * Checks whether leased batches have the approvals that the policy requires, and whether the approvals' signatures are
 * valid.
 */

import { type BatchRecord, type LeasedBatch, shortBatchId } from '../../domain/batches/batch.ts';
import type { ApprovalStanding } from '../../domain/batches/batch-facts.ts';
import { unsoundControl } from '../../domain/controls/soundness.ts';
import { type Policy, policyIn, takesConsole, verifyApprovals } from '../../domain/controls/statement.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';

/** What the policy lets a batch do: its rows are claimed under an approval, or it waits for one. */
export type Permission =
  | { readonly approvalId: string }
  | { readonly approvalId: null; readonly waiting: ApprovalStanding };

/** By batch. A batch of which the policy requires nothing has no entry. */
export type Permissions = ReadonlyMap<string, Permission>;

type ApprovalVerbs = Pick<
  LedgerVerbs,
  'readControls' | 'readApprovals' | 'readApprovalsBehind' | 'listUserKeys' | 'hasMovableRows'
>;

/**
 * What the policy in force lets leased batches do. The ledger refuses a claim without an approval in any case; here the
 * signatures are verified as well, which a database cannot do. A batch with nothing to send needs no approval, unless
 * final rows are to be sent.
 * @throws PaybatchError (`approval_invalid`) when the signature of an approval, of the policy or of an approver's
 *   appointment is missing or does not match
 */
export async function readPermissions(
  verbs: ApprovalVerbs,
  held: readonly LeasedBatch[],
  sendsFinalRows = false,
): Promise<Permissions> {
  const policy = await requireSoundControls(verbs);
  const standings = await verbs.readApprovals(held.map(({ batch }) => batch.id));
  const permissions = new Map<string, Permission>();
  for (const { batch } of held) {
    const standing = standings.get(batch.id);
    if (standing === undefined) continue;
    if (standing.inForce !== null) {
      await requireSigned(verbs, batch, standing, policy);
      permissions.set(batch.id, { approvalId: standing.inForce });
    } else if (sendsFinalRows || (await verbs.hasMovableRows(batch.id))) {
      permissions.set(batch.id, { approvalId: null, waiting: standing });
    }
  }
  return permissions;
}

/** @returns the policy in force; null where there is none */
async function requireSoundControls(verbs: ApprovalVerbs): Promise<Policy | null> {
  const controls = await verbs.readControls();
  const unsound = controls.policyInForce === null ? null : unsoundControl(controls);
  if (unsound === null) {
    const inForce = controls.policies.find(({ version }) => version === controls.policyInForce);
    return inForce === undefined ? null : policyIn(inForce.content);
  }
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

async function requireSigned(
  verbs: ApprovalVerbs,
  batch: BatchRecord,
  { inForce, needed }: ApprovalStanding,
  policy: Policy | null,
): Promise<void> {
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
  const people = new Set(stored.map(({ by }) => by));
  if (people.size < needed) throw new Error('an approval is in force and lacks approvers');
}
