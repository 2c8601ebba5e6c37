/* The console: an HTTP server of pages on one engine. It listens, controls access, and lists the routes of its pages. */

import cookie from '@fastify/cookie';
import csrf from '@fastify/csrf-protection';
import formbody from '@fastify/formbody';
import helmet from '@fastify/helmet';
import multipart from '@fastify/multipart';
import rateLimit from '@fastify/rate-limit';
import Fastify, { type FastifyInstance } from 'fastify';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { mostFileBytes } from '../read/sources/open-file.ts';
import { fieldIn, fieldsOf, KeptForms } from './access/kept-form.ts';
import { needsUsers, OwnOrigins, type Reach, requireSafeAddress } from './access/origin.ts';
import {
  EntryToken,
  forgetSession,
  SessionsInFile,
  SessionsInLedger,
  sessionTokenOf,
} from './access/sessions.ts';
import { registerAssets } from './pages/assets.ts';
import { type Frame, type Page, problemPage, signInNeededPage } from './pages/layout.ts';
import { consoleWords } from './pages/page-words.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { batchRoutes } from './routes/batches.ts';
import { callRoutes } from './routes/calls.ts';
import { type ConsoleContext, type Routes, type ShowPage, showError } from './routes/context.ts';
import { decisionRoutes } from './routes/decisions.ts';
import { differenceRoutes } from './routes/differences.ts';
import { draftRoutes } from './routes/drafts.ts';
import { haltRoutes } from './routes/halt.ts';
import { exportMappingRoutes, mappingRoutes } from './routes/mapping.ts';
import { mappingsRoutes } from './routes/mappings.ts';
import { reconcileRoutes } from './routes/reconcile.ts';
import { checkRequests, guardRoutes } from './routes/route-guard.ts';
import { rowEditRoutes } from './routes/row-edits.ts';
import { rowRoutes } from './routes/rows.ts';
import { goOnAfterRestart, sendingRoutes } from './routes/sending.ts';
import { doctorRoutes, institutionRoutes, templateRoutes } from './routes/set-up.ts';
import { enterRoutes, signInRoutes } from './routes/sign-in.ts';
import { uploadRoutes } from './routes/uploads.ts';
import { userRoutes } from './routes/users.ts';
import { type FrameOptions, showPages } from './show-pages.ts';
import { Calls } from './under-way/calls.ts';
import { KeptAnswers, MappingTalks } from './under-way/mapping-talks.ts';
import { Reconciliations } from './under-way/reconciliations.ts';
import { Uploads } from './under-way/uploads.ts';

/** The options of a console: where it listens, and which files it uses. */
export interface ConsoleOptions extends FrameOptions, Reach {
  /** The port; 0 for any free port. */
  readonly port: number;
  /** The file for the sessions of a console without users. */
  readonly sessionFile: string;
  /** Whether a key file determines the actor, whichever person makes the request. */
  readonly actsAsOne?: boolean;
  /** The name of the person who started the console. It is recorded for every action if there are no users. */
  readonly owner: string;
}

/** A listening console. */
export interface Console {
  /** The address of its first page. */
  readonly url: string;
  /** The address at which the console itself listens, with or without a proxy in front. */
  readonly listening: string;
  /** The address to open. It works only once, unless people sign in. */
  readonly entry: string;
  /** Whether people sign in. */
  readonly hasUsers: boolean;
  /** Stops accepting requests and ends; the engine stops the calls under way. */
  readonly close: () => Promise<void>;
}

const filesInOneUpload = 50;

/**
 * Starts a console.
 * @throws PaybatchError (`console_refused`) for an address that may not or cannot be used
 */
