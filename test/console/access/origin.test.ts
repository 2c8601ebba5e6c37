import { describe, expect, it } from 'vitest';
import { isLoopbackHost, type OriginRefusal, OwnOrigins } from '../../../src/console/access/origin.ts';

const own = new OwnOrigins(8080, 'https://pay.example');

describe('what changes something', () => {
  it.each<readonly [string | undefined, string | undefined, OriginRefusal | null]>([
    ['https://pay.example', 'same-origin', null],
    ['http://localhost:8080', undefined, null],
    [undefined, 'same-origin', null],
    [undefined, undefined, 'other_origin'],
    [undefined, 'none', 'other_origin'],
    ['null', 'same-origin', 'other_origin'],
    ['https://evil.example', 'cross-site', 'other_origin'],
    ['https://pay.example', 'cross-site', 'other_origin'],
    ['https://pay.example', 'same-site', 'other_origin'],
    ['http://pay.example', undefined, 'other_origin'],
    ['https://pay.example:8443', undefined, 'other_origin'],
  ])('from %s (%s)', (origin, fetchSite, refusal) => {
    expect(own.refusalOf({ method: 'POST', host: 'pay.example', origin, fetchSite })).toBe(refusal);
  });
});

it.each([
  ['pay.example', null],
  ['PAY.example', null],
  ['127.0.0.1:8080', null],
  ['[::1]:8080', null],
  ['pay.example:8443', 'unknown_host'],
  ['127.0.0.1:8081', 'unknown_host'],
  ['pay.example.evil.example', 'unknown_host'],
  [undefined, 'unknown_host'],
])('a request to look under the host name %s is answered with: %s', (host, refusal) => {
  const asked = { method: 'GET', host, origin: undefined, fetchSite: undefined };
  expect(own.refusalOf(asked)).toBe(refusal);
});

it.each([
  ['127.0.0.1', true],
  ['localhost', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['192.168.0.7', false],
])('%s is a loopback address: %s', (host, isOwn) => {
  expect(isLoopbackHost(host)).toBe(isOwn);
});
