/* What an answer of the API means for a request: its outcome, and when the request may be sent again. */

import { isAtMost } from '../text/characters.ts';
import type { Attempt, CreationReading, Outcome, StopCause, StopReason, UnknownReason } from './outcome.ts';

/** The headers that decisions use; null where the answer has none. */
export interface AnswerHeaders {
  readonly contentType: string | null;
  readonly retryAfter: string | null;
  readonly location: string | null;
  /** Not used for decisions about rows: it shows whether the API's clock agrees with this machine's. */
  readonly date?: string | null;
}

/**
 * An answer's body. `whole` means that its announced end was read; where the connection's end ends the answer,
 * no end was announced, so only complete JSON proves that it is whole. `cut` ended early, and
 * `too_large` was not read to its end because it passed the limit.
 */
export type AnswerBody =
  | { readonly state: 'whole'; readonly text: string }
  | { readonly state: 'cut' }
  | { readonly state: 'too_large' };

/** What came back from the API: at least a status and headers. */
export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: AnswerBody;
}

const longestMessageInCharacters = 300;
const codePattern = /^[a-z][a-z0-9_.-]{1,63}$/i;

/** These statuses do not show whether the request was carried out. */
const inconclusiveStatuses: ReadonlySet<number> = new Set([408, 425]);

/**
 * The meaning of one answer, from the answer alone. Created needs evidence: a 2xx with whole JSON and an id.
 * An answer that is not conclusive is `unknown`. One that points to credentials or configuration stops the run.
 * A redirect, or a page under a 2xx, does both: the request has left, and its result is not known.
 *
 * @param readAnswer finds the created object in the answer's JSON, in this endpoint's place for it
 * @param now the moment of the answer, for a `Retry-After` date
 */
export function classifyAnswer(
  answer: Answer,
  readAnswer: (json: unknown) => CreationReading,
  now: Date,
): Outcome {
  const { status, headers } = answer;
  if (status === 401 || status === 403) {
    return { kind: 'stop', ...cause('credentials', `the API refused the credentials (${status})`) };
  }
  if (status >= 300 && status < 400) return redirection(answer);
  if (status === 429) return { kind: 'throttled', waitInMs: parseRetryAfter(headers.retryAfter, now) };
  if (status < 200 || status >= 500 || inconclusiveStatuses.has(status)) {
    return { kind: 'unknown', reason: 'server_error' };
  }
  const { body } = answer;
  // Undefined when it is not whole, or not JSON.
  const json = body.state === 'whole' ? parsedJson(body.text) : undefined;
  if (json === undefined && isHtml(answer)) {
    const page = cause(
      'not_the_api',
      `an HTML page came back where JSON should be (${status}): is the base URL right?`,
    );
    // A refusal counts, even on another server's page; a conflict or a confirmation does not show what was carried out.
    const isRefusal = status >= 400 && status !== 409;
    return isRefusal ? { kind: 'stop', ...page } : { kind: 'unknown', reason: 'not_the_api', stop: page };
  }
  if (status < 300) return creation(answer.body, json, readAnswer);
  return refusal(answer, json);
}

/** Why an outcome stops the run; null when it does not. */
export function stopCauseOf(outcome: Outcome): StopCause | null {
  if (outcome.kind === 'stop') return { reason: outcome.reason, message: outcome.message };
  return outcome.kind === 'unknown' ? (outcome.stop ?? null) : null;
}

function cause(reason: StopReason, message: string): StopCause {
  return { reason, message };
}

function redirection({ status, headers }: Answer): Outcome {
  const location = headers.location;
  // Only the origin: the rest of an address may hold tokens.
  const target = location !== null && URL.canParse(location) ? ` to ${new URL(location).origin}` : '';
  const message = `the API answered with a redirect${target} (${status}); redirects are never followed`;
  return { kind: 'unknown', reason: 'redirect', stop: cause('redirect', message) };
}

