import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/*
 * The other side of every measurement that needs no real API: it reads a request to its end and confirms it
 * with an id. A program of its own, so that its work is not the measured one's; the parent asks it when the
 * first and the last request came.
 */

/** When requests came, in milliseconds since the epoch. */
export interface Arrivals {
  readonly requests: number;
  readonly firstAtInMs: number;
  readonly lastAtInMs: number;
}

const latencyInMs = Number(process.argv[2] ?? 0);
let arrivals: Arrivals = { requests: 0, firstAtInMs: 0, lastAtInMs: 0 };

const server = createServer((request, response) => {
  const nowInMs = performance.timeOrigin + performance.now();
  arrivals = {
    requests: arrivals.requests + 1,
    firstAtInMs: arrivals.requests === 0 ? nowInMs : arrivals.firstAtInMs,
    lastAtInMs: nowInMs,
  };
  const number = arrivals.requests;
  request.resume();
  request.on('end', async () => {
    if (latencyInMs > 0) await sleep(latencyInMs);
    const body = `{"data":{"id":"5b1f0c52-3d4f-4a6b-8c9d-${String(number).padStart(12, '0')}"},"error":null}`;
    response.writeHead(201, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
});
server.keepAliveTimeout = 65_000;

process.on('message', () => {
  process.send?.(arrivals);
  arrivals = { requests: 0, firstAtInMs: 0, lastAtInMs: 0 };
});
process.on('disconnect', () => process.exit());

server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
