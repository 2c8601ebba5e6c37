/* Starts and closes a sandbox, and controls access to it. */

import { createHash, timingSafeEqual } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { type AddressInfo, isIPv4 } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Fastify from 'fastify';
import { addApi } from './api.ts';
import { addControl } from './control.ts';
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
import { errorBody, Refusal } from './fields.ts';

export interface Sandbox {
  /** The base URL, without a slash at the end. */
  readonly url: string;
  /** The id of the data folder, which is created at its first start. */
  readonly storeId: string;
  readonly apiKeys: ApiKeys;
  /** The token that the control endpoints require: `Authorization: Bearer TOKEN`. */
  readonly controlToken: string;
  /** The path of the certificate that clients have to trust; null without TLS. */
  readonly certificatePath: string | null;
  counts(): SandboxCounts;
  /** Waits a short time for requests in flight. Requests that will never be answered are dropped at once. */
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
  access: AccessRules,
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
    // The control endpoints have two prefixes. No path of the real API can begin with the second one, `/_sandbox`.
    rewriteUrl: ({ url = '/' }) => url.replace(/^\/_sandbox(?=\/)/, '/sandbox'),
    frameworkErrors: (error, _request, reply) => sendError(error, reply as FastifyReply),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  app.addHook('onRequest', (request, reply, done) => {
    core.openRequests.add(reply.raw);
    const refusal = refusalOf(core, access, request);
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

/** Turns refusals by Fastify itself into the sandbox's own form. */
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
  // Connections are closed repeatedly, since new ones may arrive until the server has stopped listening.
  const dropping = setInterval(() => app.server.closeAllConnections(), 10);
  await closed.finally(() => clearInterval(dropping));
  core.journal.close();
}

/** What access is decided by: the host that the sandbox listens on, and the token of its control endpoints. */
interface AccessRules {
  readonly host: string;
  readonly controlToken: string;
}

/** The refusal of a request, decided before its body is read; undefined if it is accepted. */
function refusalOf(core: Core, access: AccessRules, request: FastifyRequest): Refusal | undefined {
  return (
    hostRefusal(access, request) ??
    (isForControl(request) ? controlRefusal(access, request) : keyRefusal(core, request)) ??
    (request.is404 ? new Refusal(404, 'not_found', 'there is no such endpoint') : undefined)
  );
}

/**
 * Refuses requests that name another host. Otherwise, a web page in a browser could reach this machine under the page's own
 * host name (DNS rebinding), and read the answers.
 */
function hostRefusal({ host }: AccessRules, request: FastifyRequest): Refusal | undefined {
  const asked = hostNameOf(request.headers.host);
  if (asked !== undefined && (isLoopbackName(asked) || asked === host.toLowerCase())) return undefined;
  return new Refusal(421, 'foreign_host', 'the header Host names another machine than this one');
}

/**
 * Whether a request is for a control endpoint. The matched route decides, since a path can be written in several ways
 * (`/%73andbox/...`).
 */
function isForControl(request: FastifyRequest): boolean {
  return `${request.routeOptions.url ?? request.url}/`.startsWith('/sandbox/');
}

function controlRefusal({ controlToken }: AccessRules, request: FastifyRequest): Refusal | undefined {
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

/** Compares two texts in a time that does not depend on how many characters match. */
function isSame(sent: string | undefined, right: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return sent !== undefined && timingSafeEqual(hash(sent), hash(right));
}
