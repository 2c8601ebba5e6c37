/* Approving and rejecting plans: what is approved is shown, and the password is asked for again. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { sessionTokenOf } from '../access/cookie.ts';
import { fieldIn } from '../access/kept-form.ts';
import { actorOf } from '../access/sessions.ts';
import { approvalPage } from '../pages/approval.ts';
import { failureOf } from '../pages/call.ts';
import { httpStatusOf, PageProblem } from '../under-way/failures.ts';
import { type Routes, viewerOf } from './context.ts';

/** The page of an approval, and the decision that is made on it. */
export function approvalRoutes({ app, engine, show, words }: Routes): void {
  /** The plan as it is at this moment, with what was wrong with a decision. */
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

  app.get<{ Params: { batch: string } }>('/batches/:batch/approval', async (request, reply) =>
    shown(request, reply, request.params.batch, null),
  );

  app.post<{ Params: { batch: string } }>(
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

/** What the page of the approval tells, with the plan as it is now. */
function isAboutDecision({ code }: PaybatchError): boolean {
  return ['password_wrong', 'may_not_approve', 'console_not_allowed', 'plan_changed', 'usage'].includes(code);
}
