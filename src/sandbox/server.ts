/* Starting and closing a sandbox, and its access control. */

import { createHash, timingSafeEqual } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { type AddressInfo, isIPv4 } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Fastify from 'fastify';
import { addApi } from './api.ts';
import { Core, type SandboxCounts, type SandboxOptions, sandboxSettingsOf } from './core.ts';
import {
  type ApiKeys,
  certificatePath,
  newCertificate,
  type OwnCertificate,
  readControlToken,
  readIdentity,
  takeLock,
} from './data-folder.ts';
import { errorBody, oneOf, type Reader, Refusal, readObject, required, uuidText } from './fields.ts';
import { type Journal, KINDS, KYC_STATUSES, MODES, type RecordHeader, type SandboxMode } from './journal.ts';

export interface Sandbox {
  /** Without a slash at the end. */
  readonly url: string;
  /** The data folder's own id, created at its first start. */
  readonly storeId: string;
  readonly apiKeys: ApiKeys;
  /** The token that the control endpoints require: `Authorization: Bearer TOKEN`. */
  readonly controlToken: string;
  /** The path of the certificate that clients have to trust; null without TLS. */
  readonly certificatePath: string | null;
  counts(): SandboxCounts;
  /** Waits a short time for requests in flight; hanging ones are dropped at once. */
  close(): Promise<void>;
}

const BODY_LIMIT_IN_BYTES = 64 * 1024;
const CLOSING_TIME_IN_MS = 1000;
const KEEP_ALIVE_IN_MS = 65_000;

/**
 * Starts a local Payments API.
 *
 * @throws Error when the data folder is in use or damaged, an option is out of range, or the port is taken
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const settings = sandboxSettingsOf(options);
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  const unlock = takeLock(options.dataDir);
  try {
    const identity = readIdentity(options.dataDir);
    const apiKeys = options.apiKeys ?? identity.apiKeys;
    if (apiKeys.sandbox === apiKeys.live) throw new Error('sandbox: the two API keys must differ');
    const core = new Core(options.dataDir, settings, apiKeys);
    const host = options.host ?? '127.0.0.1';
    const controlToken = readControlToken(options.dataDir);
    const isTls = options.tls ?? false;
    const certificate = isTls ? newCertificate(options.dataDir, new Date()) : null;
    const app = buildApp(core, identity.storeId, { host, controlToken }, certificate);
    await app.listen({ host, port: options.port ?? 0 }).catch((error: unknown) => {
      core.journal.close();
      throw error;
    });
    const { port } = app.server.address() as AddressInfo;
    let closing: Promise<void> | undefined;
    return {
      url: `${isTls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
      storeId: identity.storeId,
      apiKeys,
      controlToken,
      certificatePath: isTls ? certificatePath(options.dataDir) : null,
      counts: () => core.counts(),
      close: () => {
        closing ??= closeAll(app, core).finally(unlock);
        return closing;
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

function buildApp(
  core: Core,
  storeId: string,
  door: Door,
  certificate: OwnCertificate | null,
): FastifyInstance {
  const app: FastifyInstance = Fastify({
    ...(certificate === null
      ? {}
      : { https: { cert: certificate.certificate, key: certificate.privateKey } }),
    logger: false,
    bodyLimit: BODY_LIMIT_IN_BYTES,
    keepAliveTimeout: KEEP_ALIVE_IN_MS,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    // The control endpoints have two names; no path of the real API can begin with the second.
    rewriteUrl: ({ url = '/' }) => url.replace(/^\/_sandbox(?=\/)/, '/sandbox'),
    frameworkErrors: (error, _request, reply) => sendError(error, reply as FastifyReply),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  app.addHook('onRequest', (request, reply, done) => {
    core.openRequests.add(reply.raw);
    const refusal = refusalOf(core, door, request);
    if (refusal === undefined) done();
    else sendError(refusal, reply);
  });
  app.setErrorHandler((error: FastifyError | Refusal, _request, reply) => sendError(error, reply));
  addApi(app, core);
  addControl(app, core, storeId);
  return app;
}

function sendError(error: FastifyError | Refusal, reply: FastifyReply): void {
  const refusal = error instanceof Refusal ? error : frameworkRefusal(error);
  const body = errorBody(refusal.code, refusal.message, refusal.field);
  reply.code(refusal.status).type('application/json; charset=utf-8').send(body);
}

/** Refusals by Fastify itself, in the sandbox's own form. */
function frameworkRefusal(error: FastifyError): Refusal {
  if (error.statusCode === 413) return new Refusal(413, 'body_too_large', 'the body is larger than 64 KiB');
  if (error.statusCode === 415) {
    return new Refusal(415, 'unsupported_media_type', 'the body must be application/json');
  }
  if (error.statusCode === 400) return new Refusal(400, 'bad_request', error.message);
  return new Refusal(500, 'internal_error', error.message);
}

