import { randomUUID } from 'node:crypto';
import pLimit from 'p-limit';
import type { Reply } from '../../src/api/exchange.ts';
import { createSender, type SendableRow, type Sender, type SenderOptions } from '../../src/api/sender.ts';
import type { Attempt, Conclusion, SetAside, StoredRequest } from '../../src/domain/sending/outcome.ts';
import { RunStop } from '../../src/domain/sending/stops.ts';
import { always } from './raw-server.ts';
import { createVirtualTiming, type VirtualTiming } from './virtual-timing.ts';

export const path = '/v1/external-accounts';

export function reply(
  status: number,
  text = '{}',
  headers: { retryAfter?: string; contentType?: string } = {},
): Reply {
  return {
    kind: 'answer',
    status,
    headers: {
      contentType: headers.contentType ?? 'application/json',
      retryAfter: headers.retryAfter ?? null,
      location: null,
    },
    body: { state: 'whole', text },
  };
}

export const created = reply(201, '{"id":"object-1"}');
export const refused = reply(422, '{"error":{"code":"bad_iban","message":"no"}}');
export const notFound = reply(404);
export const lost: Reply = { kind: 'maybe_sent', reason: 'connection_lost' };
export const notSent: Reply = { kind: 'not_sent', reason: 'connection_refused' };

const readAnswer = (json: unknown) => ({ id: (json as { id?: string }).id });
export const row: SendableRow = {
  attemptsBefore: 0,
  isEarlierTryUnknown: false,
  resendUntil: Infinity,
  mayLeave: always,
  readAnswer,
};

export function requestOf(name: string, onPath = path): StoredRequest {
  return { path: onPath, idempotencyKey: randomUUID(), body: Buffer.from(JSON.stringify({ name })) };
}

export const namesOf = (count: number) => Array.from({ length: count }, (_, index) => `row ${index}`);

export const stateOf = (result: Conclusion | RunStop | undefined) =>
  result instanceof RunStop ? `${result.reason}: ${result.conclusion?.state}` : result?.state;

/** Answers row by row from a script; the last reply of a script goes on for ever. */
export class ScriptedApi {
  readonly received: { request: StoredRequest; atInMs: number }[] = [];
  readonly scripts = new Map<string, Reply[]>();
  answerTimeInMs = 100;
  readonly slowRows = new Map<string, number>();
  fallback: Reply = created;
  readonly #timing: VirtualTiming;

  constructor(timing: VirtualTiming) {
    this.#timing = timing;
  }

  readonly post = async (request: StoredRequest): Promise<Reply> => {
    this.received.push({ request, atInMs: this.#timing.monotonicInMs() });
    const { name } = JSON.parse(request.body.toString());
    await this.#timing.sleep(this.slowRows.get(name) ?? this.answerTimeInMs, new AbortController().signal);
    const script = this.scripts.get(name);
    return (script !== undefined && script.length > 1 ? script.shift() : script?.[0]) ?? this.fallback;
  };
}

/** A sender before a scripted API, in virtual time that starts at zero when the bench is made. */
export class SenderBench {
  readonly timing = createVirtualTiming();
  readonly api = new ScriptedApi(this.timing);
  readonly stop = new AbortController();
  congestions = 0;
  answers = 0;
  isInDoubt = false;
  readonly #startInMs = this.timing.monotonicInMs();

  elapsedInMs(): number {
    return this.timing.monotonicInMs() - this.#startInMs;
  }

  /** When each request arrived, in order. */
  arrivalsInMs(): number[] {
    return this.api.received.map(({ atInMs }) => atInMs - this.#startInMs);
  }

  wait(durationInMs: number): Promise<void> {
    return this.timing.sleep(durationInMs, new AbortController().signal);
  }

  sender(changes: Partial<SenderOptions> = {}): Sender {
    return createSender({
      client: this.api,
      timing: this.timing,
      maxAttempts: 5,
      stopSignal: this.stop.signal,
      concurrency: {
        onAnswer: () => {
          this.answers += 1;
        },
        onCongestion: () => {
          this.congestions += 1;
        },
        onDoubt: (isInDoubt) => {
          this.isInDoubt = isInDoubt;
        },
      },
      ...changes,
    });
  }

  /** Sends one row whose requests get these replies, in as many turns as it needs. */
  async sendScript(script: Reply[], changes: Partial<SendableRow> = {}, sender = this.sender()) {
    this.api.scripts.set('it', script);
    const attempts: Attempt[] = [];
    const note = (attempt: Attempt) => void attempts.push(attempt);
    try {
      let end = await sender.send(requestOf('it'), { ...row, ...changes }, note);
      while (end.state === 'set_aside') end = await end.again();
      const conclusion: Conclusion = end;
      return { stop: null, conclusion, attempts };
    } catch (error) {
      if (error instanceof RunStop) return { stop: error, conclusion: error.conclusion, attempts };
      throw error;
    }
  }

  /** Sends many rows as a run does, those that are set aside after the others, and gives each one's conclusion or stop. */
  async sendAll(sender: Sender, names: readonly string[], concurrency = 16, onPath = path) {
    const limit = pLimit(concurrency);
    const orStop = (error: unknown): RunStop => {
      if (error instanceof RunStop) return error;
      throw error;
    };
    const turn = (take: () => Promise<Conclusion | SetAside>) =>
      limit(async () => {
        const end = await take().catch(orStop);
        limit.concurrency = sender.isApiInDoubt() ? 1 : concurrency;
        return end;
      });
    let ends = await Promise.all(
      names.map((name) => turn(() => sender.send(requestOf(name, onPath), row, () => {}))),
    );
    while (ends.some(isAside)) {
      ends = await Promise.all(ends.map((end) => (isAside(end) ? turn(end.again) : end)));
    }
    return ends.filter((end): end is Conclusion | RunStop => !isAside(end));
  }
}

function isAside(end: Conclusion | SetAside | RunStop): end is SetAside {
  return !(end instanceof RunStop) && end.state === 'set_aside';
}
