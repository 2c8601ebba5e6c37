/* Errors as pages: the error and its remedies. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { failureOf } from '../pages/call.ts';
import { problemPage } from '../pages/layout.ts';
import { consoleWords } from '../pages/page-words.ts';
import { httpStatusOf, knownFailure, PageProblem } from '../under-way/failures.ts';
import type { ShowPage } from './context.ts';

/** Shows an error of a route, or of the HTTP server itself. */
export function showError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  show: ShowPage,
): FastifyReply {
  if (error instanceof PageProblem) {
    return show(request, reply, problemPage('That did not work', error.message, error.next), error.status);
  }
  const status = statusIn(error);
  if (status !== null) {
    const next = 'Go back, load the page again, and repeat it.';
    return show(request, reply, problemPage('That did not work', messageOf(status), next), status);
  }
  const failure = knownFailure(error);
  return show(
    request,
    reply,
    (frame) => ({ title: 'That did not work', content: failureOf(frame, failure, null, consoleWords) }),
    httpStatusOf(failure),
  );
}

/** The status of an error that the HTTP server itself found; null for every other one. */
function statusIn(error: unknown): number | null {
  if (!(error instanceof Error) || error instanceof PaybatchError || !('statusCode' in error)) return null;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? statusCode : null;
}

function messageOf(status: number): string {
  switch (status) {
    case 403:
      return 'The form is not one of this session any more: nothing was done.';
    case 413:
      return 'That is larger than it may be.';
    case 429:
      return 'That was tried too often: wait a minute.';
    default:
      return 'The request cannot be understood.';
  }
}
