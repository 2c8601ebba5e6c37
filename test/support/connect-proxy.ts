import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ConnectProxy {
  readonly url: string;
  /** The requests to connect, in order: what is asked for, and with which headers. */
  readonly asked: readonly { readonly target: string; readonly headers: IncomingMessage['headers'] }[];
  /** All that came over its connections behind the requests to connect, on its way to the targets. */
  readonly carried: () => string;
}

/**
 * A proxy that opens tunnels for CONNECT, and does nothing else.
 * @param refuse what it answers instead of a tunnel, byte for byte; an empty text leaves the client waiting
 * @param opensWhen a tunnel that is asked for opens only then
 */
export async function startConnectProxy(
  refuse?: (headers: IncomingMessage['headers']) => string | undefined,
  opensWhen?: Promise<void>,
): Promise<ConnectProxy> {
  const asked: { target: string; headers: IncomingMessage['headers'] }[] = [];
  const carried: Buffer[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  const server = createServer((_, response) => response.writeHead(405).end());
  server.on('connection', keep);
  server.on('connect', ({ url: target = '', headers }: IncomingMessage, client: Socket) => {
    asked.push({ target, headers });
    const refusal = refuse?.(headers);
    if (refusal !== undefined) {
      if (refusal !== '') client.end(refusal);
      return;
    }
    const [host, port] = target.split(':');
    const upstream = keep(connect(Number(port), host));
    upstream.on('connect', async () => {
      await opensWhen;
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    });
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
    client.on('data', (chunk: Buffer) => carried.push(chunk));
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    carried: () => Buffer.concat(carried).toString('latin1'),
  };
}
