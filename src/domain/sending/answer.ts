/* Determines the meaning of an API's answer for a request. */

import { isAtMost } from '../text/characters.ts';
import type { CreationReading, Outcome, StopCause, StopReason } from './outcome.ts';
import { parseRetryAfter } from './retry-policy.ts';

/** The headers that decisions use; null if the answer has none. */
export interface AnswerHeaders {
  readonly contentType: string | null;
  readonly retryAfter: string | null;
  readonly location: string | null;
  /** Not used for decisions about rows. It shows whether the API's clock agrees with this machine's clock. */
  readonly date?: string | null;
}

/**
 * An answer's body. `whole`: the announced end was read. If the answer ends with the connection, no end was announced, so
 * only complete JSON proves that it is whole. `cut`: it ended early. `too_large`: it was not read to its end because it
 * exceeded the limit.
 */
export type AnswerBody =
  | { readonly state: 'whole'; readonly text: string }
  | { readonly state: 'cut' }
  | { readonly state: 'too_large' };

/** The answer of the API, with at least a status and headers. */
export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: AnswerBody;
}

const longestMessageInCharacters = 300;
const codePattern = /^[a-z][a-z0-9_.-]{1,63}$/i;

/** Statuses that do not show whether the request was carried out. */
const inconclusiveStatuses: ReadonlySet<number> = new Set([408, 425]);

/**
 * The meaning of one answer, from the answer alone. `created` needs evidence: a 2xx with whole JSON and an id. An answer
 * that is not conclusive is `unknown`. An answer that points to wrong credentials or configuration stops the run. A
 * redirect, or a page under a 2xx, does both: the request was sent, and its result is not known.
 * @param readAnswer finds the created object in the answer's JSON, at the place for this endpoint
 * @param now the time of the answer, for a `Retry-After` date
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
  // Undefined if the body is not whole, or not JSON.
  const json = body.state === 'whole' ? parsedJson(body.text) : undefined;
  if (json === undefined && isHtml(answer)) {
    const page = cause(
      'not_the_api',
      `an HTML page came back where JSON should be (${status}): is the base URL right?`,
    );
    // A refusal counts even if another server's page reports it. A conflict or a confirmation from such a page does not show
    // whether the request was carried out.
    const isRefusal = status >= 400 && status !== 409;
    return isRefusal ? { kind: 'stop', ...page } : { kind: 'unknown', reason: 'not_the_api', stop: page };
  }
  if (status < 300) return creation(answer.body, json, readAnswer);
  return refusal(answer, json);
}

/** The reason why an outcome stops the run; null if it does not. */
export function stopCauseOf(outcome: Outcome): StopCause | null {
  if (outcome.kind === 'stop') return { reason: outcome.reason, message: outcome.message };
  return outcome.kind === 'unknown' ? (outcome.stop ?? null) : null;
}

function cause(reason: StopReason, message: string): StopCause {
  return { reason, message };
}

function redirection({ status, headers }: Answer): Outcome {
  const location = headers.location;
  // Only the origin, because the rest of an address may contain tokens.
  const target = location !== null && URL.canParse(location) ? ` to ${new URL(location).origin}` : '';
  const message = `the API answered with a redirect${target} (${status}); redirects are never followed`;
  return { kind: 'unknown', reason: 'redirect', stop: cause('redirect', message) };
}

function creation(body: AnswerBody, json: unknown, readAnswer: (json: unknown) => CreationReading): Outcome {
  if (body.state === 'too_large') return { kind: 'unknown', reason: 'answer_too_large' };
  if (json === undefined) return { kind: 'unknown', reason: 'answer_incomplete' };
  // An answer with an error confirms nothing, whatever its status and its other content are.
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
  // JSON that ends early is a cut answer, even if it looks whole because the connection ended.
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

/** The API's own code for a refusal, if it has the form of a code. */
function refusalCode(json: unknown): string | undefined {
  const code = memberOf(memberOf(json, 'error'), 'code');
  if (typeof code !== 'string' || !codePattern.test(code)) return undefined;
  return maskPersonal(code) === code ? code : undefined;
}

/** The API's sentence about a refusal. The form of its errors is not specified, so the usual places are tried in turn. */
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

/** A text that distinguishes reasons of refusals: the API's code, and its message without numbers and hidden values. */
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

// A quoted value may be any value of the row. A quoted field name shows which field is wrong, so it stays.
const quotedPattern = /(?<![\p{L}\p{Nd}])(["'`“‘«])(.+?)(["'`”’»])(?![\p{L}\p{Nd}])/gu;
const fieldNamePattern = /^[a-z]+([_.][a-z0-9]+)*$/;

/** Masks texts that look personal: quoted values, e-mail addresses, IBANs, and longer numbers except their end. */
function maskPersonal(text: string): string {
  const unquoted = text.replace(quotedPattern, (quoted, open: string, value: string, close: string) =>
    fieldNamePattern.test(value) ? quoted : `${open}***${close}`,
  );
  return personalPatterns.reduce(
    (masked, pattern) => masked.replace(pattern, (found) => `***${found.slice(-2)}`),
    unquoted,
  );
}

/** A member of parsed JSON; undefined if the JSON is not an object, or has no such member. */
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
