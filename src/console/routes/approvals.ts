/* Approving and rejecting plans. The page shows the plan and asks for the password again. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { plannedRows, planTables } from '../../account/batch-tables.ts';
import { changesTables } from '../../account/changes.ts';
import { type Html, html } from '../../account/report/page.ts';
import { apiName, approvalHeadline, inputName } from '../../account/words/wording.ts';
import type { PlanForApproval } from '../../controls/approve.ts';
import type { PlannedAccount } from '../../domain/batches/account.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import { type ApprovalStanding, waitsForApproval } from '../../domain/batches/batch-facts.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { countOf } from '../../domain/money/money.ts';
import { fieldIn } from '../access/kept-form.ts';
import { actorOf, sessionTokenOf } from '../access/sessions.ts';
import { failureOf } from '../pages/call.ts';
import { type Frame, form, type Page } from '../pages/layout.ts';
import { countsOf, facts, moment, sentence, tableView } from '../pages/table.ts';
import { httpStatusOf, PageProblem } from '../under-way/failures.ts';
import { type At, type Routes, viewerOf } from './context.ts';

/** The page of an approval, and the decision about it. */
export function approvalRoutes({ app, engine, show, words }: Routes): void {
  /** Shows the current plan, with the error of a decision. */
  const shown = async (
    request: FastifyRequest,
    reply: FastifyReply,
    batch: string,
    failure: PaybatchError | null,
    note = '',
  ): Promise<FastifyReply> => {
    const { plan, standing } = await engine.approve({ batch }).result;
    if (plan === null) throw new Error('a plan was looked at, and is not there');
    const viewer = viewerOf(request).name;
    return show(
      request,
      reply,
      (frame) => {
        const problem = failure === null ? null : failureOf(frame, failure, null, words);
        return approvalPage(frame, { plan, standing, viewer, problem, note });
      },
      failure === null ? 200 : httpStatusOf(failure),
    );
  };

  app.get<At<'batch'>>('/batches/:batch/approval', async (request, reply) =>
    shown(request, reply, request.params.batch, null),
  );

  app.post<At<'batch'>>(
    '/batches/:batch/approval',
    { config: { rateLimit: { max: 30, timeWindow: '1 minute' } } },
    async (request, reply) => {
      const { batch } = request.params;
      const { body } = request;
      const [decision, note] = [fieldIn(body, 'decision'), fieldIn(body, 'note')];
      const console = {
        session: sessionTokenOf(request) ?? '',
        password: fieldIn(body, 'password'),
        address: request.ip,
      };
      const call = { actor: actorOf(viewerOf(request)), words };
      try {
        if (decision === 'reject') {
          await engine.reject({ batch, note, console }, call).result;
        } else {
          const planHash = fieldIn(body, 'plan_hash');
          if (decision !== 'approve' || planHash === '')
            throw new PageProblem(422, 'The form says nothing that can be decided.', 'Load the page again.');
          const { failure } = await engine.approve({ batch, planHash, note, console }, call).result;
          if (failure !== null) return await shown(request, reply, batch, failure, note);
        }
      } catch (error) {
        if (error instanceof PaybatchError && isAboutDecision(error))
          return shown(request, reply, batch, error, note);
        throw error;
      }
      return reply.redirect(`/batches/${batch}/approval`, 303);
    },
  );
}

/** Whether an error is shown on the page of the approval, together with the current plan. */
function isAboutDecision({ code }: PaybatchError): boolean {
  return ['password_wrong', 'may_not_approve', 'console_not_allowed', 'plan_changed', 'usage'].includes(code);
}

/*
 * The page of an approval: what exactly is approved, who may approve it, the existing approvals, and how to approve it.
 */

/** The content of an approval's page. */
interface ApprovalPage {
  readonly plan: PlanForApproval;
  readonly standing: ApprovalStanding;
  /** The viewer's name. */
  readonly viewer: string;
  /** The error of the last decision; null if there was none. */
  readonly problem: Html | null;
  /** The note of that decision; empty if none exists. */
  readonly note: string;
}

