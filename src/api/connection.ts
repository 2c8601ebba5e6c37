import type { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import { isLoopbackAddress } from '../domain/machine/loopback.ts';
import type { Exchange } from './exchange.ts';
import { InterimAnswers } from './interim-answers.ts';
import { ConnectFailure, connectReason } from './transport-failure.ts';

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
