/* The decisions of people: about a row, about many rows at once, and about closing a batch. */

import { type Html, html, section } from '../../account/report/page.ts';
import { figure } from '../../account/table.ts';
import { closingHeadline, inputName, reasonName, statusLabel } from '../../account/words/wording.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import type { Selection } from '../../domain/batches/open-rows.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import { isVerdict, type Verdict, verdicts } from '../../domain/rows/ledger-row.ts';
import type { RowFilter } from '../../domain/rows/search-terms.ts';
import { ownPartOf, readConditions, type WrittenCondition } from '../../reconcile/verdicts/waiting-rows.ts';
import { type Frame, form, type Page, rowsAddress } from '../pages/layout.ts';
import { pageText, verdictChoices, verdictName } from '../pages/page-words.ts';
import { nextStepsOf } from '../pages/remedies.ts';
import { rowPage } from '../pages/row.ts';
import { type Content, countsOf, linkCell, sentence, tableView } from '../pages/table.ts';
import { PageProblem } from '../under-way/failures.ts';
import {
  type At,
  batchOf,
  beginCall,
  type CallOptions,
  type EndingCall,
  type Fields,
  leadToCall,
  type Routes,
} from './context.ts';
import { filterIn, rowIn } from './rows.ts';

/* The page for deciding about many rows at once: the rows, their sums, and the consent to exactly these rows. */

/** The content of a decision's page. */
interface DecidePage {
  /** The batch as in the address. */
  readonly batch: string;
  readonly where: string;
  /** Null if no verdict is chosen. */
  readonly verdict: Verdict | null;
  /** The rows that meet the conditions, or the error if they cannot be selected; null before a search. */
  readonly found: Selection | PaybatchError | null;
}

/** The verdicts for many rows. An object's own id can only be stated for a single row. */
const verdictsForMany: readonly Verdict[] = verdicts.filter((verdict) => verdict !== 'created');

/** The page of a decision about many rows. */
function decidePage(frame: Frame, page: DecidePage): Page {
  const { batch, where, verdict, found } = page;
  return {
    title: 'Decide about many rows',
    part: '/batches',
    content: [
      html`<p><a href="/batches/${batch}/rows?status=held">Back to the rows</a></p>`,
      section('Which rows, and what is true of them', choosing(page)),
      found === null || verdict === null
        ? null
        : 'hash' in found
          ? agreement(frame, batch, where, found)
          : html`<section class="problem" role="alert"><p class="headline">${pageText(found.said)}</p></section>`,
    ],
  };
}

function choosing({ batch, where, verdict }: DecidePage): Html {
  const words = rowsInWords(where);
  return html`<form method="get" action="/batches/${batch}/decide">
${words === null ? null : html`<p>Rows: <b>${words}</b>.</p>`}
<details${words === null ? html` open` : null}><summary>Choose the rows by a condition</summary>
<div class="field"><label for="where">Condition</label>
<p class="hint" id="where-hint">The filter that you came from has filled it in. Other conditions are such as <code>status=held and code=key_expired</code>, or a column of the file: <code>"Bank name"=Equity</code>. Only rows that are held or in doubt are meant.</p>
<input id="where" name="where" value="${where}" required maxlength="1000" size="60" aria-describedby="where-hint"></div></details>
${verdictChoices(verdictsForMany, verdict)}
<div class="actions"><button class="second">Show these rows</button><span class="soft">Nothing is changed by looking.</span></div></form>`;
}

/** The rows that meet all conditions, in words; null if the conditions cannot be read. */
function rowsInWords(where: string): string | null {
  let written: readonly WrittenCondition[];
  try {
    written = readConditions(where);
  } catch {
    // The search explains the error in the conditions.
    return null;
  }
  const valuesOf = (part: 'status' | 'code' | null): readonly WrittenCondition[] =>
    written.filter((condition) => ownPartOf(condition) === part);
  const statuses = valuesOf('status').map(({ value }) => value.toLowerCase());
  if (!statuses.every((status) => status === 'held' || status === 'unknown')) return null;
  const waiting = statuses.length === 0 ? (['held', 'unknown'] as const) : statuses;
  return [
    `all that are ${waiting.map(statusLabel).join(' or ')}`,
    ...valuesOf('code').map(({ value }) => `because: ${reasonName(value.toLowerCase())}`),
    ...valuesOf(null).map(({ name, value }) => `with ${value === '' ? 'nothing' : value} in ${name}`),
  ].join(', ');
}

