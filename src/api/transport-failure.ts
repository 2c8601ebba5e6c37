/* Requests without an answer: whether anything of them left, and why. */

import { errors } from 'undici';
import type { UnknownReason } from '../domain/sending/outcome.ts';

/**
 * A request without an answer. `not_sent`: no connection came about, so nothing of the request left.
 * `maybe_sent`: anything later, so the API may have carried it out.
 */
export type TransportFailure =
  | { readonly kind: 'not_sent'; readonly reason: NotSentReason }
  | { readonly kind: 'maybe_sent'; readonly reason: UnknownReason };

type NotSentReason =
  | 'connection_refused'
  | 'name_not_found'
  | 'unreachable'
  | 'connect_timeout'
  | 'tls_failure'
  /** The proxy answered, and did not let the connection through. */
  | 'proxy_refused'
  /** A plain connection that leads to another machine: the API key must not go there. */
  | 'not_encrypted'
  /** While the connection was being made, the right to send the request was lost. */
  | 'not_ours_to_send'
  | 'connect_failed';

/**
 * Raised by our connector alone, and so before a connection (TLS included) stands. It carries no cause: what
 * lies below may quote the request.
 */
export class ConnectFailure extends Error {
  override readonly name = 'ConnectFailure';
  readonly reason: NotSentReason;

  constructor(reason: NotSentReason) {
    super(reason);
    this.reason = reason;
  }
}

const connectReasons: Readonly<Record<string, NotSentReason>> = {
  ECONNREFUSED: 'connection_refused',
  ENOTFOUND: 'name_not_found',
  EAI_AGAIN: 'name_not_found',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'connect_timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  // Only a proxy is asked anything before the connection stands.
  UND_ERR_HEADERS_TIMEOUT: 'connect_timeout',
  UND_ERR_ABORTED: 'proxy_refused',
  UND_ERR_PRX_TLS: 'tls_failure',
};

// Node names OpenSSL's verdicts on certificates without a common beginning.
const tlsCodePattern = /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|HOSTNAME_)/;

/** Names the reason for which no connection came about. */
export function connectReason(error: unknown): NotSentReason {
  const code = codeOf(error);
  if (Object.hasOwn(connectReasons, code)) return connectReasons[code] ?? 'connect_failed';
  return tlsCodePattern.test(code) ? 'tls_failure' : 'connect_failed';
}

/** What a failed exchange means, from the error that the transport raised. */
export function transportFailure(error: unknown, isPastDeadline: boolean): TransportFailure {
  if (error instanceof ConnectFailure) return { kind: 'not_sent', reason: error.reason };
  if (isPastDeadline) return { kind: 'maybe_sent', reason: 'timeout' };
  const isGarbage = error instanceof errors.HTTPParserError || codeOf(error) === 'UND_ERR_HEADERS_OVERFLOW';
  return { kind: 'maybe_sent', reason: isGarbage ? 'answer_incomplete' : 'connection_lost' };
}

/** The error's code, or an empty text. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