/** The page of an approval. */
function approvalPage(frame: Frame, { plan, standing, viewer, problem, note }: ApprovalPage): Page {
  const { account } = plan;
  const { id, environment, changes } = account;
  const { totals, planHash } = account.plan;
  return {
    title: `Approval of ${inputName(account)}`,
    part: '/batches',
    content: [
      facts([
        ['Batch', html`<a href="/batches/${id}">${shortBatchId(id)}</a>`],
        ['API', apiName(environment.origin)],
        ['Policy', String(standing.policy)],
        ['Plan', html`<code>${planHash}</code>`],
      ]),
      problem,
      standingOf(standing),
      html`<section><h2>What is approved</h2><p class="headline">${countOf(plannedRows(totals), 'row')} would be sent.</p>
<p>These rows of this plan, and no others. A row that joins later is not sent under it.</p></section>`,
      ...[...changesTables(changes), ...planTables(totals)].map((table) => tableView(table)),
      html`<section aria-label="Rows by status">${countsOf(account)}</section>`,
      decisionOf(frame, { plan, standing, viewer, note }),
    ],
  };
}

function standingOf(standing: ApprovalStanding): Html {
  const { given, rejected } = standing;
  return html`<section class="note"><p class="headline">${sentence(approvalHeadline(standing))}.</p>
${given.length === 0 ? null : html`<ul>${given.map(({ by, at, planHash }) => html`<li>${by} approved the plan <code>${planHash.slice(0, 16)}</code> at ${moment(at)}</li>`)}</ul>`}
${rejected === null ? null : html`<p>${rejected.by} rejected it at ${moment(rejected.at)}: ${rejected.note}</p>`}</section>`;
}

/** Says how this person can decide: here, with their own key, or not at all. */
function decisionOf(frame: Frame, { plan, standing, viewer, note }: Omit<ApprovalPage, 'problem'>): Html {
  const { account } = plan;
  const { planHash } = account.plan;
  const address = `/batches/${account.id}/approval`;
  if (!standing.takesConsole) return withOwnKey(account);
  if (!frame.may('POST', address)) {
    return html`<section><h2>Deciding</h2><p>Approvers decide here, with their password.</p></section>`;
  }
  const hasApproved = standing.given.some((given) => given.by === viewer && given.planHash === planHash);
  const mayApprove = standing.mayApprove.includes(viewer);
  const why = mayApprove
    ? null
    : html`<p><b>You may not approve it</b>: you had it staged, or decided that a row of it is sent, or you are not in office. You may reject it.</p>`;
  const done = hasApproved
    ? html`<p>You have approved this plan. ${waitsForApproval(standing) ? 'It waits for others.' : null}</p>`
    : null;
  const fields = html`<input type="hidden" name="plan_hash" value="${planHash}">
<div class="field"><label for="note">Note</label><p class="hint" id="note-hint">It is signed with the decision. A rejection says why.</p>
<textarea id="note" name="note" rows="2" cols="50" maxlength="2000" aria-describedby="note-hint">${note}</textarea></div>
<div class="field"><label for="password">Your password, once more</label>
<input id="password" name="password" type="password" autocomplete="current-password" required></div>
<div class="actions">${mayApprove ? html`<button name="decision" value="approve">Approve this plan</button>` : null}
<button class="danger second" name="decision" value="reject">Reject it</button></div>`;
  return html`<section><h2>Decide</h2>${why}${done}
<p>The signature covers the batch, the hash of this plan, its rows, the changed payees above, the policy and your session. It is made with the key of this console.</p>
${form(frame, address, fields)}</section>`;
}

function withOwnKey({ id, plan: { planHash } }: PlannedAccount): Html {
  const name = shortBatchId(id);
  return html`<section><h2>Deciding with your own key</h2>
<p>The policy takes no approvals from the console. An approver types one of these, where paybatch and the key are:</p>
<pre>paybatch approve ${name} --plan-hash ${planHash}
paybatch reject ${name} --note "..."</pre></section>`;
}
