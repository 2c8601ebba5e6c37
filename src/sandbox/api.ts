import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Core } from './core.ts';
import { countAttempt, create } from './creating.ts';
import type { Resource } from './creation.ts';
import { deliver, deliverFaulty } from './delivery.ts';
import { decideFault, FAULTS, type FaultName } from './faults.ts';
import { readPageRequest } from './institutions/paging.ts';
import type { Mode } from './kinds.ts';
import { magicFault } from './magic.ts';
import type { RequestInfo } from './options.ts';
import { Refusal } from './refusal.ts';
import { accounts } from './resources/accounts.ts';
import { collections } from './resources/collections.ts';
import { customers } from './resources/customers.ts';
import { externalAccounts } from './resources/external-accounts.ts';

const RESOURCES: readonly Resource[] = [customers, accounts, collections, externalAccounts];
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
const INSTITUTIONS_PATH = '/v1/external-accounts/institutions';

/** Adds the endpoints of the Payments API. */
export function addApi(app: FastifyInstance, core: Core): void {
  for (const resource of RESOURCES) {
    app.post(resource.path, (request, reply) => answerPost(core, resource, request, reply));
  }
  app.get(INSTITUTIONS_PATH, (request, reply) => answerInstitutions(core, request, reply));
}

function answerPost(core: Core, resource: Resource, request: FastifyRequest, reply: FastifyReply): void {
  const mode = modeOf(core, request);
  const key = keyOf(request);
  const text = textOf(request.body);
  const body = parsed(text);
  const attempt = countAttempt(core, mode, key);
  const info = { method: 'POST', path: resource.path, mode, idempotencyKey: key, attempt, body };
  const fault = faultOf(core, info, key, resource.magicField);
  const delayInMs = delayOf(core, fault);
  if (fault !== undefined && !FAULTS[fault].takesEffect) {
    core.delays.after(delayInMs, () => deliverFaulty(core, reply, fault));
    return;
  }
  create(core, { mode, resource, key, attempt, text, body, delayInMs }, (answer) => {
    if (fault === undefined) deliver(reply, answer);
    else deliverFaulty(core, reply, fault, answer);
  });
}

function answerInstitutions(core: Core, request: FastifyRequest, reply: FastifyReply): void {
  const mode = modeOf(core, request);
  const address = `${mode} GET ${request.url}`;
  const attempt = (core.attemptsByAddress.get(address) ?? 0) + 1;
  core.attemptsByAddress.set(address, attempt);
  const path = INSTITUTIONS_PATH;
  const info = { method: 'GET', path, mode, idempotencyKey: undefined, attempt, body: undefined };
  const fault = faultOf(core, info, address, '');
  const { pageParameter, pageSize } = core.settings;
  const query = request.query as Readonly<Record<string, unknown>>;
  const data = core.directory.page(readPageRequest(query, pageParameter, pageSize));
  const answer = { status: 200, body: JSON.stringify({ data, error: null }), isReplay: false };
  core.delays.after(delayOf(core, fault), () => {
    if (fault === undefined) deliver(reply, answer);
    else deliverFaulty(core, reply, fault, answer);
  });
}

function modeOf(core: Core, request: FastifyRequest): Mode {
  const mode = core.modeOf(request.headers['api-key']);
  if (mode === undefined) throw new Refusal(401, 'unauthorized', 'the Api-Key is missing or not valid');
  return mode;
}

function keyOf(request: FastifyRequest): string {
  const key = request.headers['idempotency-key'];
  if (key === undefined) {
    throw new Refusal(400, 'idempotency_key_required', 'the header Idempotency-Key is required');
  }
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key)) {
    throw new Refusal(400, 'invalid_idempotency_key', 'an Idempotency-Key has 1 to 255 printable characters');
  }
  return key;
}

function textOf(body: unknown): string {
  if (!Buffer.isBuffer(body) || body.length === 0) throw new Refusal(400, 'empty_body', 'the body is empty');
  if (!isUtf8(body)) throw new Refusal(400, 'invalid_json', 'the body is not UTF-8');
  return body.toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 'invalid_json', 'the body is not JSON');
  }
}

/** A hook of a test comes first, then a magic phrase, then the plan. */
function faultOf(core: Core, info: RequestInfo, key: string, magicField: string): FaultName | undefined {
  return (
    core.settings.onRequest(info) ??
    magicFault(info.body, magicField, info.attempt) ??
    decideFault(core.settings.faults, key, info.attempt)
  );
}

function delayOf(core: Core, fault: FaultName | undefined): number {
  const { latencyInMs, faults, slowAnswerInMs } = core.settings;
  return latencyInMs + faults.latencyInMs + (fault === 'slow' ? slowAnswerInMs : 0);
}
