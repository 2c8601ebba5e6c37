/* Sending and continuing a batch: from its page, after a person has agreed to live rows, and after a restart. */

import { createHash } from 'node:crypto';
import { planTables } from '../../account/batch-tables.ts';
import { rowsToSend } from '../../account/figures.ts';
import { html } from '../../account/report/page.ts';
import type { Question } from '../../call/context.ts';
import { consoleChannel } from '../../controls/session-actor.ts';
import type { BatchAccount, ShownPlan } from '../../domain/batches/account.ts';
import { sendingCommands } from '../../domain/batches/run.ts';
import { countOf } from '../../domain/money/money.ts';
import type { SettingsOfCall } from '../../engine/use-cases.ts';
import type { Viewer } from '../access/sessions.ts';
import { amountsOf } from '../pages/batch.ts';
import { type Frame, form, liveNotice, type Page } from '../pages/layout.ts';
import { titleOf } from '../pages/standing.ts';
import { tableView } from '../pages/table.ts';
import type { ConsoleCall } from '../under-way/calls.ts';
import { PageProblem } from '../under-way/failures.ts';
import {
  type At,
  batchOf,
  beginCall,
  type CallOptions,
  type ConsoleContext,
  type EndingCall,
  type Fields,
  leadToCall,
  type Routes,
  viewerOf,
} from './context.ts';

/** Registers the routes that send and continue a batch. */
export function sendingRoutes(routes: Routes): void {
  const { app, show, engine, calls } = routes;

  app.post<At<'batch'>>('/batches/:batch/send', async (request, reply) => {
    const { plan_hash: planHash = '' } = request.body;
    if (planHash === '')
      throw new PageProblem(422, 'The form names no plan.', 'Load the page of the batch again.');
    const call = await begin(routes, request.params.batch, viewerOf(request), 'Sending', (batch, options) =>
      engine.submit({ batch, planHash }, options),
    );
    return reply.redirect(`/calls/${call.id}`, 303);
  });

  for (const what of ['resume', 'retry'] as const) {
    app.post<At<'batch'>>(`/batches/:batch/${what}`, async (request, reply) => {
      const { batch: named } = request.params;
      const { agreed } = request.body;
      const choice = choiceIn(request.query);
      // Live money moves only after a page has shown the amount, and only while that amount is still valid.
      if (engine.settings.api.mode === 'live') {
        if (agreed === undefined) {
          return reply.redirect(`/batches/${named}/agree/${what}${choiceQuery(choice)}`, 303);
        }
        const now = await batchOf(engine, named);
        if (calls.underWayOn(now.id) === undefined && agreementHash(now) !== agreed) {
          const { batch, plan } = await engine.overview({ batch: named }).result;
          const shown = { batch, plan, what, choice, isOutdated: true };
          return show(request, reply, (frame) => agreementPage(frame, shown), 409);
        }
      }
      const sending: SettingsOfCall = {
        sending: {
          ...(choice.isOff ? { refusedAlike: 'off' } : {}),
          ...(choice.isNow ? { waitingDelay: '1s' } : {}),
        },
      };
      const title = what === 'resume' ? 'Going on with' : 'Sending again';
      const call = await begin(routes, named, viewerOf(request), title, (batch, options) =>
        engine[what]({ batch, ...sending }, { ...options, confirm: agreeToSend }),
      );
      return leadToCall(reply, call);
    });
  }

  app.get<At<'batch' | 'what'>>('/batches/:batch/agree/:what', async (request, reply) => {
    const { batch: named, what } = request.params;
    if (what !== 'resume' && what !== 'retry')
      throw new PageProblem(404, 'There is no such page.', 'Go back.');
    const { batch, plan } = await engine.overview({ batch: named }).result;
    const shown: Agreement = { batch, plan, what, choice: choiceIn(request.query), isOutdated: false };
    return show(request, reply, (frame) => agreementPage(frame, shown));
  });
}

function choiceIn({ refused_alike: refusedAlike, waiting }: Fields): SendingChoice {
  return { isOff: refusedAlike === 'off', isNow: waiting === 'now' };
}

/** Answers a question to which a person has agreed by the button of a page that showed what is sent. */
function agreeToSend({ kind }: Question): boolean {
  return kind === 'send_live';
}

/**
 * Continues the sending of a killed console. The person who began it has already agreed to it. The ledger still
 * requires approvals.
 */
