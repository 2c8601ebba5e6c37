/*
 * The output of `--json` about decisions and controls: halts, users, policies, the audit trail, and decisions about
 * batches.
 */

import { plannedRows } from '../../account/batch-tables.ts';
import type { CallResult } from '../../account/result.ts';
import { haltRemedy } from '../../account/words/check-text.ts';
import type { DecisionResult } from '../../controls/approve.ts';
import { exitCodes } from '../../disk/log/exit-codes.ts';
import type { Selection } from '../../domain/batches/open-rows.ts';
import type { DoubtsOfHalt, HaltInForce, ProposalState } from '../../domain/controls/controls.ts';
import type { Phrasebook } from '../../domain/failures/paybatch-error.ts';
import type { AuditExport, AuditVerification } from '../../engine/audit.ts';
import type { DisownResult } from '../../engine/disown.ts';
import type { HaltResult } from '../../engine/halt.ts';
import type { PolicyResult, PolicyView } from '../../engine/policy.ts';
import type { CloseResult } from '../../engine/resolve.ts';
import type { UserView } from '../../engine/users.ts';
import type { ComparedFiles } from '../../reconcile/batches/batch.ts';
import { type ReconciledBatch, writtenFiles } from '../../reconcile/batches/reconciliation.ts';
import { problemText } from '../views/controls.ts';
import { documentOf, jsonSummary, publicly } from './document.ts';
import { approvalOf, closingOf } from './public-facts.ts';

/** A document of a command, which begins with its exit code. */
export interface DocumentWithExit {
  readonly exit_code: number;
  readonly [fact: string]: unknown;
}

/** Adds the stop in force to a document, before its other facts. The document is unchanged if nothing is stopped. */
export function withHalt(document: DocumentWithExit, inForce: HaltInForce | null, words: Phrasebook): object {
  if (inForce === null) return document;
  const { exit_code, ...others } = document;
  const halt = {
    ...publicly(inForce.halt, 'note', 'by', 'at'),
    in_doubt: doubtsOf(inForce.inDoubt),
    next: words.remedy(haltRemedy(inForce)),
  };
  return { exit_code, halt, ...others };
}

function doubtsOf(inDoubt: DoubtsOfHalt | null): object | null {
  return inDoubt === null ? null : publicly(inDoubt, 'rows', 'firstHeldAt', 'lastHeldAt');
}

/** The object that `halt` prints; its names are public. */
export function haltDocument({ outcome, halt, did, liftedBy, inDoubt }: HaltResult): object {
  return {
    exit_code: exitCodes[outcome],
    halt: halt === null ? null : publicly(halt, 'note', 'by', 'at'),
    did,
    lifted_by_policy: liftedBy,
    in_doubt: doubtsOf(inDoubt),
    error: null,
  };
}

export function verificationDocument(result: AuditVerification): object {
  return {
    exit_code: exitCodes[result.outcome],
    chains: result.chains.map((chain) => ({
      ...publicly(chain, 'chain', 'events', 'head', 'rows'),
      problems: chain.problems.map((each) => ({
        code: each.code,
        event: 'number' in each ? each.number : null,
        message: problemText(each),
      })),
    })),
    ...publicly(result, 'unknownHead', 'loggedHeads'),
    error: null,
  };
}

export function exportDocument({ outcome, events, heads }: AuditExport, file: string | null): object {
  return { exit_code: exitCodes[outcome], file, events, heads, error: null };
}

function proposalOf(state: ProposalState): object {
  const { rejection } = state;
  return {
    ...publicly(state, 'proposedBy', 'approvedBy', 'needed', 'mayApprove'),
    rejection: rejection === null ? null : publicly(rejection, 'by', 'at', 'note'),
  };
}

function userOf(user: UserView): object {
  return {
    ...publicly(user, 'name', 'role', 'state', 'addedBy', 'addedAt', 'lockedBy', 'lockedAt'),
    ...publicly(user, 'keyId', 'keySince'),
    appointment: user.appointment === null ? null : proposalOf(user.appointment),
  };
}

