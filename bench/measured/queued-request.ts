import type { StoredRequest } from '../../src/domain/sending/outcome.ts';

/** A request as a job's payload, so that its key is in the database before it is sent. */
export interface QueuedRequest {
  readonly path: string;
  readonly idempotencyKey: string;
  readonly body: string;
}

export function toPayload({ body, ...request }: StoredRequest): QueuedRequest {
  return { ...request, body: body.toString('utf8') };
}

export function fromPayload({ body, ...request }: QueuedRequest): StoredRequest {
  return { ...request, body: Buffer.from(body) };
}
