/* Formats the verification of the audit trail for a terminal. */

import { printable } from '../../account/words/wording.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import { controlsChain } from '../../domain/controls/audit.ts';
import { countOf } from '../../domain/money/money.ts';
import type { AuditedChain, AuditProblem, AuditVerification } from '../../engine/audit.ts';
import { colourIf, wrapped } from './terminal-text.ts';

/** The most chains that are listed with their heads; if there are more, only those with problems are listed. */
const mostListed = 20;

/** The result in sentences: whether the trail is complete, its problems, and its heads. */
export function auditText(
  { chains, unknownHead, loggedHeads }: Pick<AuditVerification, 'chains' | 'unknownHead' | 'loggedHeads'>,
  { useColour, columns }: { readonly useColour: boolean; readonly columns: number },
): string {
  const colour = colourIf(useColour);
  const events = chains.reduce((sum, chain) => sum + chain.events, 0);
  const broken = chains.filter(({ problems }) => problems.length > 0);
  const isWhole = broken.length === 0 && unknownHead === null;
  const looked = `${countOf(events, 'event')} in ${countOf(chains.length, 'chain')}`;
  const title = isWhole
    ? colour('green', `The audit trail is whole: ${looked}.`)
    : colour('red', `The audit trail is not as it was written: ${looked}.`);
  const unknown =
    unknownHead === null
      ? []
      : wrapped(`no event has the hash ${unknownHead}, which was named`, '  ', columns);
  const listed = chains.length <= mostListed ? chains : broken;
  const compared =
    loggedHeads === 0
      ? '  compared with no head outside of the ledger: no run log was found that names one'
      : `  compared with ${countOf(loggedHeads, 'head')} in run logs`;
  return [title, ...unknown, compared, ...listed.flatMap((chain) => chainLines(chain, columns))].join('\n');
}

function chainLines({ chain, events, head, problems }: AuditedChain, columns: number): string[] {
  const name = chain === controlsChain ? 'users, keys, policies' : `batch ${shortBatchId(chain)}`;
  const ended = head === null ? '' : `, head ${head.hash}`;
  return [
    `  ${name}: ${countOf(events, 'event')}${ended}`,
    ...problems.flatMap((problem) => wrapped(printable(problemText(problem)), '    ', columns)),
  ];
}

/** One problem in a sentence. */
export function problemText(problem: AuditProblem): string {
  switch (problem.code) {
    case 'event_changed':
      return `event ${problem.number} was changed: its hash is not that of what it says`;
    case 'event_missing':
      return `event ${problem.number} is not there, and later ones are`;
    case 'link_broken':
      return `event ${problem.number} does not hold the hash of the event before it: one of the two was replaced`;
    case 'tail_missing':
      return `the end is missing from event ${problem.number} on: the last was event ${problem.head}`;
    case 'head_differs':
      return problem.number === null
        ? 'the ledger has no head of this chain any more'
        : `event ${problem.number} is not the one that the ledger keeps as the head`;
    case 'record_unnoted':
      return `${recordText(problem)} is in the ledger, and no event tells of it`;
    case 'record_missing':
      return `${recordText(problem)}, of which event ${problem.number} tells, is not in the ledger`;
    case 'record_changed':
      return `${recordText(problem)} is not what event ${problem.number} says`;
    case 'signature_wrong':
      return problem.what === 'approval'
        ? `approval ${problem.id} is not signed by the key of its approver`
        : `key ${problem.id} is not signed by the key that it replaced`;
    case 'logged_head_differs':
      return `the run log ${problem.log} names event ${problem.number} with the hash ${problem.hash}, which the chain does not have`;
  }
}

type RecordKind = Extract<
  AuditProblem,
  { code: 'record_unnoted' | 'record_missing' | 'record_changed' }
>['what'];

const records: Readonly<Record<RecordKind, string>> = {
  batch: 'batch',
  closing: 'the closing of batch',
  run: 'run',
  run_end: 'the end of run',
  reconciliation: 'reconciliation',
  approval: 'approval',
  user: 'user',
  user_active: 'the activation of user',
  user_lock: 'the lock of user',
  key: 'key',
  key_end: 'the replacement of key',
  password: 'the password that was set with link',
  session: 'session',
  policy: 'policy',
  policy_force: 'the coming into force of policy',
  verdicts: 'what was decided with verdict',
  event: 'waiting event',
};

function recordText({ what, id }: { readonly what: RecordKind; readonly id: string }): string {
  return `${records[what]} ${id}`;
}