export function usersDocument(
  result: CallResult & { readonly users: readonly UserView[]; readonly policyInForce: number | null },
): object {
  const { outcome, users, policyInForce } = result;
  return { exit_code: exitCodes[outcome], policy_in_force: policyInForce, users: users.map(userOf) };
}

export function userDocument(
  result: CallResult & {
    readonly user: UserView;
    readonly keyFile?: string;
    readonly link?: string;
    readonly until?: string;
  },
): object {
  const { outcome, user, keyFile, link, until } = result;
  return { exit_code: exitCodes[outcome], user: userOf(user), key_file: keyFile, link, link_until: until };
}

function policyOf(view: PolicyView): object {
  return {
    ...publicly(view, 'version', 'proposedBy', 'proposedAt', 'inForceAt', 'isRestored', 'sentences'),
    rules: view.policy.rules.map((rule) => ({
      ...publicly(rule, 'mode', 'kinds', 'approvers', 'fromRows', 'fromSum', 'findings'),
      ...publicly(rule, 'validForInMs', 'makerMayApprove', 'console'),
    })),
  };
}

export function policyDocument(result: PolicyResult): object {
  const { outcome, inForce, waiting } = result;
  return {
    exit_code: exitCodes[outcome],
    in_force: inForce === null ? null : policyOf(inForce),
    waiting: waiting.map((each) => ({ ...policyOf(each), proposal: proposalOf(each.state) })),
    ...publicly(result, 'approvers', 'approvalsNeeded'),
  };
}

/** The summary of the call, with the objects that were taken back. */
export function disownDocument(result: DisownResult, words: Phrasebook): object {
  const { key, taken } = result;
  const batches = taken.batches.map(({ id, ready, ...batch }) => ({
    batch: id,
    ...publicly(batch, 'created', 'sums', 'existing'),
    prepared_anew: ready,
  }));
  return {
    ...documentOf(result, words),
    disowned: { fingerprint: key, batches, decided: taken.decided },
  };
}

/** The summary of the call, with the rows that were selected by conditions. */
export function selectionDocument(
  result: CallResult & { readonly recorded: number },
  selection: Selection,
  words: Phrasebook,
): object {
  return {
    ...documentOf(result, words),
    recorded: result.recorded,
    selection: publicly(selection, 'hash', 'verdict', 'rows', 'sentRepeatedly', 'sums', 'samples'),
  };
}

/** The summary of the call, with the closing. */
export function closeDocument(result: CloseResult, words: Phrasebook): object {
  const { closing, isNew, closedRows } = result;
  return {
    ...documentOf(result, words),
    closed: { ...closingOf(closing), is_new: isNew, rows: closedRows },
  };
}

/** The summary of the call, with the decision. */
export function decisionDocument(result: DecisionResult, words: Phrasebook): object {
  const { batch, plan, standing } = result;
  const totals = plan?.account.plan.totals;
  return {
    ...documentOf(result, words),
    batch: batch.id,
    ...publicly(result, 'decision', 'by'),
    plan:
      plan === null || totals === undefined
        ? null
        : {
            hash: plan.account.plan.planHash,
            rows: plannedRows(totals),
            sums: totals.send.map((sum) =>
              publicly(sum, 'resource', 'institution', 'currency', 'rows', 'amount'),
            ),
            changes: plan.account.changes.counts,
            report: plan.report,
          },
    approval: approvalOf(standing),
    audit_head: result.auditHead,
  };
}

/** The output of `reconcile BATCH --json`. */
export function reconciliationDocument(result: ReconciledBatch): object {
  const { figures, reconciliation, verdicts } = result;
  return {
    ...jsonSummary(result),
    reconciliation: { ...figures, files: writtenFiles(reconciliation), verdicts },
  };
}

/** The output of `reconcile --left --right --json`. */
export function comparisonDocument(result: ComparedFiles): object {
  const { figures, files } = result.compared;
  return { ...jsonSummary(result), reconciliation: { comparison: figures, files } };
}
