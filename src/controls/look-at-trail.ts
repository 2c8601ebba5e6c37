/*
 * A quick check of the audit trail: the ends of the chains that changed last, and whether the triggers that write it are
 * on.
 */

import { controlsChain } from '../domain/batches/batch-facts.ts';
import { problemOfEnd } from '../domain/controls/audit.ts';
import { rootOf } from '../domain/controls/leaves.ts';
import { endorsementText, isSignedBy, keyIdOf, sha256 } from '../domain/controls/statement.ts';
import type { SignedApproval } from '../ledger/audit/events.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';

/** The result of a quick check of the trail. `verifyAudit` checks all of it. */
interface TrailLook {
  /** Number of chains that were checked, and of their events. */
  readonly chains: number;
  readonly events: number;
  /** Chains with an inconsistent end: ids of batches, or `controls`. */
  readonly broken: readonly string[];
  /** Triggers of the ledger that are switched off, as `table.trigger`. */
  readonly triggersOff: readonly string[];
}

/** Number of events at the end of each chain; most batches have fewer. */
const eventsOfEach = 200;

/** @param batches whose chains are checked, besides that of users, keys and policies */
export async function lookAtTrail(
  verbs: Pick<LedgerVerbs, 'readChainEnds' | 'listTriggersOff'>,
  batches: readonly string[],
): Promise<TrailLook> {
  const ends = await verbs.readChainEnds([...batches, controlsChain], eventsOfEach);
  const broken = ends.filter(({ head, events, last }) => problemOfEnd(head, events, last) !== null);
  return {
    chains: ends.length,
    events: ends.reduce((sum, { last }) => sum + last.length, 0),
    broken: broken.map(({ chain }) => chain),
    triggersOff: await verbs.listTriggersOff(),
  };
}

/* Verifies the signatures of approvals and of replaced keys once more. */

/** An approval or a key whose signature does not verify. */
export interface SignatureProblem {
  readonly code: 'signature_wrong';
  readonly chain: string;
  readonly what: 'approval' | 'key';
  readonly id: string;
}

/** The signatures of a ledger, verified. */
interface VerifiedSignatures {
  readonly wrong: readonly SignatureProblem[];
  /** The approvals and rejections whose signatures verify. */
  readonly sound: readonly SignedApproval[];
}

/** @param chains whose approvals are verified; null for all */
export async function verifySignatures(
  verbs: Pick<LedgerVerbs, 'readSignedApprovals' | 'readEndorsedKeys'>,
  chains: readonly string[] | null,
): Promise<VerifiedSignatures> {
  const wrong: SignatureProblem[] = [];
  const sound: SignedApproval[] = [];
  for (const approval of await verbs.readSignedApprovals(chains)) {
    const { chain, id } = approval;
    if (isApprovalSigned(approval)) sound.push(approval);
    else wrong.push({ code: 'signature_wrong', chain, what: 'approval', id });
  }
  for (const key of await verbs.readEndorsedKeys()) {
    const { id, user, endorsement, previousKey } = key;
    if (isSignedBy(endorsementText(user, id), endorsement, previousKey)) continue;
    wrong.push({ code: 'signature_wrong', chain: controlsChain, what: 'key', id });
  }
  return { wrong, sound };
}

/** Whether the stated key has signed the statement, and the statement is about the rows beside it. */
function isApprovalSigned({ statement, signature, rows, proof, keyId, publicKey }: SignedApproval): boolean {
  if (publicKey === null || keyIdOf(publicKey) !== keyId || !isSignedBy(statement, signature, publicKey)) {
    return false;
  }
  const said: { readonly rowsHash?: string; readonly leavesRoot?: string } = JSON.parse(statement);
  if (rows === null) return true;
  return sha256(rows) === said.rowsHash && rootOf(proof ?? Buffer.alloc(0)) === said.leavesRoot;
}
