/* A person decides how an export of the other side is read, before or after its comparison. */

import { createReadStream } from 'node:fs';
import { dirname } from 'node:path';
import { actorOf } from '../access/sessions.ts';
import { failureOf } from '../pages/call.ts';
import {
  type AskedExport,
  afterExport,
  exportAddress,
  knownExportPage,
  waitingAddress,
} from '../pages/export-mapping.ts';
import { questionPage } from '../pages/mapping.ts';
import { PageProblem } from '../under-way/failures.ts';
import type { KeptReconciliation } from '../under-way/reconciliations.ts';
import type { ArrivingFile } from '../under-way/uploads.ts';
import { type Routes, viewerOf } from './context.ts';
import { waiting } from './reconcile.ts';
import { type TalkRoute, talkRoutes } from './talks.ts';

/**
 * The questions about how the files of a reconciliation are read. The agreed mapping is remembered for the header.
 */
export function exportMappingRoutes(routes: Routes): void {
  const { app, engine, reconciliations, show, words } = routes;

  talkRoutes<AskedExport>(routes, {
    path: '/batches/:batch/reconcile/:found/mapping/:file',
    fileOf: async (request) => {
      const kept = await waiting(routes, request.params['found'] ?? '', viewerOf(request));
      return askedExport(kept, request.params);
    },
    begin: (request, { kept, number }, again) => {
      const file = kept.files[number - 1]?.path ?? '';
      const actor = actorOf(viewerOf(request));
      return ({ lead, put, report }) =>
        engine.agreeOnExportMapping(
          { file, batch: kept.batch, folder: dirname(file), lead, put, again },
          { actor, words, report },
        ).result;
    },
    question: questionPage,
    known: async (request, reply, file, name) => show(request, reply, knownExportPage(file, name)),
    agreed: async (_, reply, file) => reply.redirect(afterExport(file), 303),
    failed: (frame, file, failure) => ({
      title: `The columns of ${file.name} cannot be read`,
      content: failureOf(frame, failure, { files: file.kept.files }, words),
    }),
    back: ({ kept }) => waitingAddress(kept),
  });

  app.post<TalkRoute>('/batches/:batch/reconcile/:found/again/:file', async (request, reply) => {
    const before = await reconciliations.find(request.params['found'] ?? '');
    const { number } = askedExport(before, request.params);
    const { batch, fields } = before;
    const by = viewerOf(request).name;
    // The earlier result stays unchanged.
    const kept = await reconciliations.keep({ by, batch }, filesOf(before), () => ({
      ...fields,
      replay: false,
    }));
    return reply.redirect(`${exportAddress(kept, number)}?again=yes`, 303);
  });
}

/** @throws PageProblem where a reconciliation has no such file */
function askedExport(kept: KeptReconciliation, { batch, file }: TalkRoute['Params']): AskedExport {
  const number = Number(file);
  const found = kept.files[number - 1];
  if (found === undefined || kept.batch !== batch) {
    throw new PageProblem(404, 'The reconciliation has no such file.', 'Reconcile the batch again.');
  }
  return { kept, number, name: found.name, address: exportAddress(kept, number) };
}

/** The files of a reconciliation, to keep them again. */
async function* filesOf({ files }: KeptReconciliation): AsyncGenerator<ArrivingFile> {
  for (const { name, path } of files) yield { name, content: createReadStream(path) };
}
