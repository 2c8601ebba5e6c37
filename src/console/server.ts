/* The console: an HTTP server of pages on one engine. It listens, guards its doors, and shows every error as a page. */

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import cookie from '@fastify/cookie';
import csrf from '@fastify/csrf-protection';
import formbody from '@fastify/formbody';
import helmet from '@fastify/helmet';
import multipart from '@fastify/multipart';
import rateLimit from '@fastify/rate-limit';
import staticFiles from '@fastify/static';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { Engine } from '../engine/engine.ts';
import { mostFileBytes } from '../engine/reading/open-file.ts';
import { isLoopbackHost, OwnOrigins } from './access/origin.ts';
import {
  EntryToken,
  type Sessions,
  SessionsOfProcess,
  sessionLimits,
  type Viewer,
} from './access/sessions.ts';
import { failureOf } from './pages/call.ts';
import { type Frame, pageOf } from './pages/layout.ts';
import { closedDoorPage, problemPage } from './pages/problem.ts';
import { script } from './pages/script.ts';
import { stylesheet } from './pages/style.ts';
import { batchRoutes, goOnAfterRestart } from './routes/batches.ts';
import { callRoutes } from './routes/calls.ts';
import type { ConsoleContext, Routes, ShowPage, ShowPart } from './routes/context.ts';
import { decisionRoutes } from './routes/decisions.ts';
import { doctorRoutes } from './routes/doctor.ts';
import { mappingRoutes } from './routes/mapping.ts';
import { mappingsRoutes } from './routes/mappings.ts';
import { reconcileRoutes } from './routes/reconcile.ts';
import { rowRoutes } from './routes/rows.ts';
import { uploadRoutes } from './routes/uploads.ts';
import { Calls } from './work/calls.ts';
import { httpStatusOf, knownFailure, PageProblem } from './work/failures.ts';
import { Uploads } from './work/uploads.ts';
import { consoleWords } from './work/words.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who looks; null before the session was found. */
    viewer: Viewer | null;
  }
}

/** Where a console listens, and on what it stands. */
export interface ConsoleOptions {
  readonly engine: Engine;
  /** 0 for any free one. */
  readonly port: number;
  readonly host: string;
  /** Folder of uploaded files. */
  readonly uploadFolder: string;
  /** The address of a proxy that ends TLS, such as `https://paybatch.example.com`. */
  readonly publicOrigin?: string | undefined;
  /** The name of whoever started it, under which everything is done where there are no users. */
  readonly owner: string;
  /** Whether the ledger is embedded. */
  readonly isForTrying: boolean;
}

/** A console that listens. */
export interface Console {
  /** The address of its first page. */
  readonly url: string;
  /** The address that opens it once. */
  readonly entry: string;
  /** Serves no new request, and ends; calls under way are the engine's to stop. */
  readonly close: () => Promise<void>;
}

const sessionCookie = 'paybatch_session';
const filesInOneUpload = 50;

/**
 * Starts a console.
 * @throws PaybatchError (`console_refused`) for an address that may not be used, or cannot
 */
