/* Texts for people about users, policies and the audit trail. */

import { readFileSync } from 'node:fs';
import { minuteOf } from '../../account/words/wording.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import { controlsChain } from '../../domain/batches/batch-facts.ts';
import type { Controls, ProposalState } from '../../domain/controls/controls.ts';
import type { PolicyDifference } from '../../domain/controls/policy.ts';
import { countOf } from '../../domain/money/money.ts';
import { capital } from '../../domain/settings/message.ts';
import { printable } from '../../domain/text/characters.ts';
import type { AuditedChain, AuditProblem, AuditVerification } from '../../engine/audit.ts';
import type { PolicyResult, ProposedPolicy } from '../../engine/policy.ts';
import type { UserView } from '../../engine/users.ts';
import { commandLine } from '../remedies/remedy-text.ts';
import { colourIf, wrapped } from './terminal-text.ts';

/* Formats the verification of the audit trail for a terminal. */

/** Maximum of chains that are listed with their heads. If there are more, only chains with problems are listed. */
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

function chainLines({ chain, events, head, rows, problems }: AuditedChain, columns: number): string[] {
  const name = chain === controlsChain ? 'users, keys, policies' : `batch ${shortBatchId(chain)}`;
  const ended = head === null ? '' : `, head ${head.hash}`;
  return [
    `  ${name}: ${countOf(events, 'event')}${ended}`,
    ...(rows === null || rows.requests === 0 ? [] : wrapped(proofText(rows), '    ', columns)),
    ...problems.flatMap((problem) => wrapped(printable(problemText(problem)), '    ', columns)),
  ];
}

/** The evidence that proves the requests of a batch, in a sentence. */
function proofText({ requests, approved, logged, unproven }: NonNullable<AuditedChain['rows']>): string {
  const parts = [
    ...(approved === 0 ? [] : [`${approved} by an approval`]),
    ...(logged === 0 ? [] : [`${logged} by a run log`]),
    ...(requests === approved + logged
      ? []
      : [`${requests - approved - logged} neither by an approval nor by a run log`]),
  ];
  const without = unproven === '{}' ? '' : ` (${rowsText(unproven)})`;
  return `${countOf(requests, 'request')}, proven: ${parts.join(', ')}${without}`;
}

/** Maximum of ranges of rows that are named. */
const mostRanges = 10;

/** @param ranges as `rowRanges` writes them */
function rowsText(ranges: string): string {
  const all = [...ranges.matchAll(/\[(\d+),(\d+)\)/g)].map(([, first = '', end = '']) => {
    const last = Number(end) - 1;
    return Number(first) === last ? first : `${first}-${last}`;
  });
  const rest = all.length > mostRanges ? ', ...' : '';
  return `rows ${all.slice(0, mostRanges).join(', ')}${rest}`;
}

/** The data file: a sentence for each problem, with its facts in braces, and the names of records. */
export interface AuditWords {
  readonly problems: Readonly<Record<ProblemCode, string>>;
  readonly records: Readonly<Record<RecordProblem['what'], string>>;
}

type RecordProblem = Extract<AuditProblem, { code: 'record_unnoted' | 'record_missing' | 'record_changed' }>;

type ProblemCode =
  | Exclude<AuditProblem['code'], 'signature_wrong'>
  | 'approval_wrong'
  | 'key_wrong'
  | 'head_missing';

const words: AuditWords = JSON.parse(readFileSync(new URL('./audit-words.json', import.meta.url), 'utf8'));

/** One problem in a sentence. */
export function problemText(problem: AuditProblem): string {
  const isOfRecord = 'what' in problem && problem.code !== 'signature_wrong';
  const record = isOfRecord ? `${words.records[problem.what]} ${problem.id}` : '';
  const facts = new Map(Object.entries({ ...problem, record }));
  return words.problems[codeOf(problem)].replace(/\{(\w+)\}/g, (_, name: string) => String(facts.get(name)));
}