function agreement(frame: Frame, batch: string, where: string, selection: Selection): Content {
  const { hash, verdict, rows, sums, samples, sentRepeatedly } = selection;
  const amounts = tableView({
    title: 'Amounts',
    columns: ['Currency', figure('Rows'), figure('Amount')],
    rows: sums.map(({ currency, amount, rows: summed }) => [currency, summed, { amount, currency }]),
  });
  const shown = tableView({
    title: rows > samples.length ? `The first ${samples.length} of them` : 'They are',
    columns: ['Row', 'Status', 'Reason', 'Name', 'Amount', 'Reference', figure('Requests')],
    rows: samples.map(({ row, status, code, name, amount, reference, attempts }) => [
      linkCell(groupedNumber(row), `/batches/${batch}/rows/${row}`),
      { status },
      code === null ? null : reasonName(code),
      name,
      amount,
      reference,
      attempts,
    ]),
  });
  const repeatedly =
    sentRepeatedly === 0
      ? null
      : html`<p><b>${countOf(sentRepeatedly, 'row')} of them ${sentRepeatedly === 1 ? 'was' : 'were'} sent more than once.</b> What is said of them has to be true of all their requests.</p>`;
  const agree = section(
    `${verdictName(verdict)}: ${countOf(rows, 'row')}`,
    form(
      frame,
      `/batches/${batch}/decide`,
      html`<input type="hidden" name="where" value="${where}"><input type="hidden" name="verdict" value="${verdict}"><input type="hidden" name="selection" value="${hash}">
${repeatedly}<p>It is recorded for exactly these rows: if one of them changes before that, for none. Nothing is sent by it.</p>
<div class="field"><label for="note">Note: how do you know?</label><input id="note" name="note" required maxlength="500" size="60"></div>
<div class="actions"><button>Record it for ${countOf(rows, 'row')}</button><span class="soft">Selection <code>${hash}</code></span></div>`,
    ),
  );
  return [amounts, shown, agree];
}

