import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Answer, AnswerBody } from '../domain/answer.ts';
import { codeOf, type TransportFailure, transportFailure } from './transport-failure.ts';

/** What one HTTP request came to: an answer with a status at least, or none. */
export type Reply = ({ readonly kind: 'answer' } & Answer) | TransportFailure;

/**
 * One request on its way, as the transport reports on it. Bodies are put together here, since a stream for
 * each small answer costs as much as the request itself.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (reply: Reply) => void;
  readonly #reject: (error: TypeError) => void;
  readonly #deadline: NodeJS.Timeout;
  #isPastDeadline = false;
  #controller: Dispatcher.DispatchController | undefined;
  #status: number | undefined;
  #headers: IncomingHttpHeaders = {};
  readonly #chunks: Buffer[] = [];

  /**
   * @param timeoutInMs for the request as a whole, from now to the answer's last byte
   * @param resolve hears what it came to, failures of the network included
   * @param reject hears of a request that cannot be sent at all, as HTTP has no form for it
   */
  constructor(timeoutInMs: number, resolve: (reply: Reply) => void, reject: (error: TypeError) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#deadline = setTimeout(() => {
      this.#isPastDeadline = true;
      this.#controller?.abort(new Error('the deadline has passed'));
    }, timeoutInMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isPastDeadline) controller.abort(new Error('the deadline has passed'));
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
    const text = textOf(this.#chunks);
    // An empty body that ends with its connection, even with a reset one, may have been cut before it began.
    const isCut = text === '' && !isEndAnnounced(this.#headers);
    this.#answer(isCut ? { state: 'cut' } : { state: 'whole', text });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#deadline);
    const code = codeOf(error);
    if (code === 'UND_ERR_INVALID_ARG') {
      this.#reject(new TypeError('a request that HTTP cannot carry'));
    } else if (this.#status === undefined) {
      this.#resolve(transportFailure(error, this.#isPastDeadline));
    } else {
      // Once a status is there, a body that fails is a fact about the answer.
      this.#answer({ state: code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? 'too_large' : 'cut' });
    }
  }

  #answer(body: AnswerBody): void {
    const headers = this.#headers;
    this.#resolve({
      kind: 'answer',
      status: this.#status ?? 0,
      headers: {
        contentType: firstValue(headers['content-type']),
        retryAfter: firstValue(headers['retry-after']),
        location: firstValue(headers['location']),
        date: firstValue(headers['date']),
      },
      body,
    });
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

function firstValue(value: string | string[] | undefined): string | null {
  return (Array.isArray(value) ? value[0] : value) ?? null;
}