function creation(body: AnswerBody, json: unknown, readAnswer: (json: unknown) => CreationReading): Outcome {
  if (body.state === 'too_large') return { kind: 'unknown', reason: 'answer_too_large' };
  if (json === undefined) return { kind: 'unknown', reason: 'answer_incomplete' };
  // An answer that names an error confirms nothing, whatever its status and other content.
  if ((memberOf(json, 'error') ?? null) !== null) {
    const apiError = { code: refusalCode(json) ?? null, message: refusalMessage(json) ?? null };
    return { kind: 'unknown', reason: 'error_in_answer', apiError };
  }
  const { id: objectId, differences } = readAnswer(json);
  if (objectId === undefined || objectId === '') return { kind: 'unknown', reason: 'answer_without_id' };
  return differences === undefined
    ? { kind: 'created', objectId }
    : { kind: 'created', objectId, differences };
}

function refusal({ status, headers, body }: Answer, json: unknown): Outcome {
  const message = refusalMessage(json) ?? `the API answered ${status}`;
  if (status === 409) return { kind: 'conflict', message };
  // JSON that ends early is a cut answer, even where the connection's end makes it look whole.
  const isBroken = body.state === 'whole' && body.text !== '' && json === undefined && isJson(headers);
  if (body.state === 'cut' || isBroken) return { kind: 'unknown', reason: 'answer_incomplete' };
  return { kind: 'refused', code: refusalCode(json) ?? `http_${status}`, message };
}

function isJson({ contentType }: AnswerHeaders): boolean {
  return /^application\/([\w.+-]*\+)?json\b/i.test(contentType ?? '');
}

function isHtml({ headers, body }: Answer): boolean {
  if (/^\s*(text\/html|application\/xhtml\+xml)\b/i.test(headers.contentType ?? '')) return true;
  return body.state === 'whole' && /^\s*<(!doctype html|html\b)/i.test(body.text);
}

/** The API's own code for a refusal, where it has the form of a code. */
function refusalCode(json: unknown): string | undefined {
  const code = memberOf(memberOf(json, 'error'), 'code');
  if (typeof code !== 'string' || !codePattern.test(code)) return undefined;
  return maskPersonal(code) === code ? code : undefined;
}

/**
 * The API's sentence about a refusal. The shape of its errors is not specified, so the usual places are
 * tried in turn.
 */
function refusalMessage(json: unknown): string | undefined {
  const error = memberOf(json, 'error');
  const places = [error, memberOf(error, 'message'), memberOf(json, 'message'), memberOf(error, 'code')];
  for (const place of places) {
    if (typeof place !== 'string' || !isAtMost(place, longestMessageInCharacters)) continue;
    const message = maskPersonal(place.replace(/\s+/gu, ' ').replace(/\p{C}/gu, '').trim());
    if (message !== '') return message;
  }
  return undefined;
}

