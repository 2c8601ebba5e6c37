/** Why an API that is down gave no answer, by the code that a row keeps of it, and how its address follows. */
const texts: ReadonlyMap<string, readonly [text: string, preposition: string]> = new Map([
  ['connection_refused', ['connection refused', 'at']],
  ['name_not_found', ['host name not found', 'for']],
  ['unreachable', ['no route', 'to']],
  ['connect_timeout', ['no connection in time', 'to']],
  ['tls_failure', ['no TLS connection', 'to']],
  ['proxy_refused', ['connection refused by the proxy', 'for']],
  ['not_encrypted', ['unencrypted connection to another machine', 'for']],
  ['connect_failed', ['no connection', 'to']],
  ['timeout', ['no answer in time', 'from']],
  ['connection_lost', ['connection lost before an answer', 'from']],
  ['server_error', ['fault of the API itself', 'at']],
]);

/** The codes of rows that the API gave no answer, or none that says anything of them. */
export const unansweredCodes: readonly string[] = [...texts.keys()];

/** Rows of a batch that got no answer, for the most frequent of the causes. */
export interface UnansweredRows {
  readonly code: string;
  readonly rows: number;
  /** Of the last answer; null where there was none. */
  readonly httpStatus: number | null;
  /** Since when nothing else was heard about them; ISO 8601, UTC. */
  readonly since: string;
}

/**
 * Why nothing was heard: `connection refused at https://api.example.com`.
 * @param address left out where it is null
 */
export function unansweredText(code: string, httpStatus: number | null, address: string | null): string {
  const [text, preposition] = texts.get(code) ?? [code, 'at'];
  const status = httpStatus === null ? '' : ` (HTTP ${httpStatus})`;
  return `${text}${status}${address === null ? '' : ` ${preposition} ${address}`}`;
}
