import { describe, expect, it } from 'vitest';
import {
  type Answer,
  type AnswerHeaders,
  classifyAnswer,
  stopCauseOf,
} from '../../../src/domain/sending/answer.ts';
import type { CreationReading, Outcome } from '../../../src/domain/sending/outcome.ts';

const now = new Date('2026-03-01T12:00:00Z');
const html = '<!DOCTYPE html><html><body>Welcome</body></html>';
const confirmation = '{"data":{"id":"3f8c"},"error":null}';

const readAnswer = (json: unknown): CreationReading => {
  const id = (json as { data?: { id?: unknown } } | null)?.data?.id;
  return { id: typeof id === 'string' ? id : undefined };
};

function answer(status: number, text: string, headers: Partial<AnswerHeaders> = {}): Answer {
  return {
    status,
    headers: { contentType: 'application/json', retryAfter: null, location: null, ...headers },
    body: { state: 'whole', text },
  };
}

const classify = (given: Answer): Outcome => classifyAnswer(given, readAnswer, now);
const without = (status: number, state: 'cut' | 'too_large', contentType = 'application/json'): Answer => ({
  ...answer(status, '', { contentType }),
  body: { state },
});

describe('an answer that creates', () => {
  it.each([200, 201, 202, 299])('is %i with whole JSON and an id', (status) => {
    expect(classify(answer(status, confirmation))).toEqual({ kind: 'created', objectId: '3f8c' });
  });

  it('is taken from JSON under any content type, since the id is the evidence', () => {
    for (const contentType of [null, 'text/plain', 'text/html']) {
      expect(classify(answer(200, confirmation, { contentType })).kind).toBe('created');
    }
  });

  it('is unknown when empty', () => {
    expect(classify(answer(204, ''))).toEqual({ kind: 'unknown', reason: 'answer_incomplete' });
  });

  it('is unknown when cut at any byte, even where the connection’s end hides the cut', () => {
    for (let length = 0; length < confirmation.length; length += 1) {
      const outcome = classify(answer(200, confirmation.slice(0, length)));
      expect(outcome).toEqual({ kind: 'unknown', reason: 'answer_incomplete' });
    }
  });

  it('is unknown when the transport says that it was cut', () => {
    expect(classify(without(200, 'cut'))).toEqual({ kind: 'unknown', reason: 'answer_incomplete' });
  });

  it('is unknown when larger than allowed', () => {
    expect(classify(without(200, 'too_large'))).toEqual({ kind: 'unknown', reason: 'answer_too_large' });
  });

  it.each(['{}', '{"data":{}}', '{"data":{"id":""}}', '{"data":{"id":7}}', 'null', '[]', '"id"', '7'])(
    'is unknown without an id: %s',
    (text) => {
      expect(classify(answer(200, text))).toEqual({ kind: 'unknown', reason: 'answer_without_id' });
    },
  );

  it.each([
    ['{"data":{"id":"3f8c"},"error":{"code":"kyc_pending","message":"not yet"}}', 'kyc_pending', 'not yet'],
    ['{"data":{"id":"3f8c"},"error":"failed for jane@example.com"}', null, 'failed for ***om'],
    ['{"data":{"id":"3f8c"},"error":false}', null, null],
    ['{"data":null,"error":{"code":"not a code"}}', null, 'not a code'],
  ])('is unknown when it names an error, and keeps what the API says: %s', (text, code, message) => {
    expect(classify(answer(200, text))).toEqual({
      kind: 'unknown',
      reason: 'error_in_answer',
      apiError: { code, message },
    });
  });

  it('carries on in what the answer contradicts its request', () => {
    const differences = [{ field: 'currency', sent: 'KES', answered: 'USD' }];
    const outcome = classifyAnswer(answer(201, confirmation), () => ({ id: '3f8c', differences }), now);
    expect(outcome).toEqual({ kind: 'created', objectId: '3f8c', differences });
  });

  it('is unknown when it is not JSON', () => {
    expect(classify(answer(200, 'OK', { contentType: 'text/plain' }))).toEqual({
      kind: 'unknown',
      reason: 'answer_incomplete',
    });
  });
});

describe('an answer that stops the run', () => {
  it.each([401, 403])('is %i, whatever else it holds', (status) => {
    expect(classify(answer(status, confirmation))).toMatchObject({ kind: 'stop', reason: 'credentials' });
    expect(classify(without(status, 'cut'))).toMatchObject({ kind: 'stop', reason: 'credentials' });
  });

  it.each([300, 301, 302, 303, 304, 307, 308])(
    'is the redirect %i, after which nobody knows what became of the request',
    (status) => {
      expect(classify(answer(status, ''))).toMatchObject({
        kind: 'unknown',
        reason: 'redirect',
        stop: { reason: 'redirect' },
      });
    },
  );

  it('names where a redirect leads, but neither path nor query nor user', () => {
    const outcome = classify(answer(302, '', { location: 'https://me:secret@login.example/in?token=abc' }));
    expect(stopCauseOf(outcome)?.message).toContain('https://login.example (302)');
    expect(JSON.stringify(outcome)).not.toMatch(/secret|token|abc/);
  });

  it.each([
    [200, 'unknown'],
    [201, 'unknown'],
    [409, 'unknown'],
    [400, 'stop'],
    [404, 'stop'],
    [422, 'stop'],
  ])('is an HTML page under %i, which leaves the request %s', (status, kind) => {
    const stop = {
      kind,
      reason: 'not_the_api',
      ...(kind === 'unknown' ? { stop: { reason: 'not_the_api' } } : {}),
    };
    expect(classify(answer(status, html, { contentType: 'text/html; charset=utf-8' }))).toMatchObject(stop);
    expect(classify(answer(status, html, { contentType: null }))).toMatchObject(stop);
    expect(classify(without(status, 'cut', 'TEXT/HTML'))).toMatchObject(stop);
    expect(classify(without(status, 'too_large', 'text/html'))).toMatchObject(stop);
  });
});

