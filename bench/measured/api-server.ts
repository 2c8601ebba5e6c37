import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/*
 * The other side of every measurement that needs no real API: it reads a request to its end and confirms it with an id,
 * unless its parent sets it to refuse, or to be out of order. A program of its own, so that its work is not the
 * measured one's; the parent asks it when the first and the last request came.
 */

/** What the server says to each request from now on. */
export type AnswerKind = 'created' | 'refused' | 'unavailable';

/** When requests came, in milliseconds since the epoch. */
export interface Arrivals {
  readonly requests: number;
  readonly firstAtInMs: number;
  readonly lastAtInMs: number;
}

const latencyInMs = Number(process.argv[2] ?? 0);
let arrivals: Arrivals = { requests: 0, firstAtInMs: 0, lastAtInMs: 0 };
let answerKind: AnswerKind = 'created';
/** Never reset: no two objects may have the same id. */
let objects = 0;

interface Answer {
  readonly status: number;
  readonly body: string;
}

function answer(): Answer {
  switch (answerKind) {
    case 'created':
      objects += 1;
      return {
        status: 201,
        body: `{"data":{"id":"5b1f0c52-3d4f-4a6b-8c9d-${String(objects).padStart(12, '0')}"},"error":null}`,
      };
    case 'refused':
      return { status: 422, body: '{"data":null,"error":{"code":"not_today","message":"Not today."}}' };
    case 'unavailable':
      return { status: 503, body: '{"data":null,"error":{"code":"unavailable","message":"Try later."}}' };
  }
}

const server = createServer((request, response) => {
  const nowInMs = performance.timeOrigin + performance.now();
  arrivals = {
    requests: arrivals.requests + 1,
    firstAtInMs: arrivals.requests === 0 ? nowInMs : arrivals.firstAtInMs,
    lastAtInMs: nowInMs,
  };
  const { status, body } = answer();
  request.resume();
  request.on('end', async () => {
    if (latencyInMs > 0) await sleep(latencyInMs);
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
});
server.keepAliveTimeout = 65_000;

process.on('message', (message: 'arrivals' | AnswerKind) => {
  if (message !== 'arrivals') {
    answerKind = message;
    process.send?.(answerKind);
    return;
  }
  process.send?.(arrivals);
  arrivals = { requests: 0, firstAtInMs: 0, lastAtInMs: 0 };
});
process.on('disconnect', () => process.exit());

server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
