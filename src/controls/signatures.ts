/* The signatures of approvals and of replaced keys, verified once more. */

import { controlsChain } from '../domain/controls/audit.ts';
import { endorsementText, isSignedBy, keyIdOf, sha256 } from '../domain/controls/statement.ts';
import type { EndorsedKey, SignedApproval } from '../ledger/audit/signatures.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';

/** An approval or a key whose signature does not verify. */
export interface SignatureProblem {
  readonly code: 'signature_wrong';
  readonly chain: string;
  readonly what: 'approval' | 'key';
  readonly id: string;
}

/** @param chains whose approvals are verified; null for all */
export async function wrongSignatures(
  verbs: Pick<LedgerVerbs, 'readSignedApprovals' | 'readEndorsedKeys'>,
  chains: readonly string[] | null,
): Promise<readonly SignatureProblem[]> {
  const approvals = await verbs.readSignedApprovals(chains);
  const keys = await verbs.readEndorsedKeys();
  return [
    ...approvals.flatMap((approval): SignatureProblem[] => {
      const { chain, id } = approval;
      return isApprovalSigned(approval) ? [] : [{ code: 'signature_wrong', chain, what: 'approval', id }];
    }),
    ...keys.flatMap((key): SignatureProblem[] => {
      const { id } = key;
      return isKeyEndorsed(key) ? [] : [{ code: 'signature_wrong', chain: controlsChain, what: 'key', id }];
    }),
  ];
}

/** Whether the key is the one that is named, and has signed the statement, and the statement is about the rows that stand beside it. */
function isApprovalSigned({ statement, signature, rows, keyId, publicKey }: SignedApproval): boolean {
  if (publicKey === null || keyIdOf(publicKey) !== keyId || !isSignedBy(statement, signature, publicKey)) {
    return false;
  }
  const { rowsHash }: { readonly rowsHash?: string } = JSON.parse(statement);
  return rows === null || sha256(rows) === rowsHash;
}

function isKeyEndorsed({ id, user, endorsement, previousKey }: EndorsedKey): boolean {
  return isSignedBy(endorsementText(user, id), endorsement, previousKey);
}