export async function startConsole(options: ConsoleOptions): Promise<Console> {
  const { engine, host, port, publicOrigin, isForTrying, owner } = options;
  requireSafeAddress(options);
  const app = Fastify({
    bodyLimit: 1_048_576,
    forceCloseConnections: true,
    trustProxy: publicOrigin !== undefined,
  });
  const sessions: Sessions = new SessionsOfProcess();
  const entry = new EntryToken();
  const context: ConsoleContext = {
    engine,
    sessions,
    calls: new Calls(),
    uploads: new Uploads(options.uploadFolder),
    words: consoleWords,
  };
  const { mode, localSandbox, baseUrl } = engine.settings.api;
  const place = localSandbox ? 'The built-in sandbox of the API.' : (baseUrl ?? 'No API is named.');
  const frameOf = (request: FastifyRequest, reply: FastifyReply): Frame => ({
    mode,
    place,
    isForTrying,
    viewer: request.viewer?.name ?? null,
    csrf: reply.generateCsrf(),
  });
  const show: ShowPage = (request, reply, page, status = 200) => {
    const frame = frameOf(request, reply);
    const content = typeof page === 'function' ? page(frame) : page;
    return reply
      .code(status)
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(pageOf(frame, content).text);
  };
  const part: ShowPart = (request, reply, content) =>
    reply.type('text/html; charset=utf-8').send(content(frameOf(request, reply)).text);

  let origins = new OwnOrigins(port, publicOrigin);
  app.decorateRequest('viewer', null);
  app.addHook('onRequest', async (request, reply) => {
    const { headers, method } = request;
    const fetchSite = headers['sec-fetch-site'];
    const refusal = origins.refusalOf({
      method,
      host: headers.host,
      origin: headers.origin,
      fetchSite: Array.isArray(fetchSite) ? fetchSite[0] : fetchSite,
    });
    if (refusal !== null) {
      return reply
        .code(refusal === 'unknown_host' ? 421 : 403)
        .type('text/plain')
        .send(refusalTexts[refusal]);
    }
    const token = readCookie(headers.cookie);
    if (token !== null) request.viewer = await sessions.find(token);
    return undefined;
  });

  app.setNotFoundHandler((request, reply) => {
    const page =
      request.viewer === null
        ? closedDoorPage()
        : problemPage(
            'Not found',
            'There is no such page.',
            'Look at the batches, or begin at the first page.',
          );
    return show(request, reply, page, 404);
  });
  app.setErrorHandler((error, request, reply) => showError(error, request, reply, show));

  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'script-src': ["'self'"],
        'style-src': ["'self'"],
        'img-src': ["'self'"],
        'connect-src': ["'self'"],
        'form-action': ["'self'"],
        'base-uri': ["'none'"],
        'frame-ancestors': ["'none'"],
      },
    },
    // With no referrer at all, browsers leave the origin out of forms too.
    referrerPolicy: { policy: 'same-origin' },
    strictTransportSecurity: publicOrigin === undefined ? false : { maxAge: 31_536_000 },
  });
  await app.register(cookie);
  await app.register(csrf, {
    cookieOpts: { httpOnly: true, sameSite: 'strict', path: '/', secure: publicOrigin !== undefined },
    getToken: (request) => tokenIn(request.body),
  });
  await app.register(formbody, { bodyLimit: 1_048_576 });
  await app.register(multipart, {
    limits: { fileSize: mostFileBytes, files: filesInOneUpload, fields: 20, fieldSize: 65_536 },
  });
  await app.register(rateLimit, { global: false });
  await registerAssets(app);

  app.get<{ Querystring: { token?: string } }>(
    '/enter',
    { config: { rateLimit: { max: 20, timeWindow: '1 minute' } } },
    async (request, reply) => {
      if (!entry.use(request.query.token ?? '')) return show(request, reply, closedDoorPage(), 403);
      const token = await sessions.begin({ name: owner });
      const { longestInMs } = sessionLimits;
      reply.setCookie(sessionCookie, token, {
        httpOnly: true,
        sameSite: 'lax',
        path: '/',
        secure: publicOrigin !== undefined,
        maxAge: longestInMs / 1000,
      });
      return reply.redirect('/', 303);
    },
  );

  await app.register(async (inside) => {
    inside.addHook('preHandler', async (request, reply) => {
      if (request.viewer === null) return show(request, reply, closedDoorPage(), 401);
      return undefined;
    });
    // Files come in many parts; their route checks the token when it has read the first part.
    inside.addHook('preHandler', (request, reply, done) => {
      if (request.method !== 'POST' || request.isMultipart()) done();
      else inside.csrfProtection(request, reply, done);
    });
    inside.post('/leave', async (request, reply) => {
      await sessions.end(readCookie(request.headers.cookie) ?? '');
      return reply.clearCookie(sessionCookie, { path: '/' }).redirect('/', 303);
    });
    const given: Routes = { ...context, app: inside, show, part };
    uploadRoutes(given);
    callRoutes(given);
    batchRoutes(given);
    mappingRoutes(given);
    mappingsRoutes(given);
    doctorRoutes(given);
    reconcileRoutes(given);
    rowRoutes(given);
    decisionRoutes(given);
  });

  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    const reason = error instanceof Error ? error.message : String(error);
    throw new PaybatchError(
      'console_refused',
      `The console could not be started: ${reason}.`,
      'choose another port',
    );
  }
  const address = app.server.address();
  const ownPort = typeof address === 'object' && address !== null ? address.port : port;
  origins = new OwnOrigins(ownPort, publicOrigin);
  const shownHost = host.includes(':') ? `[${host}]` : host;
  await goOnAfterRestart(context);
  const url = publicOrigin === undefined ? `http://${shownHost}:${ownPort}` : new URL(publicOrigin).origin;
  return { url, entry: `${url}/enter?token=${entry.text}`, close: () => app.close() };
}

const refusalTexts = {
  unknown_host: 'This console is not known under that name.',
  other_origin: 'What changes something has to come from a page of this console.',
} as const;

/** Without users anybody who reaches the address may send money: it is this machine's alone, and the sandbox's. */
function requireSafeAddress({ host, publicOrigin, engine }: ConsoleOptions): void {
  if (publicOrigin !== undefined && !/^https:\/\/[^/]+\/?$/.test(publicOrigin)) {
    throw new PaybatchError(
      'console_refused',
      `"${publicOrigin}" is no public origin.`,
      'give an address such as https://paybatch.example.com, without a path',
    );
  }
  if (!isLoopbackHost(host) || publicOrigin !== undefined || engine.settings.api.mode === 'live') {
    throw new PaybatchError(
      'console_refused',
      'Without users, the console is for sandbox mode and for this machine alone.',
      'leave out the host and the public origin, and use sandbox mode',
    );
  }
}

/** A sheet with a tick. */
const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#2b5c8a"/><path d="M4 8.5l3 3 5-6" fill="none" stroke="#fff" stroke-width="2"/></svg>';

async function registerAssets(app: FastifyInstance): Promise<void> {
  const htmx = createRequire(import.meta.url).resolve('htmx.org/dist/htmx.min.js');
  const assets: readonly (readonly [string, string, string])[] = [
    ['/favicon.ico', 'image/svg+xml', icon],
    ['/assets/console.css', 'text/css; charset=utf-8', stylesheet],
    ['/assets/console.js', 'text/javascript; charset=utf-8', script],
    ['/assets/htmx.min.js', 'text/javascript; charset=utf-8', await readFile(htmx, 'utf8')],
  ];
  for (const [address, type, text] of assets) {
    app.get(address, (_request, reply) => reply.type(type).header('cache-control', 'max-age=300').send(text));
  }
  await app.register(staticFiles, { root: '/', serve: false });
}

function readCookie(header: string | undefined): string | null {
  const found = /(?:^|;\s*)paybatch_session=([A-Za-z0-9_-]{43})(?:;|$)/.exec(header ?? '');
  return found?.[1] ?? null;
}

function tokenIn(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('_csrf' in body)) return '';
  return typeof body._csrf === 'string' ? body._csrf : '';
}

function showError(
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