describe('an answer that proves nothing', () => {
  it.each([408, 425, 500, 501, 502, 503, 504, 520, 599])('is %i', (status) => {
    const unknown = { kind: 'unknown', reason: 'server_error' };
    expect(classify(answer(status, '{"error":"x"}'))).toEqual(unknown);
    expect(classify(answer(status, html, { contentType: 'text/html' }))).toEqual(unknown);
    expect(classify(answer(status, confirmation))).toEqual(unknown);
  });

  it('is a 429, with its wait in seconds, as a date, or none', () => {
    const throttled = (retryAfter: string | null, contentType = 'application/json') =>
      classify(answer(429, '', { retryAfter, contentType }));
    expect(throttled('3')).toEqual({ kind: 'throttled', waitInMs: 3000 });
    expect(throttled('Sun, 01 Mar 2026 12:00:07 GMT')).toEqual({ kind: 'throttled', waitInMs: 7000 });
    expect(throttled('soon')).toEqual({ kind: 'throttled', waitInMs: null });
    expect(throttled(null, 'text/html')).toEqual({ kind: 'throttled', waitInMs: null });
  });

  it('is a 409', () => {
    expect(classify(answer(409, '{"error":"in progress"}'))).toEqual({
      kind: 'conflict',
      message: 'in progress',
    });
    expect(classify(without(409, 'cut')).kind).toBe('conflict');
  });
});

describe('an answer that refuses', () => {
  it.each([400, 402, 404, 405, 410, 413, 415, 418, 422, 451])('is %i', (status) => {
    expect(classify(answer(status, ''))).toEqual({
      kind: 'refused',
      code: `http_${status}`,
      message: `the API answered ${status}`,
    });
  });

  it('stays a refusal when its text is not JSON, or too large to be read', () => {
    expect(classify(answer(404, 'not found', { contentType: 'text/plain' }))).toMatchObject({
      code: 'http_404',
    });
    expect(classify(without(422, 'too_large'))).toMatchObject({ kind: 'refused' });
  });

  it('is unknown when it was cut, openly or behind the connection’s end', () => {
    const unknown = { kind: 'unknown', reason: 'answer_incomplete' };
    expect(classify(without(422, 'cut'))).toEqual(unknown);
    expect(classify(answer(422, '{"error":{"mess'))).toEqual(unknown);
    expect(classify(answer(422, '{"err', { contentType: 'application/problem+json' }))).toEqual(unknown);
  });

  it.each([
    ['{"error":"no such country"}', 'http_422', 'no such country'],
    ['{"error":{"message":"bad","code":"invalid_iban"}}', 'invalid_iban', 'bad'],
    ['{"message":"bad"}', 'http_422', 'bad'],
    ['{"error":{"code":"kyc_required"}}', 'kyc_required', 'kyc_required'],
    ['{"error":{"code":"not a code","message":""}}', 'http_422', 'not a code'],
    ['{"error":{"code":"x"}}', 'http_422', 'x'],
    ['{"error":{"code":42,"message":{}}}', 'http_422', 'the API answered 422'],
    ['{"error":["a"],"message":null}', 'http_422', 'the API answered 422'],
    ['{"__proto__":{"message":"x"}}', 'http_422', 'the API answered 422'],
    ['"text"', 'http_422', 'the API answered 422'],
    [`{"error":"${'x'.repeat(301)}","message":"short"}`, 'http_422', 'short'],
    ['{"error":"a\\u0000b\\n\\u202ec\\u0007"}', 'http_422', 'ab c'],
  ])('has the code and message of %s', (text, code, message) => {
    expect(classify(answer(422, text))).toEqual({ kind: 'refused', code, message });
  });
});

describe('a message for people', () => {
  it.each([
    ['jane.doe@example.com is taken', '***om is taken'],
    ['e-mail <Jane+x@sub.example.org> is taken', 'e-mail <***rg> is taken'],
    ['IBAN DE89 3704 0044 0532 0130 00 is wrong', 'IBAN ***00 is wrong'],
    ['iban gb82west12345698765432 is wrong', 'iban ***32 is wrong'],
    ['account 1234567890 is closed', 'account ***90 is closed'],
    ['phone +254 (712) 345-678 is taken', 'phone ***78 is taken'],
    ['number 12345', 'number ***45'],
    ['customer "Jane Doe" exists', 'customer "***" exists'],
    ["customer 'O'Brien' exists", "customer '***' exists"],
    ['value ‘Łukasz’ exists', 'value ‘***’ exists'],
    ["'first_name' is required", "'first_name' is required"],
    ["the customer's first name isn't valid", "the customer's first name isn't valid"],
    ['at most 1234 of 99 rows', 'at most 1234 of 99 rows'],
  ])('hides what is personal in %j', (text, expected) => {
    expect(classify(answer(422, JSON.stringify({ error: text })))).toMatchObject({ message: expected });
    expect(classify(answer(409, JSON.stringify({ error: text })))).toMatchObject({ message: expected });
  });

  it('holds no account number through the code either', () => {
    const outcome = classify(answer(422, '{"error":{"code":"account_1234567"}}'));
    expect(outcome).toEqual({ kind: 'refused', code: 'http_422', message: 'account_***67' });
  });
});
