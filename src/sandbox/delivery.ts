import type { FastifyReply } from 'fastify';
import type { Core } from './core.ts';
import type { Answer } from './creating.ts';
import { FAULTS, type Fault, type FaultName } from './faults.ts';
import { errorBody } from './refusal.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const HTML_PAGE =
  '<!DOCTYPE html><html><head><title>Gateway</title></head><body><h1>Please try later</h1></body></html>';
const ECHOED_FIELDS = ['customer_id', 'client_reference', 'external_id'];

/** Sends an answer as it is. */
export function deliver(reply: FastifyReply, answer: Answer): void {
  reply.code(answer.status).header('content-type', JSON_TYPE);
  if (answer.isReplay) reply.header('idempotent-replayed', 'true');
  reply.send(answer.body);
}

/**
 * Sends what a fault makes of an answer, or of none.
 *
 * @param answer what would have been sent, when the request has taken effect
 */
export function deliverFaulty(core: Core, reply: FastifyReply, name: FaultName, answer?: Answer): void {
  core.countFault(name);
  const { effect }: Fault = FAULTS[name];
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

function spoil(reply: FastifyReply, how: string, answer: Answer): void {
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

/** Promises the whole length, sends half of it, and closes. */
function cut(reply: FastifyReply, answer: Answer, half: string | Buffer): void {
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

/** An answer that belongs to somebody else's request, by the fields that repeat the request. */
function withWrongEcho(answer: Answer): string {
  const body = JSON.parse(answer.body.toString()) as Record<string, unknown>;
  const object = (body['data'] ?? body['customer'] ?? body) as Record<string, unknown>;
  for (const field of ECHOED_FIELDS) {
    if (typeof object[field] === 'string') object[field] = '00000000-0000-4000-8000-000000000000';
  }
  return JSON.stringify(body);
}
