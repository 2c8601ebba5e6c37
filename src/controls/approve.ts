/* Approves or rejects the plan of a batch: an approver looks at what would be sent, and signs the decision. */

import { resolve } from 'node:path';
import { AttentionCollector } from '../account/attention.ts';
import { changesIn } from '../account/batch-files/changes-of-batch.ts';
import { placeOf, readAccounts } from '../account/read-accounts.ts';
import { reportOfPlan, writeReport } from '../account/report.ts';
import type { CallContext } from '../call/context.ts';
import { findNamedBatch } from '../call/ledger-access.ts';
import type { PlannedAccount, PlanTotals, ShownPlan } from '../domain/batches/account.ts';
import { type BatchRecord, shortBatchId } from '../domain/batches/batch.ts';
import type { ApprovalStanding, AuditHead, ChangesSummary } from '../domain/batches/batch-facts.ts';
import { LeafCollector, rootOf } from '../domain/controls/leaves.ts';
import { canonicalJson, type Statement, sha256, writeStatement } from '../domain/controls/statement.ts';
import { type CallOutcome, PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { currentPlan, planDifference, planHashOf } from '../send/batches/planning.ts';
import type { Plan } from '../send/plan.ts';
import { type ConsoleProof, provenAtConsole } from './session-actor.ts';
import { type ProvenActor, provenActor } from './user-key.ts';

/** A request to look at a plan, and to approve it if its hash is stated. */
interface ApproveRequest {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  /** Hash of the plan that is approved. When absent, the plan is only shown, and nothing is signed. */
  readonly planHash?: string | undefined;
  /** A note, which is kept in the signed statement. */
  readonly note?: string | undefined;
  /** Path of a page that is written, with everything that is approved. */
  readonly report?: string | undefined;
  /** A person who has signed in at the console. When absent, the user of the key file decides. */
  readonly console?: ConsoleProof | undefined;
}

/** A request to reject a plan. */
interface RejectRequest extends Pick<ApproveRequest, 'batch' | 'console'> {
  /** The reason, which is kept in the signed statement. */
  readonly note: string;
}

/** A plan as an approver sees it: the account of its batch with the current plan, and the findings about its payees. */
export interface PlanForApproval {
  readonly account: PlannedAccount & { readonly changes: ChangesSummary };
  /** Path of the page; null if none was requested. */
  readonly report: string | null;
}

/** The result of an approval or a rejection. */
export interface DecisionResult {
  readonly outcome: CallOutcome;
  readonly failure: PaybatchError | null;
  readonly batches: readonly [];
  readonly batch: BatchRecord;
  /** Null for a rejection. */
  readonly plan: PlanForApproval | null;
  /** Id of the stored decision; null if nothing was signed. */
  readonly decision: string | null;
  /** Who decided; null if nothing was signed. */
  readonly by: string | null;
  /** The approvals that the policy requires for the batch, and those that it has now. */
  readonly standing: ApprovalStanding;
  /** The last event of the batch's chain in the audit trail; null if the chain has no event. */
  readonly auditHead: AuditHead | null;
}

/**
 * Shows the current plan of a batch, and signs its approval if its hash is the stated one. Nothing is sent, and no row is
 * changed. A run sends the batch after enough approvers have approved.
 * @throws PaybatchError as `provenActor` does; (`approval_not_needed`), (`may_not_approve`); (`plan_changed`) when the
 *   plan's hash differs
 */
export async function approveBatch(app: CallContext, request: ApproveRequest): Promise<DecisionResult> {
  const wanted = planHashOf(request.planHash);
  const { verbs } = await app.connections.ledger();
  const batch = await findNamedBatch(verbs, request.batch);
  const standing = await requireStanding(verbs, batch);
  const approver = wanted === undefined ? null : await provenPerson(app, standing, request.console);
  if (approver !== null && !standing.mayApprove.includes(approver.user.name))
    throw mayNotApprove(approver, standing);
  const leaves = approver === null ? null : new LeafCollector(await verbs.readLeafSalt(batch.id));
  const looked = await lookAt(app, verbs, batch, leaves);
  const { account } = looked;
  const { planHash } = account.plan;
  const plan = { account, report: await reportOf(app, verbs, batch, looked, request.report) };
  const { own: auditHead } = await verbs.readHeadsOfBatch(batch.id);
  const nothingSigned = { batches: [], batch, plan, decision: null, by: null, standing, auditHead } as const;
  if (approver === null) {
    return { ...nothingSigned, outcome: 'usage', failure: hashMissing(batch, planHash) };
  }
  if (wanted !== planHash) {
    const before = await verbs.loadPlan(batch.id, wanted ?? '');
    return { ...nothingSigned, outcome: 'plan_changed', failure: planChanged(batch, before, account.plan) };
  }
  if (leaves === null) throw new Error('a plan is signed whose leaves were not taken');
  const proof = leaves.end();
  const decision = await verbs.writeDecision(batch.id, {
    ...signed(approver, {
      ...commonParts(approver, batch, standing, request.note ?? ''),
      decision: 'approve',
      planHash,
      rowsHash: sha256(looked.plan.rows),
      leavesRoot: rootOf(proof),
      changesHash: looked.changesHash,
      contentRevision: standing.contentRevision,
      at: (await verbs.databaseTime()).toISOString(),
    }),
    rows: looked.plan.rows,
    proof,
    leaves: leaves.takeComplete(),
    by: approver.actor,
  });
  return end(verbs, { batch, plan, decision, by: approver.user.name });
}

/**
 * Signs that the plan of a batch is rejected. Earlier approvals become invalid.
 * @throws PaybatchError (`usage`) without a note; as `provenActor` does; (`approval_not_needed`), (`may_not_approve`)
 */
export async function rejectBatch(app: CallContext, request: RejectRequest): Promise<DecisionResult> {
  const note = request.note.trim();
  if (note === '') {
    throw new PaybatchError('usage', 'A plan is rejected with a note that says why. Nothing was signed.', {
      action: 'set',
      oneOf: [{ setting: 'note' }],
    });
  }
  const { verbs } = await app.connections.ledger();
  const batch = await findNamedBatch(verbs, request.batch);
  const standing = await requireStanding(verbs, batch);
  const approver = await provenPerson(app, standing, request.console);
  if (!isApprover(approver)) throw mayNotApprove(approver, standing);
  const at = (await verbs.databaseTime()).toISOString();
  const statement = { ...commonParts(approver, batch, standing, note), decision: 'reject', at } as const;
  const decision = await verbs.writeDecision(batch.id, {
    ...signed(approver, statement),
    rows: null,
    proof: null,
    leaves: [],
    by: approver.actor,
  });
  return end(verbs, { batch, plan: null, decision, by: approver.user.name });
}

async function end(
  verbs: LedgerVerbs,
  decided: Pick<DecisionResult, 'batch' | 'plan' | 'decision' | 'by'>,
): Promise<DecisionResult> {
  const standing = await requireStanding(verbs, decided.batch);
  const { own: auditHead } = await verbs.readHeadsOfBatch(decided.batch.id);
  return { outcome: 'done', failure: null, batches: [], ...decided, standing, auditHead };
}

/** The common parts of statements about a batch. */
function commonParts(
  { user, keyId, session }: ProvenActor,
  { id, mode, origin }: BatchRecord,
  { policy }: ApprovalStanding,
  note: string,
): { subject: 'batch'; batch: string; environment: { mode: BatchRecord['mode']; origin: string } } & Pick<
  Statement,
  'policy' | 'by' | 'key' | 'note' | 'session'
> {
  const environment = { mode, origin };
  const signer = { by: user.name, key: keyId, ...(session === undefined ? {} : { session }) };
  return { subject: 'batch', batch: id, environment, policy, ...signer, note: note.trim() };
}

function signed(
  { sign }: ProvenActor,
  statement: Statement,
): { readonly statement: string; readonly signature: Buffer } {
  const text = writeStatement(statement);
  return { statement: text, signature: sign(text) };
}

async function requireStanding(verbs: LedgerVerbs, batch: BatchRecord): Promise<ApprovalStanding> {
  const standing = (await verbs.readApprovals([batch.id])).get(batch.id);
  if (standing !== undefined) return standing;
  const short = shortBatchId(batch.id);
  throw new PaybatchError(
    'approval_not_needed',
    `The policy asks for no approval of batch ${short}: it can be sent as it is.`,
    { action: 'resume', batch: short, environment: batch },
  );
}

/** @throws PaybatchError (`console_not_allowed`) if the policy accepts no decisions from the console */
async function provenPerson(
  app: CallContext,
  standing: ApprovalStanding,
  proof: ConsoleProof | undefined,
): Promise<ProvenActor> {
  if (proof === undefined) return provenActor(app);
  if (standing.takesConsole) return provenAtConsole(app, proof);
  throw new PaybatchError(
    'console_not_allowed',
    'The policy takes no approval or rejection from the console: nothing was signed.',
    'decide with your own key',
  );
}

function isApprover({ user }: ProvenActor): boolean {
  return user.role === 'approver' && user.isActive && !user.isLocked;
}

function mayNotApprove(person: ProvenActor, { mayApprove }: ApprovalStanding): PaybatchError {
  const { name, role, isActive } = person.user;
  const why = isApprover(person)
    ? 'had the batch staged, or decided that a row of it is sent, and the policy asks for somebody else'
    : role === 'approver' && !isActive
      ? 'is not approved as an approver yet'
      : `is no approver: the role is ${role}`;
  const who = mayApprove.length === 0 ? 'nobody can at the moment' : `${mayApprove.join(', ')} can`;
  return new PaybatchError('may_not_approve', `${name} ${why}.`, `ask somebody who can approve it: ${who}`);
}

/** A plan as it was computed to be shown. */
interface LookedAt extends Pick<PlanForApproval, 'account'> {
  readonly plan: Plan;
  readonly changesHash: string;
}

/** Computes the current plan and the findings about its payees. @param leaves takes the leaves of a plan to be signed */
async function lookAt(
  app: CallContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  leaves: LeafCollector | null,
): Promise<LookedAt> {
  const { id } = batch;
  const sink = leaves === null ? undefined : { collector: leaves, store: verbs.writeLeaves };
  const plan = await currentPlan(app, verbs, batch, sink);
  const found: (readonly [number, string, string | null, number])[] = [];
  const changes = await changesIn(verbs, id, (group) => {
    for (const { row, code, earlier } of group) found.push([row, code, earlier.batch, earlier.row]);
  });
  const [known] = await readAccounts(verbs, [batch], placeOf(app));
  if (known === undefined) throw new Error('a batch was found and has no account');
  const { planHash, totals } = plan;
  const account = { ...known, plan: { planHash, totals }, changes };
  return { plan, account, changesHash: sha256(canonicalJson(found)) };
}

/**
 * Writes a page with everything that is approved: totals, changes, and the rows that are not sent.
 * @returns its path
 */
async function reportOf(
  app: CallContext,
  verbs: LedgerVerbs,
  { id, header }: BatchRecord,
  { account }: LookedAt,
  report: string | undefined,
): Promise<string | null> {
  if (report === undefined) return null;
  const collector = new AttentionCollector(header);
  for await (const rows of verbs.readResultRows(id)) {
    // Rows that would be sent are already in the plan.
    for (const row of rows) if (row.status !== 'not_sent') collector.add(row);
  }
  const path = resolve(report);
  const madeAt = app.clock.now().toISOString();
  const shown = { ...account, attention: collector.result() };
  await writeReport(path, reportOfPlan(shown, { madeAt, words: app.words }));
  return path;
}

function hashMissing(batch: BatchRecord, planHash: string): PaybatchError {
  return new PaybatchError('plan_hash_missing', 'Nothing was signed: a plan is approved by its hash.', {
    action: 'approve',
    batch: shortBatchId(batch.id),
    planHash,
    environment: batch,
    purpose: 'if it is right, approve it',
  });
}

function planChanged(
  batch: BatchRecord,
  before: PlanTotals | undefined,
  { planHash, totals }: ShownPlan,
): PaybatchError {
  const short = shortBatchId(batch.id);
  const difference =
    before === undefined
      ? 'this ledger has never shown a plan of that hash for it'
      : planDifference(before, totals);
  return new PaybatchError(
    'plan_changed',
    `The plan of batch ${short} is not the one of the plan hash, and nothing was signed: ${difference}.`,
    {
      action: 'approve',
      batch: short,
      planHash,
      environment: batch,
      purpose: "if today's plan is right, approve it",
    },
  );
}