async function closeAll(app: FastifyInstance, core: Core): Promise<void> {
  const closed = app.close();
  await core.openRequests.drain(CLOSING_TIME_IN_MS);
  core.delays.cancelAll();
  // Once is not enough, since connections may arrive until the server has stopped listening.
  const dropping = setInterval(() => app.server.closeAllConnections(), 10);
  await closed.finally(() => clearInterval(dropping));
  core.journal.close();
}

/** The data for access control: the host that the sandbox listens on, and the token of its control endpoints. */
interface Door {
  readonly host: string;
  readonly controlToken: string;
}

/** The refusal of a request, decided before its body is read; undefined if it is accepted. */
function refusalOf(core: Core, door: Door, request: FastifyRequest): Refusal | undefined {
  return (
    hostRefusal(door, request) ??
    (isForControl(request) ? controlRefusal(door, request) : keyRefusal(core, request)) ??
    (request.is404 ? new Refusal(404, 'not_found', 'there is no such endpoint') : undefined)
  );
}

/**
 * Refuses requests that name a foreign host: a page in a browser can reach this machine under its own host name (DNS
 * rebinding), and read the answers.
 */
function hostRefusal({ host }: Door, request: FastifyRequest): Refusal | undefined {
  const asked = hostNameOf(request.headers.host);
  if (asked !== undefined && (isLoopbackName(asked) || asked === host.toLowerCase())) return undefined;
  return new Refusal(421, 'foreign_host', 'the header Host names another machine than this one');
}

/** Decided by the matched route, since a path can be written in several ways (`/%73andbox/...`). */
function isForControl(request: FastifyRequest): boolean {
  return `${request.routeOptions.url ?? request.url}/`.startsWith('/sandbox/');
}

function controlRefusal({ controlToken }: Door, request: FastifyRequest): Refusal | undefined {
  if (!isLoopbackAddress(request.socket.remoteAddress)) {
    return new Refusal(403, 'loopback_only', 'the control endpoints answer on this machine only');
  }
  if (isSame(request.headers.authorization, `Bearer ${controlToken}`)) return undefined;
  return new Refusal(
    401,
    'control_token_required',
    'the control endpoints need the header "Authorization: Bearer TOKEN", with the token that the sandbox ' +
      'printed at its start and keeps in its data folder as control-token',
  );
}

function keyRefusal(core: Core, request: FastifyRequest): Refusal | undefined {
  if (core.modeOf(request.headers['api-key']) !== undefined) return undefined;
  return new Refusal(401, 'unauthorized', 'the Api-Key is missing or not valid');
}

/** The header's host in lower case, without port and brackets; undefined if it is invalid. */
function hostNameOf(header: string | undefined): string | undefined {
  const found = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(header ?? '');
  return (found?.[1] ?? found?.[2])?.toLowerCase();
}

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'));
}

function isLoopbackAddress(address: string | undefined): boolean {
  return isLoopbackName((address ?? '').replace(/^::ffff:/i, ''));
}

/** Compares in a time that does not depend on how much matches. */
function isSame(given: string | undefined, right: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return given !== undefined && timingSafeEqual(hash(given), hash(right));
}

interface JournalLine extends RecordHeader {
  readonly object?: unknown;
  readonly answer: { readonly data?: unknown } | null;
}

interface ObjectFilter {
  readonly kind: unknown;
  readonly mode: unknown;
}

const limit: Reader<number> = (value, field) => {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
    throw new Refusal(400, 'invalid_type', `${field} must be a number of at least 0`, field);
  }
  return value;
};

/** Adds endpoints that the real API does not have: for inspecting the sandbox, and changing it for a test. */
function addControl(app: FastifyInstance, core: Core, storeId: string): void {
  app.get('/sandbox/summary', (_request, reply) => {
    reply.send({ store_id: storeId, ...core.counts() });
  });
  app.get('/sandbox/objects', (request, reply) => sendObjects(core, request, reply));
  app.post('/sandbox/customers/:id/kyc', (request, reply) => setKyc(core, request, reply));
  app.post('/sandbox/kyc', (request, reply) => setEveryKyc(core, request, reply));
  app.post('/sandbox/institutions', (request, reply) => setLimits(core, request, reply));
}

