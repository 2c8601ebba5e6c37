/* Answers a request with a page: in the frame of its viewer, with a form that was kept, or as a table in CSV. */

import { dirname, resolve } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Engine } from '../engine/engine.ts';
import { type KeptForms, withoutKept } from './access/kept-form.ts';
import { mayUseAddress } from './access/rights.ts';
import type { Viewer } from './access/sessions.ts';
import { type Frame, pageOf } from './pages/layout.ts';
import type { OwnFolder } from './pages/page-words.ts';
import { keptNote } from './pages/sign-in.ts';
import { type ShowPage, type ShowPart, sendTable, tableAskedFor } from './routes/context.ts';

/** The data from which the frame of every page is made. */
export interface FrameOptions {
  readonly engine: Engine;
  /** Folder of uploaded files. */
  readonly uploadFolder: string;
  /**
   * The file of the key with which the console signs what people approve on its pages. It is created at the first
   * start.
   */
  readonly keyFile: string;
  /** Whether the ledger is embedded. */
  readonly isForTrying: boolean;
}

/** Shows whole pages, and parts of them. */
export function showPages(
  options: FrameOptions,
  { hasUsers, keptForms }: { readonly hasUsers: boolean; readonly keptForms: KeptForms },
): { readonly show: ShowPage; readonly part: ShowPart } {
  const { mode, localSandbox, baseUrl } = options.engine.settings.api;
  const place = localSandbox ? 'The built-in sandbox of the API.' : (baseUrl ?? 'No API is named.');
  const folders = foldersOf(options);
  const frameOf = (request: FastifyRequest, reply: FastifyReply): Frame => ({
    mode,
    unprovenKey: request.unprovenKey,
    // People without a session are not shown the API.
    place: request.viewer === null ? '' : place,
    isForTrying: options.isForTrying,
    folders,
    viewer: request.viewer?.name ?? null,
    hasUsers,
    may: mayOf(request.viewer),
    csrf: reply.generateCsrf(),
    address: request.method === 'GET' ? withoutKept(request.url) : null,
    kept: request.viewer === null ? null : keptForms.askedFor(request.url, request.viewer.name),
  });
  const show: ShowPage = (request, reply, page, status = 200) => {
    const frame = frameOf(request, reply);
    const own = typeof page === 'function' ? page(frame) : page;
    const content =
      frame.kept === null ? own : { ...own, content: [keptNote(frame, frame.kept), own.content] };
    const asked = status === 200 ? tableAskedFor(request) : null;
    if (asked !== null) return sendTable(reply, content, asked);
    return reply
      .code(status)
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(pageOf(frame, content).text);
  };
  const part: ShowPart = (request, reply, content) =>
    reply.type('text/html; charset=utf-8').send(content(frameOf(request, reply)).text);
  return { show, part };
}

/** The folders to which the console writes. */
function foldersOf({ engine, uploadFolder, keyFile }: FrameOptions): readonly OwnFolder[] {
  const { output, ledger } = engine.settings;
  return [
    { path: resolve(output.out), name: 'the folder of results' },
    { path: resolve(uploadFolder), name: 'the folder of uploads' },
    { path: resolve(ledger.ledgerDir), name: 'the folder of the ledger' },
    { path: dirname(resolve(keyFile)), name: "the folder of the console's key" },
  ];
}

function mayOf(viewer: Viewer | null): Frame['may'] {
  // A person without a session sees only the forms for signing in.
  return (method, address) => viewer === null || mayUseAddress(viewer.role, method, address);
}