export async function startConsole(options: ConsoleOptions): Promise<Console> {
  const { engine, host, port, publicOrigin, owner } = options;
  requireSafeAddress(options);
  const hasUsers = needsUsers(options, engine.settings.api.mode);
  const isSecure = publicOrigin !== undefined;
  if (hasUsers && options.actsAsOne === true) {
    throw new PaybatchError(
      'console_refused',
      'A key file says who acts, and here each person acts under the own name.',
      { action: 'leave_out', settings: [{ setting: 'userKeyFile' }] },
    );
  }
  if (hasUsers) await engine.openConsoleKey({ file: options.keyFile }).result;
  const app = Fastify({
    bodyLimit: 1_048_576,
    forceCloseConnections: true,
    routerOptions: { querystringParser: fieldsOf },
    // The address that the proxy itself saw. Addresses before it come from the browser and could be forged.
    trustProxy: isSecure ? (_address, hop) => hop === 0 : false,
  });
  const ofOwner = await SessionsInFile.open(options.sessionFile, { name: owner, role: 'owner' });
  const sessions = hasUsers ? new SessionsInLedger(engine) : ofOwner;
  const entry = new EntryToken();
  const keptForms = new KeptForms();
  const talks = new MappingTalks(new KeptAnswers(options.uploadFolder));
  app.addHook('onClose', async () => talks.close());
  let url = '';
  const context: ConsoleContext = {
    engine,
    sessions,
    calls: new Calls(),
    uploads: new Uploads(options.uploadFolder),
    talks,
    reconciliations: new Reconciliations(options.uploadFolder),
    keptForms,
    words: consoleWords,
    hasUsers,
    isSecure,
    origin: () => url,
  };
  // The origins are set again once the port is known.
  let origins = new OwnOrigins(port, publicOrigin);
  // A batch that a killed console was sending is already under way again when a person views it.
  let goesOn: () => void = () => {};
  const isGoingOn = new Promise<void>((resume) => {
    goesOn = resume;
  });
  const pages = showPages(options, { hasUsers, keptForms });
  await registerProtection(app, isSecure);
  checkRequests(app, { engine, sessions, isGoingOn, refusalOf: (request) => origins.refusalOf(request) });
  showErrors(app, pages.show, keptForms);
  await registerForms(app, isSecure);
  registerAssets(app);
  await app.register(async (outside) => {
    const routes: Routes = { ...context, ...pages, app: outside };
    return hasUsers ? signInRoutes(routes) : enterRoutes(routes, { owner: ofOwner, entry });
  });
  await app.register(async (inside) => registerPages({ ...context, ...pages, app: inside }));
  const ownPort = await listen(app, options);
  origins = new OwnOrigins(ownPort, publicOrigin);
  const shownHost = host.includes(':') ? `[${host}]` : host;
  const listening = `http://${shownHost}:${ownPort}`;
  url = publicOrigin === undefined ? listening : new URL(publicOrigin).origin;
  try {
    await goOnAfterRestart(context);
  } catch (error) {
    await app.close();
    throw error;
  } finally {
    goesOn();
  }
  return {
    url,
    listening,
    entry: hasUsers ? `${url}/sign-in` : `${url}/enter?token=${entry.text}`,
    hasUsers,
    close: () => app.close(),
  };
}

/** Registers headers and cookies. This comes first, so that refusals and errors are also sent with these headers. */
async function registerProtection(app: FastifyInstance, isSecure: boolean): Promise<void> {
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
    // Without any referrer, browsers also omit the origin of forms.
    referrerPolicy: { policy: 'same-origin' },
    strictTransportSecurity: isSecure ? { maxAge: 31_536_000 } : false,
  });
  await app.register(cookie);
}

function showErrors(app: FastifyInstance, show: ShowPage, keptForms: KeptForms): void {
  app.setNotFoundHandler((request, reply) => {
    const page =
      request.viewer === null
        ? strangerPage
        : problemPage(
            'Not found',
            'There is no such page.',
            'Look at the batches, or begin at the first page.',
          );
    return show(request, reply, page, 404);
  });
  app.setErrorHandler((error, request, reply) => showError(error, request, reply, show, keptForms));
}

async function registerForms(app: FastifyInstance, isSecure: boolean): Promise<void> {
  await app.register(csrf, {
    cookieOpts: { httpOnly: true, sameSite: 'strict', path: '/', secure: isSecure },
    getToken: (request) => fieldIn(request.body, '_csrf'),
  });
  await app.register(formbody, { bodyLimit: 1_048_576, parser: fieldsOf });
  await app.register(multipart, {
    limits: { fileSize: mostFileBytes, files: filesInOneUpload, fields: 20, fieldSize: 65_536 },
  });
  await app.register(rateLimit, { global: false });
}

/** Registers the pages for people with a session. */
function registerPages(routes: Routes): void {
  const { app, hasUsers, show, keptForms, sessions } = routes;
  guardRoutes(app, { hasUsers, show, keptForms });
  app.post('/leave', async (request, reply) => {
    await sessions.end(sessionTokenOf(request) ?? '');
    forgetSession(reply);
    return reply.redirect('/', 303);
  });
  uploadRoutes(routes);
  templateRoutes(routes);
  callRoutes(routes);
  batchRoutes(routes);
  sendingRoutes(routes);
  mappingRoutes(routes);
  mappingsRoutes(routes);
  haltRoutes(routes);
  institutionRoutes(routes);
  doctorRoutes(routes);
  reconcileRoutes(routes);
  differenceRoutes(routes);
  exportMappingRoutes(routes);
  rowRoutes(routes);
  decisionRoutes(routes);
  approvalRoutes(routes);
  userRoutes(routes);
  draftRoutes(routes);
  rowEditRoutes(routes);
}

/**
 * @returns the port
 * @throws PaybatchError (`console_refused`)
 */
async function listen(app: FastifyInstance, { host, port }: ConsoleOptions): Promise<number> {
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
  return typeof address === 'object' && address !== null ? address.port : port;
}

/** The page that a person without a session sees if a page does not exist. */
function strangerPage(frame: Frame): Page {
  return frame.hasUsers
    ? problemPage('Not found', 'There is no such page.', 'Sign in on the first page.')
    : signInNeededPage(frame, { next: '/', kept: null });
}
