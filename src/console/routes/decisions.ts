/* What people decide: about a row, about many rows at once, and that a batch is not to be sent. */

import { shortBatchId } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { isVerdict, type Verdict } from '../../domain/rows/ledger-row.ts';
import type { RowFilter } from '../../domain/rows/row-search.ts';
import { actorOf } from '../access/sessions.ts';
import { rowsAddress } from '../pages/addresses.ts';
import { closePage } from '../pages/close.ts';
import { type DecidePage, decidePage, whereOf } from '../pages/decide.ts';
import { rowPage } from '../pages/row.ts';
import { PageProblem } from '../under-way/failures.ts';
import { type Routes, viewerOf } from './context.ts';
import { filterIn, type RowsQuery, rowIn } from './rows.ts';

type Fields = Readonly<Partial<Record<string, string>>>;

/** The pages of decisions. */
export function decisionRoutes({ app, show, engine, calls, words }: Routes): void {
  app.get<{ Params: { batch: string; row: string } }>('/batches/:batch/rows/:row', async (request, reply) => {
    const row = rowIn(request.params.row);
    const { shown } = await engine.status({ batch: request.params.batch, row }).result;
    if (shown.kind !== 'row') throw new PaybatchError('batch_not_found', 'There is no such batch.', null);
    const from = { row: row - 1, direction: 'after' } as const;
    const { rows, columns } = await engine.rows({ batch: shown.batch.id, from, limit: 1 }).result;
    const [result] = rows;
    if (result === undefined) throw new Error('a row has a history and no cells');
    const draft = await engine.draft({ batch: shown.batch.id, row }).result;
    return show(request, reply, (frame) => rowPage(frame, { ...shown, result, columns, draft }));
  });

  app.post<{ Params: { batch: string; row: string }; Body: Fields }>(
    '/batches/:batch/rows/:row/verdict',
    async (request, reply) => {
      const { batch } = request.params;
      const row = rowIn(request.params.row);
      const { id = '', note = '', key = '', attempts = '' } = request.body;
      const verdict = {
        row,
        verdict: verdictIn(request.body),
        id: id.trim() === '' ? null : id.trim(),
        note: note.trim(),
        key: key === '' ? null : key,
        attempts: /^\d{1,9}$/.test(attempts) ? Number(attempts) : null,
      };
      const viewer = viewerOf(request);
      const address = `/batches/${batch}/rows/${row}`;
      const call = calls.begin(
        {
          title: `Deciding about row ${row}`,
          back: { address, name: 'Back to the row' },
          next: address,
          by: viewer.name,
        },
        (options) => {
          const asked = { ...options, actor: actorOf(viewer), words };
          return engine.resolve({ batch, verdicts: verdict }, asked).result;
        },
      );
      return reply.redirect(`/calls/${call.id}`, 303);
    },
  );

  app.get<{ Params: { batch: string }; Querystring: RowsQuery }>(
    '/batches/:batch/decide',
    async (request, reply) => {
      const { batch } = request.params;
      const { where: given, verdict: named } = request.query;
      const where = typeof given === 'string' ? given : whereOf(undecided(filterIn(request.query)));
      const verdict = typeof named === 'string' && isVerdict(named) ? named : null;
      const found: DecidePage['found'] =
        verdict === null
          ? null
          : await engine.selection({ batch, where, verdict }).result.then(
              ({ selection }) => selection,
              (error: unknown) => aboutSelection(error),
            );
      return show(request, reply, (frame) => decidePage(frame, { batch, where, verdict, found }));
    },
  );

  app.post<{ Params: { batch: string }; Body: Fields }>('/batches/:batch/decide', async (request, reply) => {
    const { batch } = request.params;
    const { where = '', note = '', selection = '' } = request.body;
    if (selection === '')
      throw new PageProblem(422, 'The form names no selection.', 'Look at the rows again.');
    const verdict = verdictIn(request.body);
    const viewer = viewerOf(request);
    const query = new URLSearchParams({ where, verdict }).toString();
    const call = calls.begin(
      {
        title: 'Deciding about many rows',
        back: { address: `/batches/${batch}/decide?${query}`, name: 'Look at the rows again' },
        next: rowsAddress(batch, { code: 'resolved' }),
        by: viewer.name,
      },
      (options) => {
        const asked = { ...options, actor: actorOf(viewer), words };
        const verdicts = { where, verdict, note: note.trim(), selection };
        return engine.resolve({ batch, verdicts }, asked).result;
      },
    );
    return reply.redirect(`/calls/${call.id}`, 303);
  });

  app.get<{ Params: { batch: string } }>('/batches/:batch/close', async (request, reply) => {
    const { shown } = await engine.status({ batch: request.params.batch }).result;
    if (shown.kind !== 'batch') throw new PaybatchError('batch_not_found', 'There is no such batch.', null);
    return show(request, reply, (frame) => closePage(frame, shown.batch));
  });

  app.post<{ Params: { batch: string }; Body: Fields }>('/batches/:batch/close', async (request, reply) => {
    const { batch } = request.params;
    const note = (request.body['note'] ?? '').trim();
    const address = `/batches/${batch}/close`;
    if (note === '')
      throw new PageProblem(422, 'A batch is closed with a note that says why.', 'Go back, and write one.');
    const viewer = viewerOf(request);
    const call = calls.begin(
      {
        title: `Closing batch ${shortBatchId(batch)}`,
        back: { address, name: 'Back' },
        next: `/batches/${batch}`,
        by: viewer.name,
      },
      (options) => {
        const asked = { ...options, actor: actorOf(viewer), words };
        return engine.closeBatch({ batch, note }, asked).result;
      },
    );
    return reply.redirect(`/calls/${call.id}`, 303);
  });
}

function verdictIn({ verdict = '' }: Fields): Verdict {
  if (isVerdict(verdict)) return verdict;
  throw new PageProblem(422, 'Nothing was chosen.', 'Go back, and choose what is true.');
}

/** Only held rows and rows in doubt wait for a verdict. */
function undecided({ status, code }: RowFilter): RowFilter {
  const isUndecided = status === 'held' || status === 'unknown';
  return { status: isUndecided ? status : 'held', ...(code === undefined ? {} : { code }) };
}

/** What is wrong with the conditions of a selection is shown beside them. */
function aboutSelection(error: unknown): PaybatchError {
  if (error instanceof PaybatchError && error.code.startsWith('selection_')) return error;
  throw error;
}