function sendObjects(core: Core, request: FastifyRequest, reply: FastifyReply): void {
  const { kind, mode } = request.query as Readonly<Record<string, unknown>>;
  if (kind !== undefined && !KINDS.some((known) => known === kind)) {
    throw new Refusal(400, 'invalid_kind', `kind must be one of ${KINDS.join(', ')}`, 'kind');
  }
  if (mode !== undefined && !MODES.some((known) => known === mode)) {
    throw new Refusal(400, 'invalid_mode', `mode must be one of ${MODES.join(', ')}`, 'mode');
  }
  reply.header('content-type', 'application/x-ndjson; charset=utf-8');
  reply.send(Readable.from(objectLines(core.journal, { kind, mode })));
}

async function* objectLines(journal: Journal, filter: ObjectFilter): AsyncGenerator<string> {
  for await (const lines of journal.lines()) {
    const shown = lines
      .map((line) => JSON.parse(line) as JournalLine)
      .filter((line) => isShown(line, filter))
      .map((line) => `${JSON.stringify(shownObject(line))}\n`);
    if (shown.length > 0) yield shown.join('');
  }
}

function isShown(line: JournalLine, { kind, mode }: ObjectFilter): boolean {
  const isObject = line.id !== undefined && KINDS.some((known) => known === line.kind);
  return isObject && (kind === undefined || kind === line.kind) && (mode === undefined || mode === line.mode);
}

function shownObject(line: JournalLine) {
  return {
    kind: line.kind,
    mode: line.mode,
    id: line.id,
    idempotency_key: line.key,
    // Equal numbers mean equal natural content, so duplicates can be grouped by it.
    natural: line.natural,
    created_at: new Date(line.at).toISOString(),
    object: line.object ?? line.answer?.data,
  };
}

function setKyc(core: Core, request: FastifyRequest, reply: FastifyReply): void {
  const { id } = request.params as { id: string };
  const mode = MODES.find((candidate) => core.modes[candidate].customers.has(id));
  if (mode === undefined) throw new Refusal(404, 'customer_not_found', 'there is no such customer');
  const { status } = readObject(jsonOf(request), { status: required(oneOf(...KYC_STATUSES)) }, '');
  const change = { kind: 'kyc', id, kyc: status } as const;
  remember(core, reply, [{ ...change, mode }], { id, kyc_status: status });
}

/** Sets the verification of every customer of both modes whose result differs. */
function setEveryKyc(core: Core, request: FastifyRequest, reply: FastifyReply): void {
  const { status } = readObject(jsonOf(request), { status: required(oneOf(...KYC_STATUSES)) }, '');
  const changes = MODES.flatMap((mode) =>
    [...core.modes[mode].customers]
      .filter(([, kyc]) => kyc !== status)
      .map(([id]) => ({ kind: 'kyc', id, kyc: status, mode }) as const),
  );
  remember(core, reply, changes, { changed: changes.length });
}

function setLimits(core: Core, request: FastifyRequest, reply: FastifyReply): void {
  const fields = { id: required(uuidText), min_amount: required(limit), max_amount: required(limit) };
  const list: Reader<unknown[]> = (value, field) => {
    if (!Array.isArray(value)) throw new Refusal(400, 'invalid_type', `${field} must be an array`, field);
    return value;
  };
  const { institutions } = readObject(jsonOf(request), { institutions: required(list) }, '');
  const changes = institutions.map((entry) => {
    const { id, min_amount, max_amount } = readObject(entry, fields, 'institutions.');
    if (core.directory.find(id) === undefined) {
      throw new Refusal(404, 'institution_not_found', 'there is no such institution', 'institutions.id');
    }
    // An institution belongs to both modes; the line's mode has no meaning here.
    return { mode: 'sandbox', kind: 'limits', id, limits: [min_amount, max_amount] } as const;
  });
  remember(core, reply, changes, { changed: changes.length });
}

function remember(
  core: Core,
  reply: FastifyReply,
  changes: readonly (Omit<RecordHeader, 'at'> & { mode: SandboxMode })[],
  answer: object,
): void {
  const at = core.settings.now().getTime();
  let open = changes.length;
  if (open === 0) reply.send({ data: answer, error: null });
  for (const change of changes) {
    core.remember({ at, ...change }, 'null', undefined, (error) => {
      open -= 1;
      if (open > 0) return;
      if (error) reply.code(500).type('application/json').send(errorBody('storage_failed', error.message));
      else reply.send({ data: answer, error: null });
    });
  }
}

function jsonOf(request: FastifyRequest): unknown {
  try {
    return JSON.parse(String(request.body));
  } catch {
    throw new Refusal(400, 'invalid_json', 'the body is not JSON');
  }
}
