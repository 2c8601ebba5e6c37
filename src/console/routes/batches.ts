/* The pages of batches: the lists, the results of a search, one batch, and its files. */

import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { type Html, html, section } from '../../account/report/page.ts';
import { figure } from '../../account/table.ts';
import { standingHeadline } from '../../account/words/wording.ts';
import { consoleChannel } from '../../controls/session-actor.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import type { FailedRun } from '../../domain/batches/batch-facts.ts';
import { asksToSend } from '../../domain/batches/run.ts';
import { isOfReading } from '../../domain/failures/error-codes.ts';
import type { Phrasebook } from '../../domain/failures/paybatch-error.ts';
import type { Found } from '../../engine/rows.ts';
import { actorOf } from '../access/sessions.ts';
import { pageHasChanged } from '../pages/assets.ts';
import { type BatchPage, batchPage, elsewhere } from '../pages/batch.ts';
import { failureOf, progressOf } from '../pages/call.ts';
import type { Frame, Page } from '../pages/layout.ts';
import { titleOf } from '../pages/standing.ts';
import { isDownloadName, linkCell, type TableView, tableView } from '../pages/table.ts';
import { worklistPage } from '../pages/worklist.ts';
import { failedRunsTable } from '../pages/worklist-sending.ts';
import type { ConsoleCall } from '../under-way/calls.ts';
import { PageProblem } from '../under-way/failures.ts';
import type { OpenTalk } from '../under-way/mapping-talks.ts';
import type { Upload } from '../under-way/uploads.ts';
import { type At, batchOf, type Routes, sendFile, tableAskedFor, viewerOf } from './context.ts';

/* The results of a search: batches, and rows with the matching value. */

const foundBy: Readonly<Record<Found['rows'][number]['by'], string>> = {
  object: 'the id of its object',
  key: 'its idempotency key',
  reference: 'its reference',
  account: 'its account or phone number',
  name: 'its name',
};

/** The page of a search. @param text the searched text */
function searchPage(text: string, { named, rows }: Found): Page {
  const isNothing = named.length === 0 && rows.length === 0;
  return {
    title: text === '' ? 'Find a batch or a row' : `Found for ${text}`,
    part: '/batches',
    content: [
      tableView({
        title: 'Batches',
        columns: ['Batch', 'File', 'Kind', 'Received'],
        rows: named.map(({ id, fileName, kind, createdAt }) => [
          linkCell(shortBatchId(id), `/batches/${id}`),
          fileName,
          kind,
          { time: createdAt },
        ]),
      }),
      tableView({
        title: 'Rows',
        columns: ['Row', 'File', 'Batch', 'Found by'],
        rows: rows.map(({ batch, file, row, by }) => [
          linkCell(row, `/batches/${batch}/rows/${row}`),
          file,
          linkCell(shortBatchId(batch), `/batches/${batch}`),
          foundBy[by],
        ]),
      }),
      isNothing
        ? section(
            'Nothing was found',
            html`<p>Look for a name by whole words, an account number or IBAN, a phone number with its country code (+254…), the id of a batch or of an object, an idempotency key, a reference such as an external id, or a part of a file's name. Spaces do not matter in numbers, and accents, capitals and the order of words do not in names.</p>
<p>For a part of a word or number, and for invalid rows, open <a href="/batches">the batch</a> and filter its rows.</p>`,
          )
        : null,
    ],
  };
}

/** The maximum numbers of lines in each section of the work list: on the page, and in a download. */
const [linesShown, linesDownloaded] = [20, 1_000];