/** What distinguishes reasons of refusals: the API's code, and its words without numbers and hidden values. */
export function reasonOfRefusal(code: string | null, message: string | null): string {
  const words = (message ?? '').replace(/\*{3}[^\s"'`”’»,;.)]*/gu, '…').replace(/\p{Nd}+/gu, '#');
  return `${code ?? ''} ${words}`;
}

const personalPatterns: readonly RegExp[] = [
  /[^\s@<>"'(),;]+@[^\s@<>"'(),;]+/gu,
  /\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}\b/g,
  /\b[a-z]{2}\d{2}[a-z0-9]{11,30}\b/gi,
  /\+?\p{Nd}(?:[\s()./-]{0,2}\p{Nd}){4,}/gu,
];

// A quoted value may be any value of the row; a quoted field's name shows what is wrong.
const quotedPattern = /(?<![\p{L}\p{Nd}])(["'`“‘«])(.+?)(["'`”’»])(?![\p{L}\p{Nd}])/gu;
const fieldNamePattern = /^[a-z]+([_.][a-z0-9]+)*$/;

/** Masks what looks personal: quoted values, e-mail addresses, IBANs, and longer numbers except their end. */
function maskPersonal(text: string): string {
  const unquoted = text.replace(quotedPattern, (quoted, open: string, value: string, close: string) =>
    fieldNamePattern.test(value) ? quoted : `${open}***${close}`,
  );
  return personalPatterns.reduce(
    (masked, pattern) => masked.replace(pattern, (found) => `***${found.slice(-2)}`),
    unquoted,
  );
}

/** A member of parsed JSON; undefined where that is not an object, or has no such member. */
export function memberOf(json: unknown, name: string): unknown {
  if (typeof json !== 'object' || json === null || !Object.hasOwn(json, name)) return undefined;
  return Reflect.get(json, name);
}

/** The value at a dotted path of parsed JSON; undefined as soon as a step is missing. */
export function valueAtPath(json: unknown, path: string): unknown {
  let value = json;
  for (const step of path.split('.')) {
    value = memberOf(value, step);
    if (value === undefined) return undefined;
  }
  return value;
}

/** Parsed JSON, or undefined for text that is not JSON. */
export function parsedJson(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/* When a request may be sent again: how long its key may be used, and how long to wait before the next attempt. */

/** How long after its first send a row may be sent again under its key without a person's decision. */
export interface KeyLifetime {
  readonly durationInMs: number;
  /** It is not stated how long the API of a live environment remembers its keys: this is a cautious assumption. */
  readonly isAssumed: boolean;
}

/**
 * Used where no lifetime is stated. Providers keep keys for ten minutes to thirty days: in live mode a longer
 * guess could create an object twice.
 */
const unstatedInMs = { sandbox: 24 * 3_600_000, live: 10 * 60_000 } as const;

/** @param statedInMs the stated key lifetime of the API; undefined where none is stated */
export function keyLifetimeOf(mode: keyof typeof unstatedInMs, statedInMs: number | undefined): KeyLifetime {
  return {
    durationInMs: statedInMs ?? unstatedInMs[mode],
    isAssumed: statedInMs === undefined && mode === 'live',
  };
}

/** How far the clock that noted a first send may be ahead of the clock that asks now; the ledger's claims allow the same. */
const toleratedClockSkewInMs = 5 * 60_000;

/**
 * How much younger than its lifetime a key has to be for its request to be sent again although its object exists: a
 * mistake would create a second object, and only facts are gained. Half is for the clocks, half for the transport.
 */
const marginInMs = 2 * toleratedClockSkewInMs;

/**
 * The greatest age of a key at which the request of an existing object may be sent again.
 * @returns null where the lifetime of keys is an assumption: then no such request is sent
 */
export function repeatableAgeInMs({ durationInMs, isAssumed }: KeyLifetime): number | null {
  return isAssumed ? null : Math.max(0, durationInMs - marginInMs);
}

/** The limits of one row's tries within one run. */
export interface RetrySettings {
  /** Requests for one row in one run. */
  readonly maxAttempts: number;
  /** How often a 409 is tried again before a person has to look at it. */
  readonly maxConflictRetries: number;
  /** How often a request is sent again after a whole 2xx answer without a usable id. */
  readonly maxUnreadableRetries: number;
  /** Tries without an answer after which a row is set aside, so that other rows have their turn. */
  readonly triesBeforeAside: number;
  /** The first delay is random between 0 and this; each further one doubles the upper end. */
  readonly baseDelayInMs: number;
  readonly maxDelayInMs: number;
}

export const defaultRetrySettings: RetrySettings = {
  maxAttempts: 5,
  maxConflictRetries: 3,
  maxUnreadableRetries: 1,
  triesBeforeAside: 2,
  baseDelayInMs: 500,
  maxDelayInMs: 20_000,
};

/** Reasons that a retry rarely changes: the API repeats its stored answer for the same key. */
const unreadableReasons: ReadonlySet<string | null> = new Set(['answer_without_id', 'answer_too_large']);

/**
 * How long a row waits before its next try: exponential with full jitter, so that rows that failed together do not
 * retry together.
 *
 * @param failedTries this row's tries in this run so far, 1 or more
 * @param random a number from 0 (inclusive) to 1
 */
export function retryDelayInMs(failedTries: number, settings: RetrySettings, random: number): number {
  const ceilingInMs = Math.min(settings.maxDelayInMs, settings.baseDelayInMs * 2 ** (failedTries - 1));
  return Math.round(random * ceilingInMs);
}

/**
 * How long a row that was set aside waits after its latest try: longer each time, and at least half of the
 * maximum, since a short pause does not help a row that failed more than once.
 *
 * @param failedTries this row's tries in this run so far, 1 or more
 * @param random a number from 0 (inclusive) to 1
 */
export function asideDelayInMs(failedTries: number, settings: RetrySettings, random: number): number {
  const ceilingInMs = Math.min(settings.maxDelayInMs, settings.baseDelayInMs * 2 ** failedTries);
  return Math.round((ceilingInMs * (1 + random)) / 2);
}

/**
 * Whether an outcome may come from an API that is down. Whole JSON that confirms nothing, a 429 and a conflict show that
 * the API is up.
 */
export function mayBeOutage(outcome: Outcome): boolean {
  if (outcome.kind === 'not_sent') return true;
  return outcome.kind === 'unknown' && !answersOfTheApi.has(outcome.reason);
}

const answersOfTheApi: ReadonlySet<UnknownReason> = new Set([
  'answer_without_id',
  'answer_too_large',
  'error_in_answer',
]);

/**
 * Whether a row that may be tried again lets other rows go first. A row that timed out has used its place for long, so it
 * is set aside at once.
 *
 * @param triesInRun this row's tries in this run so far
 */
export function isToBeSetAside(outcome: Outcome, triesInRun: number, settings: RetrySettings): boolean {
  if (!mayBeOutage(outcome)) return false;
  const isTimeout = outcome.kind === 'unknown' && outcome.reason === 'timeout';
  return isTimeout || triesInRun >= settings.triesBeforeAside;
}

/**
 * Whether another try may change an outcome, whatever number of tries is left.
 *
 * @param attempts this row's tries in this run, the one with this outcome included
 */
export function isWorthRetrying(
  outcome: Outcome,
  attempts: readonly Attempt[],
  settings: RetrySettings,
): boolean {
  switch (outcome.kind) {
    case 'created':
    case 'refused':
    case 'stop':
      return false;
    case 'throttled':
    case 'not_sent':
      return true;
    case 'conflict':
      return (
        attempts.filter((attempt) => attempt.outcome === 'conflict').length <= settings.maxConflictRetries
      );
    case 'unknown':
      // The API has given its answer; the same key would only repeat it.
      if (outcome.reason === 'error_in_answer') return false;
      if (!unreadableReasons.has(outcome.reason)) return true;
      return (
        attempts.filter((attempt) => unreadableReasons.has(attempt.reason)).length <=
        settings.maxUnreadableRetries
      );
  }
}

/** The longest wait that an answer can impose at a time; afterwards the request is simply sent again. */
export const longestRetryAfterInMs = 10 * 60_000;

const secondsPattern = /^[+-]?\d+(\.\d+)?$/;

// `Date.parse` alone accepts nearly any text with a number in it as a date.
const httpDatePattern =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Reads a `Retry-After` header (RFC 9110, section 10.2.3): whole seconds or an HTTP date.
 *
 * @param value the header's text, or null when it is absent
 * @param now the moment at which the answer came, to which a date is relative
 * @returns milliseconds from 0 to {@link longestRetryAfterInMs}, or null when the header is not usable
 */
export function parseRetryAfter(value: string | null, now: Date): number | null {
  const text = value?.trim() ?? '';
  if (secondsPattern.test(text)) return withinBounds(Number(text) * 1000);
  if (!httpDatePattern.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : withinBounds(at - now.getTime());
}

function withinBounds(waitInMs: number): number {
  return Math.round(Math.min(Math.max(waitInMs, 0), longestRetryAfterInMs));
}
