/*
 * One HTTP request and its answer. The request is sent once and the answer is read to its end. A failure is classified by
 * what it proves.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, errors } from 'undici';
import type { Answer, AnswerBody } from '../domain/sending/answer.ts';
import type { UnknownReason } from '../domain/sending/outcome.ts';

/** Removes secrets from a text before it is stored or shown. */
type Redact = (text: string) => string;

/** The replacement of a removed secret. */
const removed = '***';

/** Minimum number of encoded characters for a match. A match of this length is not accidental. */
const shortestEncoded = 8;

/**
 * Creates the function that removes the API key from the API's texts. Without it, a message that quotes its request would
 * bring the key into result files, reports and the ledger. The function finds the key in upper and lower case. Any of its
 * characters may be percent-encoded (also twice), or escaped as in JSON or in HTML. It also finds the key within Base64 (at
 * any position, in both alphabets) and in hexadecimal.
 * @param apiKey of at least 8 characters, as the configuration check ensures; a shorter key would also occur in ordinary
 *   words
 */
export function redactorOf(apiKey: string): Redact {
  const plain = plainForm(apiKey);
  const forms = [plain, ...base64Forms(apiKey), hexForm(apiKey)];
  const patterns = forms.flatMap((form) => (form === null ? [] : [form]));
  const lowerKey = apiKey.toLowerCase();
  // The check avoids compiling the first pattern where it cannot match. That compilation takes longer than everything else
  // in a short run, and most answers have no match.
  const mayHoldKey = (text: string): boolean => /[%&\\]/.test(text) || text.toLowerCase().includes(lowerKey);
  return (text) =>
    patterns.reduce(
      (left, pattern) => (pattern === plain && !mayHoldKey(left) ? left : left.replace(pattern, removed)),
      text,
    );
}

/** A pattern for each character, since an encoder changes only the characters that it has to change. */
function plainForm(apiKey: string): RegExp {
  return new RegExp([...apiKey].map(formsOfCharacter).join(''), 'gi');
}

function formsOfCharacter(character: string): string {
  const code = character.charCodeAt(0);
  const hex = code.toString(16).padStart(2, '0');
  const itself = /\w/.test(character) ? character : `\\\\?\\x${hex}`;
  return `(?:${itself}|%(?:25)?${hex}|\\\\u00${hex}|\\\\x${hex}|&#(?:x0*${hex}|0*${code});)`;
}

/**
 * The characters of a Base64 text that depend only on the key, for each of the three possible positions of its first byte
 * in a group.
 */
function base64Forms(apiKey: string): (RegExp | null)[] {
  return [0, 1, 2].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(apiKey)]);
    const text = bytes.toString('base64').replace(/=+$/, '');
    const end = bytes.length % 3 === 0 ? text.length : text.length - 1;
    const own = text.slice(offset === 0 ? 0 : offset + 1, end);
    if (own.length < shortestEncoded) return null;
    const inBothAlphabets = own.replaceAll('+', '[+-]').replaceAll('/', '(?:\\\\?/|_)');
    return new RegExp(inBothAlphabets, 'g');
  });
}

function hexForm(apiKey: string): RegExp | null {
  const hex = Buffer.from(apiKey).toString('hex');
  return hex.length < shortestEncoded ? null : new RegExp(hex, 'gi');
}

/* Requests without an answer: whether any byte was sent, and why they failed. */

/**
 * A request without an answer. `not_sent`: no connection was opened, so no byte of the request was sent. `maybe_sent`: it
 * failed later, so the API may have executed the request.
 */
type TransportFailure =
  | { readonly kind: 'not_sent'; readonly reason: NotSentReason }
  | { readonly kind: 'maybe_sent'; readonly reason: UnknownReason };

type NotSentReason =
  | 'connection_refused'
  | 'name_not_found'
  | 'unreachable'
  | 'connect_timeout'
  | 'tls_failure'
  /** The proxy answered and refused the connection. */
  | 'proxy_refused'
  /** An unencrypted connection to another machine: the API key must not be sent over it. */
  | 'not_encrypted'
  /** The run lost the right to send the request while the connection was being opened. */
  | 'not_ours_to_send'
  | 'connect_failed';

/**
 * Thrown only by paybatch's own connector, and only before a connection (including TLS) is open. It has no `cause`, since
 * that might quote the request.
 */
export class ConnectFailure extends Error {
  override readonly name = 'ConnectFailure';
  readonly reason: NotSentReason;

  constructor(reason: NotSentReason) {
    super(reason);
    this.reason = reason;
  }
}

const connectReasons: Readonly<Record<string, NotSentReason>> = {
  ECONNREFUSED: 'connection_refused',
  ENOTFOUND: 'name_not_found',
  EAI_AGAIN: 'name_not_found',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'connect_timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  // These two occur while a connection is opened only with a proxy, which gets a request of its own (CONNECT).
  UND_ERR_HEADERS_TIMEOUT: 'connect_timeout',
  UND_ERR_ABORTED: 'proxy_refused',
  UND_ERR_PRX_TLS: 'tls_failure',
};