/** The pages of batches. */
export function batchRoutes(routes: Routes): void {
  const { app, show, part, engine, calls, uploads, reconciliations, talks, words } = routes;

  /** Uploads are searched only if a failure may concern one of them. */
  const uploadsOf = async (failed: readonly FailedRun[]): Promise<ReadonlyMap<string, string>> =>
    failed.some(({ channel, file }) => channel === consoleChannel && file !== null)
      ? uploads.newestByName()
      : new Map();

  app.post<At<'run'>>('/failed-runs/:run/put-away', async (request, reply) => {
    const id = Number(request.params.run);
    if (!Number.isInteger(id)) throw new PageProblem(404, 'There is no such run.', 'Load the page again.');
    await engine.putAwayFailedRun({ id }, { actor: actorOf(viewerOf(request)) }).result;
    return reply.redirect('/', 303);
  });

  app.get('/', async (request, reply) => {
    const limit = tableAskedFor(request) === null ? linesShown : linesDownloaded;
    const viewer = viewerOf(request);
    const { name } = viewer;
    const list = await engine.worklist({ limit }, { actor: actorOf(viewer) }).result;
    const pages = await reconciliations.pagesOf(
      list.differences.tasks.map(({ reconciliation }) => reconciliation),
    );
    const asked = talks.of(name);
    const failedRuns = withoutAsked(list.failedRuns, asked);
    const named = await uploadsOf(failedRuns);
    return show(request, reply, (frame) =>
      worklistPage(frame, { ...list, failedRuns, asked, pages, uploads: named }, name),
    );
  });

  app.get('/batches', async (request, reply) => {
    const { shown } = await engine.status({}).result;
    const { batches, failedRuns: all } = shown.kind === 'list' ? shown : { batches: [], failedRuns: [] };
    const failedRuns = withoutAsked(all, talks.of(viewerOf(request).name));
    const named = await uploadsOf(failedRuns);
    return show(request, reply, (frame) => batchesPage(batches, failedRunsTable(frame, failedRuns, named)));
  });

  app.get<At>('/search', async (request, reply) => {
    const text = (request.query.q ?? '').trim().slice(0, 200);
    const found = await engine.find({ text }).result;
    return show(request, reply, searchPage(text, found));
  });

  app.get<At<'batch'>>('/batches/:batch', async (request, reply) => {
    const overview = await engine.overview({ batch: request.params.batch }).result;
    const { batch } = overview;
    const call = calls.newestOn(batch.id);
    const ofBatch = await uploads.ofBatch(batch.id);
    const isUploaded = ofBatch.length > 0;
    const before = knownBefore(batch, ofBatch);
    return show(request, reply, (frame) => {
      const other = batch.state === 'running' ? elsewhere(batch) : null;
      const progress = call?.end === null ? progressOf(frame, call, performance.now()) : other;
      const problem = problemOf(frame, call, batch, words);
      return batchPage(frame, { ...overview, isUploaded, before, progress, problem });
    });
  });

  const polling = { config: { isPolling: true } };
  app.get<At<'batch'>>('/batches/:batch/progress', polling, async (request, reply) => {
    const { shown } = await engine.status({ batch: request.params.batch }).result;
    if (shown.kind !== 'batch' || shown.batch.state !== 'running') {
      return reply.code(pageHasChanged).send();
    }
    return part(request, reply, () => elsewhere(shown.batch));
  });

  app.get<At<'batch' | 'name'>>('/batches/:batch/files/:name', async (request, reply) => {
    const { batch, name } = request.params;
    const { files } = await batchOf(engine, batch);
    const path = isDownloadName(name) ? (files[name] ?? null) : null;
    if (path === null)
      throw new PageProblem(404, 'The batch has no such file.', 'Look at the page of the batch.');
    return sendFile(reply, basename(path), 'application/octet-stream', createReadStream(path));
  });
}

/**
 * Failures without those files whose questions are open, because these are already listed as such. At the console, a
 * file is identified by its name.
 */
function withoutAsked(failed: readonly FailedRun[], asked: readonly OpenTalk[]): readonly FailedRun[] {
  const names = new Set(asked.map(({ name }) => name));
  return failed.filter(
    ({ channel, file, code }) =>
      !(channel === consoleChannel && file !== null && names.has(file) && isOfReading(code)),
  );
}

/** When the batch's file had come before its newest upload, if there was nothing to send since then; otherwise null. */
function knownBefore(
  { createdAt, runs }: BatchAccount,
  [newest, earlier]: readonly Upload[],
): BatchPage['before'] {
  const sending = runs.filter(asksToSend);
  if (newest === undefined || sending.some(({ startedAt }) => startedAt > newest.at)) return null;
  if (earlier !== undefined) return { by: earlier.by, at: earlier.at };
  // A command may have imported the file.
  return sending.length > 0 ? { by: null, at: createdAt } : null;
}

/** Why the newest call on a batch did not complete, unless another run has begun since. */
function problemOf(
  frame: Frame,
  call: ConsoleCall | undefined,
  { id, runs }: BatchAccount,
  words: Phrasebook,
): Html | null {
  const end = call?.end ?? null;
  if (end === null || end.failure === null || runs.some(({ startedAt }) => startedAt > end.at)) return null;
  return failureOf(frame, end.failure, { batch: id }, words);
}

/* The list of batches. */

/** The newest batches, after runs that failed without a batch. */
function batchesPage(batches: readonly BatchAccount[], failed: TableView | null): Page {
  const table = tableView({
    title: 'Newest batches',
    columns: [
      ...['Batch', 'File', 'Kind', 'Received', 'State', figure('Rows'), figure('For a person')],
      'Standing',
    ],
    rows: batches.map((batch) => [
      linkCell(shortBatchId(batch.id), `/batches/${batch.id}`),
      titleOf(batch),
      batch.kind,
      { time: batch.createdAt },
      batch.state,
      batch.rows,
      batch.needsPerson === 0 ? null : batch.needsPerson,
      standingHeadline(batch, batch.state === 'closed'),
    ]),
  });
  return {
    title: 'Batches',
    part: '/batches',
    content: [
      failed,
      table ??
        section(
          'There are no batches yet',
          html`<p class="empty"><a href="/">Upload a file</a> to make the first one.</p>`,
        ),
    ],
  };
}
