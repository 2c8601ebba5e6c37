/* Connections to the API, and what informational (1xx) answers are allowed to do. */

import type { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import { isLoopbackAddress } from '../domain/machine/loopback.ts';
import { ConnectFailure, connectReason, type Exchange } from './exchange.ts';

/** A request that tells its exchange over which connection it goes: the pool wraps handlers, and passes options on. */
export interface ExchangeRequest extends Dispatcher.DispatchOptions {
  readonly exchange?: Exchange;
}

/**
 * One connection of a pool: one request at a time, on a socket that is opened when it is first needed, and
 * anew when it was closed. undici closes one on which bytes come while no request is under way, or before the
 * next request after them is written; what it cannot notice, `close` is for.
 */
export class Connection extends Client {
  readonly #line: Line;

  constructor(origin: URL, options: Client.Options & { readonly connector: buildConnector.connector }) {
    const { connector, ...clientOptions } = options;
    const line = new Line(connector);
    super(origin, { ...clientOptions, pipelining: 1, connect: line.open });
    this.#line = line;
  }

  override dispatch(options: ExchangeRequest, handler: Dispatcher.DispatchHandler): boolean {
    this.#line.expectAnswer();
    options.exchange?.goesOver(this.#line.hangUp);
    return super.dispatch(options, handler);
  }
}

/** A connection's socket of the moment. */
class Line {
  readonly #connector: buildConnector.connector;
  #socket: Socket | undefined;
  #interim: InterimAnswers | undefined;

  constructor(connector: buildConnector.connector) {
    this.#connector = connector;
  }

  /**
   * Connects as undici asks. The connector is wrapped because only here it is certain that nothing was sent:
   * an error that it reports comes before the connection is handed over, and the same error code can mean
   * less later on.
   */
  readonly open: buildConnector.connector = (target, callback) => {
    this.#connector(target, (...result) => {
      const [error, socket] = result;
      if (error !== null) {
        callback(new ConnectFailure(connectReason(error)), null);
        return;
      }
      // `localhost` is a name, and a name may lead anywhere: without TLS nothing else would notice.
      if (target.protocol === 'http:' && !isLoopbackAddress(socket.remoteAddress ?? '')) {
        socket.destroy();
        callback(new ConnectFailure('not_encrypted'), null);
        return;
      }
      this.#socket = socket;
      this.#interim = new InterimAnswers(socket);
      callback(null, socket);
    });
  };

  expectAnswer(): void {
    this.#interim?.expectAnswer();
  }

  /** Closes the socket that is open now; the next request gets a new one. */
  readonly hangUp = (): void => {
    this.#socket?.destroy();
  };
}

/** `HTTP/1.1 1`, up to the first digit of the status. */
const statusClassAt = 9;
const digitOne = 0x31;
const switchingProtocols = '101';
const headEnd = Buffer.from('\r\n\r\n');

/** A head that is longer is left to the parser, which refuses it. */
const longestHeadInBytes = 16 * 1024;

/**
 * Takes interim answers (`100 Continue` and the other 1xx) off a socket, before what reads it sees them. A
 * client has to take them, even those that it did not ask for (RFC 9110, section 15.2), but undici closes the
 * connection on a 100, and every request would end without an answer. It reads sockets with `read`, which is
 * replaced for this one socket. 101 goes through: the protocol must not change.
 */
class InterimAnswers {
  readonly #read: (size?: number) => Buffer | null;
  /** Whether the next bytes are the head of an answer. */
  #isHeadNext = true;
  /** The beginning of an interim head that has not ended. */
  #pending: Buffer | null = null;

  constructor(socket: Socket) {
    this.#read = socket.read.bind(socket);
    socket.read = (size?: number) => this.#readFinal(size);
  }

  /** A request is about to be written: what comes next is its answer. */
  expectAnswer(): void {
    this.#isHeadNext = true;
    this.#pending = null;
  }

  #readFinal(size: number | undefined): Buffer | null {
    for (;;) {
      const chunk = this.#read(size);
      // Without reading on until nothing is left, the socket would not say when more has come.
      if (chunk === null || !this.#isHeadNext) return chunk;
      const final = this.#withoutInterim(chunk);
      if (final !== null) return final;
    }
  }

  /** Null while there is nothing but interim answers, or the beginning of one. */
  #withoutInterim(chunk: Buffer): Buffer | null {
    let bytes = this.#pending === null ? chunk : Buffer.concat([this.#pending, chunk]);
    this.#pending = null;
    while (bytes.length > 0) {
      const length = interimLength(bytes);
      if (length === 'not_known_yet') {
        this.#pending = bytes;
        return null;
      }
      if (length === 0) {
        this.#isHeadNext = false;
        return bytes;
      }
      bytes = bytes.subarray(length);
    }
    return null;
  }
}

/** How many bytes of interim head stand at the beginning; 0 when something else does. */
function interimLength(bytes: Buffer): number | 'not_known_yet' {
  // Nearly every answer is none: its first digits tell.
  if (bytes.length > statusClassAt && bytes[statusClassAt] !== digitOne) return 0;
  const version = bytes.subarray(0, statusClassAt).toString('latin1');
  if (!/^HTTP\/1\.\d $/.test(version)) {
    return 'HTTP/1.1 '.startsWith(version) && bytes.length < statusClassAt ? 'not_known_yet' : 0;
  }
  const status = bytes.subarray(statusClassAt, statusClassAt + 3).toString('latin1');
  if (status.length === 0) return 'not_known_yet';
  if (status === switchingProtocols) return 0;
  const end = bytes.indexOf(headEnd);
  if (end >= 0) return end + headEnd.length;
  return bytes.length < longestHeadInBytes ? 'not_known_yet' : 0;
}
