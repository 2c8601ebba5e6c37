/* The endpoints of the Payments API, and how their answers are delivered or cut off. */

import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Core, RequestInfo } from './core.ts';
import { countAttempt, create, type Resource, type SandboxAnswer } from './creation.ts';
import { externalAccounts } from './external-accounts.ts';
import { decideFault, FAULTS, type FaultName, magicFault, type SandboxFault } from './faults.ts';
import { errorBody, Refusal } from './fields.ts';
import { readPageRequest } from './institutions.ts';
import type { SandboxMode } from './journal.ts';
import { accounts, collections, customersResource } from './resources.ts';

const RESOURCES: readonly Resource[] = [customersResource, accounts, collections, externalAccounts];
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

function modeOf(core: Core, request: FastifyRequest): SandboxMode {
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

/** Chooses the fault of a request. A test's hook takes precedence, then a magic phrase, then the fault plan. */
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

const JSON_TYPE = 'application/json; charset=utf-8';
const HTML_PAGE =
  '<!DOCTYPE html><html><head><title>Gateway</title></head><body><h1>Please try later</h1></body></html>';
const ECHOED_FIELDS = ['customer_id', 'client_reference', 'external_id'];

/** Sends an answer unchanged. */
function deliver(reply: FastifyReply, answer: SandboxAnswer): void {
  reply.code(answer.status).header('content-type', JSON_TYPE);
  if (answer.isReplay) reply.header('idempotent-replayed', 'true');
  reply.send(answer.body);
}

/**
 * Applies a fault to a request: sends a faulty form of its answer, or no answer.
 * @param answer the correct answer, if the request has taken effect
 */
function deliverFaulty(core: Core, reply: FastifyReply, name: FaultName, answer?: SandboxAnswer): void {
  core.countFault(name);
  const { effect }: SandboxFault = FAULTS[name];
  if (effect.does === 'reset') reset(reply);
  else if (effect.does === 'hang') hang(core, reply);
  else if (effect.does === 'error') {
    if (effect.retryAfter !== undefined) reply.header('retry-after', retryAfter(core, effect.retryAfter));
    sendBody(reply, effect.status, errorBody('injected_fault', `this is the fault ${name}`));
  } else if (effect.does === 'html') {
    reply.code(effect.status).header('content-type', 'text/html; charset=utf-8').send(HTML_PAGE);
  } else if (effect.does === 'redirect') {
    reply.code(307).header('location', 'https://moved.example/v1/').send();
  } else if (answer !== undefined) spoil(reply, effect.does, answer);
}

function spoil(reply: FastifyReply, how: string, answer: SandboxAnswer): void {
  const half = answer.body.slice(0, Math.floor(answer.body.length / 2));
  if (how === 'cut') cut(reply, answer, half);
  else if (how === 'cut_json') sendBody(reply, answer.status, half);
  else if (how === 'empty') sendBody(reply, answer.status, '');
  else if (how === 'no_id') sendBody(reply, answer.status, '{"data":{},"error":null}');
  else if (how === 'wrong_echo') sendBody(reply, answer.status, withWrongEcho(answer));
  else deliver(reply, answer);
}

function sendBody(reply: FastifyReply, status: number, body: string | Buffer): void {
  reply.code(status).header('content-type', JSON_TYPE).send(body);
}

function reset(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.socket?.resetAndDestroy();
}

function hang(core: Core, reply: FastifyReply): void {
  reply.hijack();
  core.openRequests.neverAnswer(reply.raw);
}

/** Declares the full length, sends only half of the bytes, and closes the connection. */
function cut(reply: FastifyReply, answer: SandboxAnswer, half: string | Buffer): void {
  reply.hijack();
  const length = Buffer.byteLength(answer.body);
  reply.raw.writeHead(answer.status, { 'content-type': JSON_TYPE, 'content-length': length });
  reply.raw.write(half, () => reply.raw.socket?.destroy());
}

function retryAfter(core: Core, form: 'seconds' | 'date'): string {
  const timeInSeconds = core.settings.faults.retryAfterInSeconds;
  if (form === 'seconds') return String(timeInSeconds);
  return new Date(core.settings.now().getTime() + timeInSeconds * 1000).toUTCString();
}

/** An answer whose fields repeat the values of another request. */
function withWrongEcho(answer: SandboxAnswer): string {
  const body = JSON.parse(answer.body.toString()) as Record<string, unknown>;
  const object = (body['data'] ?? body['customer'] ?? body) as Record<string, unknown>;
  for (const field of ECHOED_FIELDS) {
    if (typeof object[field] === 'string') object[field] = '00000000-0000-4000-8000-000000000000';
  }
  return JSON.stringify(body);
}