export async function goOnAfterRestart({ engine, calls, words }: ConsoleContext): Promise<void> {
  const { cutOff } = await engine.worklist({ limit: 0 }).result;
  for (const { batch, command, actor } of cutOff) {
    if (actor?.channel !== consoleChannel || !sendingCommands.includes(command)) continue;
    const { state, file } = await batchOf(engine, batch);
    if (state === 'closed') continue;
    calls.begin(
      { title: `Going on with ${file}`, batch, by: actor.name },
      (options) => engine.resume({ batch }, { ...options, actor, words, confirm: agreeToSend }).result,
    );
  }
}

/** Begins a call that works on one batch. A second click finds the active call, and begins no other call. */
async function begin(
  routes: Routes,
  named: string,
  viewer: Viewer,
  title: string,
  start: (batch: string, asked: CallOptions) => EndingCall,
): Promise<ConsoleCall> {
  const { engine, calls } = routes;
  const { id, file } = await batchOf(engine, named);
  const underWay = calls.underWayOn(id);
  if (underWay !== undefined) return underWay;
  return beginCall(routes, { viewer }, { title: `${title} ${file}`, batch: id }, (asked) => start(id, asked));
}

/* The page before live rows are sent, and what a person agrees to on it. */

/** The choices of a button about how a batch is continued. */
interface SendingChoice {
  /** Whether sending continues although the API refuses rows for one reason. */
  readonly isOff: boolean;
  /** Whether waiting rows are tried at once, even if the API refused them only recently. */
  readonly isNow: boolean;
}

/** A choice in the form of an address's query. */
function choiceQuery({ isOff, isNow }: SendingChoice): string {
  const parts = [...(isOff ? ['refused_alike=off'] : []), ...(isNow ? ['waiting=now'] : [])];
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** The consent of a person before live rows are sent. */
interface Agreement {
  readonly batch: BatchAccount;
  readonly plan: ShownPlan | null;
  readonly what: 'resume' | 'retry';
  readonly choice: SendingChoice;
  /** Whether the batch has changed since the person agreed to the page. */
  readonly isOutdated: boolean;
}

/**
 * A hash of the data to which a person agrees before live rows are sent. It changes with the rows by status and their
 * sums.
 */
function agreementHash({ counts, sums }: BatchAccount): string {
  return createHash('sha256')
    .update(JSON.stringify([counts, sums]))
    .digest('hex');
}

/** The page before live rows are sent that were not sent with their plan. It shows their number and their sums. */
function agreementPage(frame: Frame, { batch, plan, what, choice, isOutdated }: Agreement): Page {
  const { counts, doubt, superseded } = batch;
  const { notSent, inDoubt } = rowsToSend(batch);
  const { waiting = 0 } = counts;
  // paybatch never sends a third request for a row, or a request under an expired key.
  const again = what === 'retry' ? 0 : inDoubt - (doubt?.expired ?? 0) - (doubt?.unsettled ?? 0);
  const rejected = what === 'retry' ? (counts.rejected ?? 0) - (superseded.all.rejected ?? 0) : 0;
  const lines = [
    notSent > 0 && `${countOf(notSent, 'row')} not sent yet`,
    again > 0 &&
      `${countOf(again, 'row')} in doubt, again under ${again === 1 ? 'its own key' : 'their own keys'}`,
    waiting > 0 && countOf(waiting, 'waiting row'),
    rejected > 0 && `${countOf(rejected, 'rejected row')}, again under new keys`,
  ].filter((line) => line !== false);
  const address = `/batches/${batch.id}/${what}${choiceQuery(choice)}`;
  return {
    title: `Send rows of ${titleOf(batch)}?`,
    part: '/batches',
    content: [
      isOutdated
        ? html`<section class="problem" role="alert"><p class="headline">The batch has changed since this page was loaded: nothing was sent.</p><p>Look at it once more.</p></section>`
        : null,
      html`<section><p class="headline">${liveNotice(frame, batch)}</p>
${lines.length === 0 ? html`<p>Nothing is left to send: the batch may go on by it.</p>` : html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`}
${form(
  frame,
  address,
  html`<input type="hidden" name="agreed" value="${agreementHash(batch)}"><div class="actions"><button>Yes, send them</button>
<a class="button second" href="/batches/${batch.id}">No, back to the batch</a></div>`,
)}</section>`,
      ...(plan === null ? [] : planTables(plan.totals).map((table) => tableView(table))),
      amountsOf(batch),
    ],
  };
}
