/* Connections to the API, and the handling of informational (1xx) answers. */

import type { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import { isLoopbackAddress } from '../domain/machine/loopback.ts';
import { ConnectFailure, connectReason, type Exchange } from './exchange.ts';

/** A request that tells its exchange which connection it uses: the pool wraps handlers, and passes options on. */
export interface ExchangeRequest extends Dispatcher.DispatchOptions {
  readonly exchange?: Exchange;
}

/**
 * One connection of a pool: one request at a time, on a socket that is opened when it is first needed, and again after it
 * was closed. undici closes a socket that receives bytes while no request is under way, or before the next request after
 * them is written; `close` is for what it cannot notice.
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

/** The current socket of a connection. */
class Line {
  readonly #connector: buildConnector.connector;
  #socket: Socket | undefined;
  #interim: InterimAnswers | undefined;

  constructor(connector: buildConnector.connector) {
    this.#connector = connector;
  }

  /**
   * Connects when undici asks for it. The connector is wrapped because only here it is certain that nothing was sent: an
   * error that it reports comes before the connection is handed over, and the same error code may prove less later on.
   */
  readonly open: buildConnector.connector = (target, callback) => {
    this.#connector(target, (...result) => {
      const [error, socket] = result;
      if (error !== null) {
        callback(new ConnectFailure(connectReason(error)), null);
        return;
      }
      // `localhost` is a name, and a name may resolve to any address: without TLS nothing else would notice.
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

/** A longer head is left to the parser, which refuses it. */
const longestHeadInBytes = 16 * 1024;

/**
 * Removes interim answers (`100 Continue` and the other 1xx) from a socket, before undici reads them. A client has to
 * accept them, even those that it did not ask for (RFC 9110, section 15.2), but undici closes the connection on a 100,
 * and every request would end without an answer. It reads sockets with `read`, which is replaced for this one socket. 101
 * is passed on: the protocol must not change.
 */
class InterimAnswers {
  readonly #read: (size?: number) => Buffer | null;
  /** Whether the next bytes are the head of an answer. */
  #isHeadNext = true;
  /** The beginning of an interim head that is not complete yet. */
  #pending: Buffer | null = null;

  constructor(socket: Socket) {
    this.#read = socket.read.bind(socket);
    socket.read = (size?: number) => this.#readFinal(size);
  }

  /** Called before a request is written: the next bytes are its answer. */
  expectAnswer(): void {
    this.#isHeadNext = true;
    this.#pending = null;
  }

  #readFinal(size: number | undefined): Buffer | null {
    for (;;) {
      const chunk = this.#read(size);
      // The socket reports further data only after everything was read.
      if (chunk === null || !this.#isHeadNext) return chunk;
      const final = this.#withoutInterim(chunk);
      if (final !== null) return final;
    }
  }

  /** Null while there are only interim answers, or the beginning of one. */
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

/** Number of bytes of interim head at the beginning; 0 when there is something else. */
function interimLength(bytes: Buffer): number | 'not_known_yet' {
  // Nearly no answer is an interim one: the first digit shows it.
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
