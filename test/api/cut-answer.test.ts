import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { outcomeOf } from '../../src/api/attempt.ts';
import { type ApiClient, createApiClient } from '../../src/api/client.ts';
import type { Outcome } from '../../src/domain/sending/outcome.ts';
import { always, type RawServer, startRawServer } from './raw-server.ts';

const json = '{"data":{"id":"3f8c","status":"active"},"error":null}';
const refusal = '{"data":null,"error":{"code":"bad_iban","message":"no"}}';
const readAnswer = (value: unknown) => ({ id: (value as { data?: { id?: string } }).data?.id });

const answers = {
  'Content-Length': (status: string, text: string) =>
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
  'chunked transfer': (status: string, text: string) =>
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n` +
    `a\r\n${text.slice(0, 10)}\r\n${(text.length - 10).toString(16)}\r\n${text.slice(10)}\r\n0\r\n\r\n`,
  'Connection: close': (status: string, text: string) =>
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n${text}`,
} as const;

const endings = {
  'an orderly end': (socket: Socket, text: string) => void socket.end(text),
  'a reset': (socket: Socket, text: string) => void socket.write(text, () => socket.resetAndDestroy()),
  silence: (socket: Socket, text: string) => void (text !== '' && socket.write(text)),
} as const;

const combinations = Object.keys(answers).flatMap((framing) =>
  Object.keys(endings).map((ending) => [framing, ending] as const),
) as readonly (readonly [keyof typeof answers, keyof typeof endings])[];

let server: RawServer;
let client: ApiClient;

afterEach(async () => {
  await client.close();
  await server.close();
});

/** The outcome of an answer cut after each number of bytes, from none to all of them. */
async function outcomesOfCuts(text: string, ending: keyof typeof endings): Promise<Outcome[]> {
  const lengths = Array.from({ length: text.length + 1 }, (_, length) => length);
  server = await startRawServer((socket, _, { body }) =>
    endings[ending](socket, text.slice(0, Number(body))),
  );
  client = createApiClient({
    baseUrl: server.url,
    apiKey: 'test-key',
    // A busy machine needs a while for that many connections at once.
    timeoutInMs: ending === 'silence' ? 3_000 : 10_000,
    connections: ending === 'silence' ? lengths.length : 16,
    userAgent: 'test',
  });
  return Promise.all(
    lengths.map(async (length) => {
      const body = Buffer.from(String(length));
      const reply = await client.post(
        { path: '/v1/accounts', idempotencyKey: `key-${length}`, body },
        always,
      );
      return outcomeOf(reply, readAnswer, new Date(0));
    }),
  );
}

describe.each(combinations)('an answer with %s, cut by %s after any number of bytes', (framing, ending) => {
  // Without an announced length every end of the connection, a reset too, looks like the answer's end.
  const isWholeAtLast = framing !== 'Connection: close' || ending !== 'silence';

  it('never creates before its last byte', async () => {
    const outcomes = await outcomesOfCuts(answers[framing]('201 Created', json), ending);
    const last = outcomes.pop();
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['unknown']));
    if (isWholeAtLast) expect(last).toEqual({ kind: 'created', objectId: '3f8c' });
    else expect(last).toMatchObject({ kind: 'unknown' });
  });

  it('never refuses before its last byte', async () => {
    const text = answers[framing]('422 Unprocessable', refusal);
    const outcomes = await outcomesOfCuts(text, ending);
    const last = outcomes.pop();
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['unknown']));
    if (isWholeAtLast) expect(last).toMatchObject({ kind: 'refused', code: 'bad_iban' });
  });
});
