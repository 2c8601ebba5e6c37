import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

/** One request as it came over the wire. */
export interface RawRequest {
  readonly head: string;
  readonly body: string;
}

export interface RawServer {
  readonly url: URL;
  readonly requests: RawRequest[];
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

/**
 * A server that speaks in bytes, so that it can answer what no proper HTTP server would.
 *
 * @param answer called once for each whole request
 * @param tls its certificate; without it, the bytes come and go as they are
 */
export async function startRawServer(
  answer: (socket: Socket, index: number, request: RawRequest) => void,
  tls?: { readonly cert: string; readonly key: string },
): Promise<RawServer> {
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const serve = (socket: Socket): void => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      for (let next = takeRequest(received); next !== null; next = takeRequest(received)) {
        received = received.slice(next.length);
        requests.push(next.request);
        answer(socket, requests.length - 1, next.request);
      }
    });
  };
  const server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  const url = await listen(server, tls === undefined ? 'http' : 'https');
  return {
    url,
    requests,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function takeRequest(received: string): { request: RawRequest; length: number } | null {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const head = received.slice(0, headEnd);
  const bodyLength = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
  const length = headEnd + 4 + bodyLength;
  if (received.length < length) return null;
  return { request: { head, body: received.slice(headEnd + 4, length) }, length };
}

async function listen(server: Server, scheme: string): Promise<URL> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return new URL(`${scheme}://127.0.0.1:${address.port}`);
}

/** For requests that nothing keeps from leaving. */
export const always = (): boolean => true;
