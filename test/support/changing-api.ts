import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** An answer on its way to the client. */
export interface PassingAnswer {
  readonly method: string;
  /** Path and query as they were asked for. */
  readonly path: string;
  readonly json: Record<string, unknown>;
}

/**
 * A server in front of an API that changes its answers, for answers that a correct API never gives.
 * @param change returns the JSON, or the text, to be answered instead
 * @returns its address
 */
export async function startChangingApi(
  apiUrl: string,
  change: (answer: PassingAnswer) => object | string,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { host: _, connection: __, ...headers } = request.headers;
    const { method = 'GET', url: path = '/' } = request;
    const reply = await fetch(apiUrl + path, {
      method,
      headers: headers as Record<string, string>,
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    });
    const changed = change({ method, path, json: (await reply.json()) as Record<string, unknown> });
    response.writeHead(reply.status, { 'content-type': 'application/json' });
    response.end(typeof changed === 'string' ? changed : JSON.stringify(changed));
  });
  return addressOf(server);
}

/** Lets a server listen until the test has finished. @returns its address */
export async function addressOf(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
