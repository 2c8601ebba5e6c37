import type { Reply } from '../../src/api/exchange.ts';
import type { Answer } from '../../src/domain/sending/answer.ts';
import type { StoredRequest } from '../../src/domain/sending/outcome.ts';
import type { Faults, RequestFate } from './faults.ts';
import { type ArrivingRequest, answer, json, type ModelApi, refusal } from './model-api.ts';
import type { Actor, World } from './world.ts';

/** The client's limit for one request as a whole. */
export const requestTimeoutInMs = 30_000;

/** How long a request may be under way before it reaches the API, or is lost. */
const longestDelayInMs = 60_000;

const signInPage = answer(200, '<!doctype html><title>Sign in</title>', 'text/html');
const redirect = withHeader(answer(302, '', null), { location: 'https://portal.example.test/sign-in' });

/** An answer that comes from something before the API, which has then not seen the request. */
const answersBefore: Partial<Record<RequestFate, (world: World) => Answer>> = {
  html_page: () => signInPage,
  redirect: () => redirect,
  unauthorised: () => refusal(401, 'unauthorised'),
  forbidden: () => refusal(403, 'forbidden'),
  not_found: () => refusal(404, 'not_found'),
  bad_request: () => refusal(400, 'bad_request'),
  request_timeout: () => refusal(408, 'request_timeout'),
  conflict: () => refusal(409, 'conflict'),
  throttled: () => refusal(429, 'slow_down'),
  throttled_seconds: () => withHeader(refusal(429, 'slow_down'), { retryAfter: '7' }),
  throttled_date: ({ nowInMs }) =>
    withHeader(refusal(429, 'slow_down'), {
      retryAfter: new Date(calendarAt(nowInMs) + 9_000).toUTCString(),
    }),
  fault_before: ({ random }) => refusal(random.pick([500, 502, 503, 504]), 'fault'),
  unavailable_seconds: () => withHeader(refusal(503, 'maintenance'), { retryAfter: '3' }),
};

/** What becomes of an answer that the API has given; null: it never comes. */
const answersAfter: Partial<Record<RequestFate, (given: Answer, world: World) => Answer | null>> = {
  reset_after: () => null,
  lost_answer: () => null,
  cut_answer: (given) => ({ ...given, body: { state: 'cut' } }),
  cut_json: (given) =>
    given.body.state === 'whole'
      ? { ...given, body: { state: 'whole', text: given.body.text.slice(0, -4) } }
      : given,
  empty_answer: (given) => ({ ...given, body: { state: 'whole', text: '' } }),
  too_large_answer: (given) => ({ ...given, body: { state: 'too_large' } }),
  answer_without_id: (given) => (given.status === 201 ? json(201, { data: {} }) : given),
  html_page_after: () => signInPage,
  redirect_after: () => redirect,
  fault_after: (_given, { random }) => refusal(random.pick([500, 502, 504]), 'fault'),
};

/** The real calendar's time at a moment of virtual time, in milliseconds since 1970. */
export function calendarAt(nowInMs: number): number {
  return Date.UTC(2026, 2, 1, 12) + nowInMs;
}

function withHeader(given: Answer, header: Partial<Answer['headers']>): Answer {
  return { ...given, headers: { ...given.headers, ...header } };
}

/** The way between programs and the API. */
export class SimulatedNetwork {
  readonly #world: World;
  readonly #faults: Faults;
  readonly #api: ModelApi;
  /** Requests that may still reach the API. */
  underWay = 0;
  /** What always becomes of the requests that have a fate of their own; null for others. */
  fateOf: (request: StoredRequest) => RequestFate | null = () => null;

  constructor(world: World, faults: Faults, api: ModelApi) {
    this.#world = world;
    this.#faults = faults;
    this.#api = api;
  }

  /** One HTTP request of a program; the program may die before it has its reply. */
  exchange(actor: Actor, request: StoredRequest, credential: string, onReply: (reply: Reply) => void): void {
    const world = this.#world;
    const fate = this.fateOf(request) ?? this.#fateNow();
    let isOver = false;
    const deadline = world.after(requestTimeoutInMs, actor, () =>
      finish({ kind: 'maybe_sent', reason: 'timeout' }),
    );
    const finish = (reply: Reply): void => {
      if (isOver) return;
      isOver = true;
      deadline.isCancelled = true;
      onReply(reply);
    };
    const reply = (value: Reply, delayInMs = world.random.whole(1, 40)): void => {
      world.after(delayInMs, actor, () => finish(value));
    };
    const before = fate === null ? undefined : answersBefore[fate];
    if (before !== undefined) reply({ kind: 'answer', ...before(world) });
    else if (fate === 'connection_refused') reply({ kind: 'not_sent', reason: 'connection_refused' });
    else if (fate === 'reset_before') reply({ kind: 'maybe_sent', reason: 'connection_lost' });
    else if (fate !== 'lost_request') {
      this.#deliver({ ...request, body: Buffer.from(request.body), credential }, fate, reply);
    }
  }

  #fateNow(): RequestFate | null {
    const { nowInMs } = this.#world;
    if (nowInMs < this.#faults.apiDownUntilInMs) return 'connection_refused';
    if (nowInMs < this.#faults.credentialsRevokedUntilInMs) return 'unauthorised';
    return this.#faults.requestFate();
  }

  #deliver(
    request: ArrivingRequest,
    fate: RequestFate | null,
    reply: (value: Reply, delayInMs?: number) => void,
  ): void {
    const { random } = this.#world;
    const isLate = fate === 'late_request';
    this.underWay += 1;
    const delayInMs = isLate ? random.whole(requestTimeoutInMs / 2, longestDelayInMs) : random.whole(1, 40);
    this.#world.after(delayInMs, null, () => {
      this.underWay -= 1;
      this.#api.receive(request, (given) => {
        const change = fate === null ? undefined : answersAfter[fate];
        const received = change === undefined ? given : change(given, this.#world);
        const travelInMs = fate === 'slow_answer' ? random.whole(1_000, 40_000) : random.whole(1, 40);
        if (received !== null) reply({ kind: 'answer', ...received }, travelInMs);
        else if (fate === 'reset_after') reply({ kind: 'maybe_sent', reason: 'connection_lost' });
      });
    });
  }
}