// Node.js has no common prefix for the codes of OpenSSL's certificate errors.
const tlsCodePattern = /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|HOSTNAME_)/;

/** The reason why no connection was opened. */
export function connectReason(error: unknown): NotSentReason {
  const code = codeOf(error);
  if (Object.hasOwn(connectReasons, code)) return connectReasons[code] ?? 'connect_failed';
  return tlsCodePattern.test(code) ? 'tls_failure' : 'connect_failed';
}

/** The meaning of a failed exchange, from the transport's error. */
export function transportFailure(error: unknown, isPastDeadline: boolean): TransportFailure {
  if (error instanceof ConnectFailure) return { kind: 'not_sent', reason: error.reason };
  if (isPastDeadline) return { kind: 'maybe_sent', reason: 'timeout' };
  const isGarbage = error instanceof errors.HTTPParserError || codeOf(error) === 'UND_ERR_HEADERS_OVERFLOW';
  return { kind: 'maybe_sent', reason: isGarbage ? 'answer_incomplete' : 'connection_lost' };
}

/** The error's code, or an empty text. */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

/** The result of one HTTP request: an answer with at least a status, or a failure without an answer. */
export type Reply =
  | ({
      readonly kind: 'answer';
      /** Closes the connection of the answer. Called if the answer may belong to another request. */
      readonly hangUp?: () => void;
    } & Answer)
  | TransportFailure;

interface ExchangeOptions {
  /** Time limit of the whole request, from now to the last byte of the answer. */
  readonly timeoutInMs: number;
  /** Called when the connection is open, right before the first byte. If it returns false, nothing is sent. */
  readonly mayLeave: () => boolean;
  /** Removes the API key from all texts of the answer. */
  readonly redact: Redact;
  /** Called with the result, including network failures. */
  readonly resolve: (reply: Reply) => void;
  /** Called for a request that cannot be sent at all, because HTTP cannot express it. */
  readonly reject: (error: TypeError) => void;
}

/**
 * One request in flight; it receives the transport's events. The body is joined here, since a stream for each small answer
 * would cost as much as the request itself.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (reply: Reply) => void;
  readonly #reject: (error: TypeError) => void;
  readonly #redact: Redact;
  #hangUp: (() => void) | undefined;
  readonly #deadline: NodeJS.Timeout;
  #isPastDeadline = false;
  #isWithdrawn = false;
  readonly #mayLeave: () => boolean;
  #controller: Dispatcher.DispatchController | undefined;
  #status: number | undefined;
  #headers: IncomingHttpHeaders = {};
  readonly #chunks: Buffer[] = [];

  constructor({ timeoutInMs, mayLeave, redact, resolve, reject }: ExchangeOptions) {
    this.#mayLeave = mayLeave;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#redact = redact;
    this.#deadline = setTimeout(() => {
      this.#isPastDeadline = true;
      this.#controller?.abort(new Error('the deadline has passed'));
    }, timeoutInMs);
  }

  /**
   * Sets the connection that carries the request.
   * @param hangUp closes this connection
   */
  goesOver(hangUp: () => void): void {
    this.#hangUp = hangUp;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isPastDeadline) {
      controller.abort(new Error('the deadline has passed'));
    } else if (!this.#mayLeave()) {
      this.#isWithdrawn = true;
      controller.abort(new Error('the right to send it was lost'));
    }
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    // Informational answers come before the final one.
    if (statusCode < 200) return;
    this.#status = statusCode;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    clearTimeout(this.#deadline);
    const text = this.#redact(textOf(this.#chunks));
    // If an empty body ends with the end of its connection, even with a reset, the body may have been cut off before its
    // first byte.
    const isCut = text === '' && !isEndAnnounced(this.#headers);
    this.#answer(isCut ? { state: 'cut' } : { state: 'whole', text });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#deadline);
    const code = codeOf(error);
    if (code === 'UND_ERR_INVALID_ARG') {
      this.#reject(new TypeError('a request that HTTP cannot carry'));
    } else if (this.#isWithdrawn) {
      this.#resolve({ kind: 'not_sent', reason: 'not_ours_to_send' });
    } else if (this.#status === undefined) {
      this.#resolve(transportFailure(error, this.#isPastDeadline));
    } else {
      // A status was received, so a failure of the body is part of the answer.
      this.#answer({ state: code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? 'too_large' : 'cut' });
    }
  }

  #answer(body: AnswerBody): void {
    this.#resolve({
      kind: 'answer',
      status: this.#status ?? 0,
      headers: {
        contentType: this.#header('content-type'),
        retryAfter: this.#header('retry-after'),
        location: this.#header('location'),
        date: this.#header('date'),
      },
      body,
      ...(this.#hangUp === undefined ? {} : { hangUp: this.#hangUp }),
    });
  }

  #header(name: string): string | null {
    const value = this.#headers[name];
    const first = Array.isArray(value) ? value[0] : value;
    return first === undefined ? null : this.#redact(first);
  }
}

/** Decodes UTF-8, without a byte order mark. */
function textOf(chunks: readonly Buffer[]): string {
  const text = (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))?.toString('utf8') ?? '';
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function isEndAnnounced(headers: IncomingHttpHeaders): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}
