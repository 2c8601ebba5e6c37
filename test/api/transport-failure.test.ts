import { describe, expect, it } from 'vitest';
import { ConnectFailure, connectReason, transportFailure } from '../../src/api/exchange.ts';

const errorWith = (code: unknown) => Object.assign(new Error('sk_secret'), { code });

describe('a connection that does not come about', () => {
  it.each([
    ['ECONNREFUSED', 'connection_refused'],
    ['ENOTFOUND', 'name_not_found'],
    ['EAI_AGAIN', 'name_not_found'],
    ['EHOSTUNREACH', 'unreachable'],
    ['ENETUNREACH', 'unreachable'],
    ['UND_ERR_CONNECT_TIMEOUT', 'connect_timeout'],
    ['ETIMEDOUT', 'connect_timeout'],
    ['CERT_HAS_EXPIRED', 'tls_failure'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_failure'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'tls_failure'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls_failure'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_failure'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_failure'],
    ['ECONNRESET', 'connect_failed'],
    ['constructor', 'connect_failed'],
    [undefined, 'connect_failed'],
  ])('by %s is named', (code, reason) => {
    expect(connectReason(errorWith(code))).toBe(reason);
  });

  it('carries nothing of what lies below it', () => {
    const failure = new ConnectFailure(connectReason(errorWith('ECONNREFUSED')));
    expect(failure.cause).toBeUndefined();
    expect(transportFailure(failure, false)).toEqual({ kind: 'not_sent', reason: 'connection_refused' });
  });
});

describe('a failure after the connection was open', () => {
  it.each([
    'ECONNREFUSED',
    'EHOSTUNREACH',
    'ENOTFOUND',
    'ECONNRESET',
    'EPIPE',
    'UND_ERR_SOCKET',
    'ERR_SSL_X',
    '',
  ])('may have sent the request, whatever its code: %s', (code) => {
    expect(transportFailure(errorWith(code), false)).toEqual({
      kind: 'maybe_sent',
      reason: 'connection_lost',
    });
  });

  it('is a timeout once the deadline is over', () => {
    expect(transportFailure(errorWith('ABORT_ERR'), true)).toEqual({ kind: 'maybe_sent', reason: 'timeout' });
  });
});
