import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Answer, AnswerBody } from '../domain/sending/answer.ts';
import type { Redact } from './redaction.ts';
import { codeOf, type TransportFailure, transportFailure } from './transport-failure.ts';

/** The result of one HTTP request: an answer with a status at least, or none. */
export type Reply =
  | ({
      readonly kind: 'answer';
      /** Closes the connection that the answer came over, for one that cannot be trusted to be this request's. */
      readonly hangUp?: () => void;
    } & Answer)
  | TransportFailure;

interface ExchangeOptions {
  /** For the request as a whole, from now to the answer's last byte. */
  readonly timeoutInMs: number;
  /** Asked when the connection stands, right before the first byte: once it is false, nothing leaves. */
  readonly mayLeave: () => boolean;
  /** Takes the API key out of everything that the answer says. */
  readonly redact: Redact;
  /** Hears the result, failures of the network included. */
  readonly resolve: (reply: Reply) => void;
  /** Hears of a request that cannot be sent at all, as HTTP has no form for it. */
  readonly reject: (error: TypeError) => void;
}

/**
 * One request on its way, as the transport reports on it. Bodies are put together here, since a stream for
 * each small answer costs as much as the request itself.
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

  /** @param hangUp closes the connection that the request goes over */
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
    // Informational answers precede the one that counts.
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
    // An empty body that ends with its connection, even with a reset one, may have been cut before it began.
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
      // Once a status is there, a body that fails is a fact about the answer.
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

/** In UTF-8, without a byte order mark. */
function textOf(chunks: readonly Buffer[]): string {
  const text = (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))?.toString('utf8') ?? '';
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function isEndAnnounced(headers: IncomingHttpHeaders): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}