/** The conditions of a verdict that select the rows of a filter, as far as conditions can express the filter. */
function whereOf({ status, code }: Pick<RowFilter, 'status' | 'code'>): string {
  return [
    ...(status === undefined ? [] : [`status=${status}`]),
    ...(code === undefined ? [] : [`code=${/^\w+$/.test(code) ? code : `"${code.replaceAll('"', '""')}"`}`]),
  ].join(' and ');
}

/** The pages of decisions. */
export function decisionRoutes(routes: Routes): void {
  const { app, show, engine } = routes;
  app.get<At<'batch' | 'row'>>('/batches/:batch/rows/:row', async (request, reply) => {
    const row = rowIn(request.params.row);
    const { shown } = await engine.status({ batch: request.params.batch, row }).result;
    if (shown.kind !== 'row') throw new PaybatchError('batch_not_found', 'There is no such batch.', null);
    const from = { row: row - 1, direction: 'after' } as const;
    const { rows, columns } = await engine.rows({ batch: shown.batch.id, from, limit: 1 }).result;
    const [result] = rows;
    if (result === undefined) throw new Error('a row has a history and no cells');
    const draft = await engine.draft({ batch: shown.batch.id, row }).result;
    const isOther = shown.row.code === 'differs_from_created';
    const created = isOther
      ? (await engine.createdValues({ batch: shown.batch.id, row }).result).created
      : null;
    return show(request, reply, (frame) => rowPage(frame, { ...shown, result, columns, draft, created }));
  });

  app.post<At<'batch' | 'row'>>('/batches/:batch/rows/:row/verdict', async (request, reply) => {
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
    const next = `/batches/${batch}/rows/${row}`;
    const back = { address: next, name: 'Back to the row' };
    const subject = { title: `Deciding about row ${row}`, back, next };
    const work = (asked: CallOptions): EndingCall => engine.resolve({ batch, verdicts: verdict }, asked);
    return leadToCall(reply, beginCall(routes, request, subject, work));
  });

  app.get<At<'batch'>>('/batches/:batch/decide', async (request, reply) => {
    const { batch } = request.params;
    const { verdict: named = '' } = request.query;
    const { where = whereOf(undecided(filterIn(request.query))) } = request.query;
    const verdict = isVerdict(named) ? named : null;
    const found: DecidePage['found'] =
      verdict === null
        ? null
        : await engine.selection({ batch, where, verdict }).result.then(
            ({ selection }) => selection,
            (error: unknown) => aboutSelection(error),
          );
    return show(request, reply, (frame) => decidePage(frame, { batch, where, verdict, found }));
  });

  app.post<At<'batch'>>('/batches/:batch/decide', async (request, reply) => {
    const { batch } = request.params;
    const { where = '', note = '', selection = '' } = request.body;
    if (selection === '')
      throw new PageProblem(422, 'The form names no selection.', 'Look at the rows again.');
    const verdict = verdictIn(request.body);
    const query = new URLSearchParams({ where, verdict }).toString();
    const back = { address: `/batches/${batch}/decide?${query}`, name: 'Look at the rows again' };
    const next = rowsAddress(batch, { code: 'resolved' });
    const verdicts = { where, verdict, note: note.trim(), selection };
    const work = (asked: CallOptions): EndingCall => engine.resolve({ batch, verdicts }, asked);
    const subject = { title: 'Deciding about many rows', back, next };
    return leadToCall(reply, beginCall(routes, request, subject, work));
  });

  app.get<At<'batch'>>('/batches/:batch/close', async (request, reply) => {
    const batch = await batchOf(engine, request.params.batch);
    return show(request, reply, (frame) => closePage(frame, batch));
  });

  app.post<At<'batch'>>('/batches/:batch/close', async (request, reply) => {
    const { batch } = request.params;
    const note = (request.body['note'] ?? '').trim();
    if (note === '')
      throw new PageProblem(422, 'A batch is closed with a note that says why.', 'Write one.', 'note');
    const back = { address: `/batches/${batch}/close`, name: 'Back' };
    const subject = { title: `Closing batch ${shortBatchId(batch)}`, back, next: `/batches/${batch}` };
    const work = (asked: CallOptions): EndingCall => engine.closeBatch({ batch, note }, asked);
    return leadToCall(reply, beginCall(routes, request, subject, work));
  });
}

function verdictIn({ verdict = '' }: Fields): Verdict {
  if (isVerdict(verdict)) return verdict;
  throw new PageProblem(422, 'Nothing was chosen.', 'Choose what is true.');
}

/** Limits a filter to held rows and rows in doubt, because only these wait for a verdict. */
function undecided({ status, code }: RowFilter): RowFilter {
  const isUndecided = status === 'held' || status === 'unknown';
  return { status: isUndecided ? status : 'held', ...(code === undefined ? {} : { code }) };
}

/** The error about a selection's conditions, to be shown beside them. Other errors are thrown again. */
function aboutSelection(error: unknown): PaybatchError {
  if (error instanceof PaybatchError && error.code.startsWith('selection_')) return error;
  throw error;
}

/* The page for closing a batch: what closing means, and what prevents it. */

/** The page of closing a batch. */
export function closePage(frame: Frame, batch: BatchAccount): Page {
  const { id, counts, closing, next } = batch;
  const unsent = (counts.not_sent ?? 0) + (counts.waiting ?? 0) + (counts.held ?? 0);
  const inDoubt = counts.unknown ?? 0;
  const back = html`<p><a href="/batches/${id}">Back to the batch</a></p>`;
  const page = (...content: readonly Html[]): Page => ({
    title: `Close ${inputName(batch)}`,
    part: '/batches',
    content: [back, ...content],
  });
  if (closing !== null)
    return page(section('It is closed', html`<p>${sentence(closingHeadline(closing))}</p>`));
  if (inDoubt > 0) {
    const steps = next.filter(({ remedy }) => remedy.action !== 'close');
    const doubt = html`<section class="problem"><p class="headline">${countOf(inDoubt, 'row')} may exist at the API.</p>
<p>They were sent, and no answer says what came of it. They have to be decided before the batch can be closed.</p></section>`;
    const shown = nextStepsOf(frame, steps, { upload: null });
    return page(doubt, ...(shown === null ? [] : [shown]));
  }
  return page(
    section('What that means', [
      html`<p>No run takes this batch up any more. ${countOf(unsent, 'row')} that ${unsent === 1 ? 'was' : 'were'} not sent will not be sent. What is created stays created: nothing is taken back. A closed batch cannot be opened again.</p>`,
      countsOf(batch),
    ]),
    section(
      'Close it',
      form(
        frame,
        `/batches/${id}/close`,
        html`<div class="field"><label for="note">Why? It is kept with your name.</label><input id="note" name="note" required maxlength="500" size="60"></div>
<div class="actions"><button class="danger">Close the batch</button></div>`,
      ),
    ),
  );
}