function codeOf(problem: AuditProblem): ProblemCode {
  if (problem.code === 'signature_wrong') return `${problem.what}_wrong`;
  return problem.code === 'head_differs' && problem.number === null ? 'head_missing' : problem.code;
}

/** The number of characters of a key's id that distinguish the keys of a ledger. */
const shownOfKey = 16;

/** The users, one per line. */
export function usersText(
  { users, policyInForce }: { users: readonly UserView[]; policyInForce: Controls['policyInForce'] },
  useColour: boolean,
): string {
  if (users.length === 0) return 'There are no users: nobody can approve, and nothing needs an approval.';
  const colour = colourIf(useColour);
  const table = users.map((user) => [
    user.name,
    user.role,
    stateText(user),
    `key ${user.keyId.slice(0, shownOfKey)} since ${user.keySince.slice(0, 10)}`,
  ]);
  const widths = [0, 1, 2].map((at) => Math.max(...table.map((cells) => cells[at]?.length ?? 0)));
  const lines = table.map((cells) => cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '));
  const policy =
    policyInForce === null
      ? 'No policy is in force: nothing needs an approval.'
      : `Policy ${policyInForce} is in force.`;
  return [
    ...lines.map((line, at) => (users[at]?.state === 'locked' ? colour('dim', line) : line)),
    '',
    policy,
  ].join('\n');
}

function stateText({ state, appointment, lockedBy, lockedAt }: UserView): string {
  switch (state) {
    case 'active':
      return 'active';
    case 'locked':
      return `locked by ${printable(lockedBy ?? '')} on ${lockedAt?.slice(0, 10)}`;
    case 'unnamed':
      return 'named by no policy yet';
    case 'waiting':
      return appointment === null ? 'waits' : `waits for ${missingText(appointment)}`;
  }
}

function missingText({ needed, approvedBy }: ProposalState): string {
  return countOf(Math.max(0, needed - approvedBy.length), 'approval');
}

/** The approvals that a proposal still needs, and who can provide them. */
function neededText(state: ProposalState, command: readonly string[]): string {
  const { mayApprove, rejection, approvedBy, needed } = state;
  const missing = needed - approvedBy.length;
  const rejected =
    rejection === null ? '' : ` ${rejection.by} has rejected it before: ${printable(rejection.note)}.`;
  const who =
    mayApprove.length < missing
      ? `${mayApprove.length === 0 ? 'Nobody' : `Only ${mayApprove.join(', ')}`} can approve it now, which is too few: add approvers, or have somebody else propose it.`
      : `These can: ${mayApprove.join(', ')}. Each of them calls ${commandLine(command)}`;
  return `It needs ${missingText(state)} more.${rejected} ${who}`;
}

/** The result of adding a user, and the steps that are still needed. */
export function addedText({ user, keyFile }: { readonly user: UserView; readonly keyFile: string }): string {
  return [
    `${user.name} is added as ${user.role}.`,
    `The private key is in ${printable(keyFile)}. It belongs to ${user.name} alone: hand it over, keep a copy in a safe place, and delete it here.`,
    ...appointmentLines(user),
    `To act as ${user.name}: PAYBATCH_USER_KEY_FILE=${printable(keyFile)}`,
  ].join('\n');
}

function appointmentLines({ name, state, appointment }: UserView): readonly string[] {
  if (state === 'unnamed')
    return [`${name} cannot approve yet: the first policy has to name ${name} among its approvers.`];
  if (appointment === null) return [];
  return [`${name} cannot approve yet. ${neededText(appointment, ['user', 'approve', name])}`];
}

export function decidedOnUserText(
  { user }: { readonly user: UserView },
  decision: 'approve' | 'reject',
): string {
  if (user.state === 'active') return `${user.name} is an approver in office now.`;
  const done = decision === 'approve' ? 'Your approval is recorded' : 'Your rejection is recorded';
  const needs =
    user.appointment === null ? '' : ` ${neededText(user.appointment, ['user', 'approve', user.name])}`;
  return `${done}: ${user.name} is no approver in office.${needs}`;
}

export function lockedText({ user }: { readonly user: UserView }): string {
  return `${user.name} is locked, for good: approvals of ${user.name} do not count any more, and the name is never given again.`;
}

export function rotatedText({
  user,
  keyFile,
}: {
  readonly user: UserView;
  readonly keyFile: string;
}): string {
  return [
    `${user.name} has a new key, ${user.keyId.slice(0, shownOfKey)}. It is in ${printable(keyFile)}; the old file is ${printable(`${keyFile}.old`)} and opens nothing any more.`,
    'Approvals that were signed with the old key, of batches and of proposals that still wait, do not count any more: give them again.',
  ].join('\n');
}

/** The link for a new password. The link is a secret, and is shown only once. */
export function invitedText({
  user,
  link,
  until,
}: {
  readonly user: UserView;
  readonly link: string;
  readonly until: string;
}): string {
  return [
    `With this address ${user.name} sets a password for the console. It works once, until ${minuteOf(until)} UTC:`,
    `  ${link}`,
    `Anyone who has it can sign in as ${user.name}: give it to no one else.`,
  ].join('\n');
}

/** The policy in force and the proposals, in sentences. */
export function policyText(result: PolicyResult): string {
  const { inForce, waiting, approvers } = result;
  const head =
    inForce === null
      ? ['No policy is in force: nothing needs an approval.']
      : [
          `Policy ${inForce.version} is in force since ${inForce.inForceAt?.slice(0, 10)}, proposed by ${printable(inForce.proposedBy)}.`,
          ...(inForce.isRestored
            ? ['The owner of the database restored it, because nobody was left who could approve.']
            : []),
          ...inForce.sentences.map((sentence) => `  ${capital(sentence)}.`),
          '  Nothing else needs an approval.',
          `Approvers: ${approvers.length === 0 ? 'nobody' : approvers.join(', ')}.`,
        ];
  return [...head, ...waiting.flatMap((proposed) => ['', ...proposalLines(proposed)])].join('\n');
}

function proposalLines({ version, proposedBy, difference, state }: ProposedPolicy): readonly string[] {
  return [
    `Policy ${version} is proposed by ${printable(proposedBy)}.`,
    ...differenceLines(difference),
    neededText(state, ['policy', 'approve', String(version)]),
  ];
}

function differenceLines({ dropped, added }: PolicyDifference): readonly string[] {
  if (dropped.length === 0 && added.length === 0) return ['  It says the same as the one before.'];
  return [...dropped.map((sentence) => `  - ${sentence}`), ...added.map((sentence) => `  + ${sentence}`)];
}

type SetPolicy = PolicyResult & {
  readonly version: number;
  readonly isInForce: boolean;
  readonly difference: PolicyDifference;
};

export function setText(result: SetPolicy): string {
  const { version, isInForce, difference, approvers, waiting } = result;
  if (isInForce) {
    return [
      `Policy ${version} is in force now.`,
      ...differenceLines(difference),
      `Approvers: ${approvers.length === 0 ? 'nobody' : approvers.join(', ')}.`,
    ].join('\n');
  }
  const proposed = waiting.find((each) => each.version === version);
  const others = waiting.flatMap((each) => (each.version === version ? [] : [each.version]));
  return [
    ...(proposed === undefined ? [] : proposalLines(proposed)),
    ...(others.length === 0
      ? []
      : [
          `Proposed before it, and not decided: ${others.join(', ')}. Of several, the newest that is approved counts.`,
        ]),
  ].join('\n');
}

export function decidedOnPolicyText(
  result: PolicyResult & { readonly version: number },
  decision: 'approve' | 'reject',
): string {
  if (result.inForce?.version === result.version) return `Policy ${result.version} is in force now.`;
  const proposed = result.waiting.find(({ version }) => version === result.version);
  const done = decision === 'approve' ? 'Your approval is recorded.' : 'Your rejection is recorded.';
  return proposed === undefined ? done : [done, ...proposalLines(proposed)].join('\n');
}
