/** What a client asks its server for in one go, up to where the server says that it is ready again. */
export interface Step {
  /** The text of its statement. */
  readonly sql: string;
  readonly kind: 'begin' | 'commit' | 'rollback' | 'statement';
  /** Its messages as they came. */
  readonly bytes: Buffer;
}

/** What came from a client: a step, or bytes that belong to none (the start of a connection, its end). */
export type FromClient = { readonly step: Step } | { readonly bytes: Buffer };

/**
 * What came from a server: bytes, and with the last of a reply whether a transaction is open: `I` idle, `T` in a
 * transaction, `E` in one that failed. `null` in the middle of a reply.
 */
export interface FromServer {
  readonly bytes: Buffer;
  readonly ready: 'I' | 'T' | 'E' | null;
  /** The process that serves the connection, where the server says so. */
  readonly pid: number | null;
}

/** Splits what a client sends by PostgreSQL's protocol (version 3) into steps. */
export function clientReader(): (chunk: Buffer) => FromClient[] {
  let rest = Buffer.alloc(0);
  let isStarted = false;
  let open: Buffer[] = [];
  let sql = '';
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const found: FromClient[] = [];
    for (;;) {
      const message = firstMessage(rest, isStarted ? 1 : 0);
      if (message === null) return found;
      rest = rest.subarray(message.length);
      const type = isStarted ? String.fromCharCode(message[0] ?? 0) : '';
      isStarted = true;
      if (type === '' || type === 'p' || type === 'X') {
        found.push({ bytes: message });
        continue;
      }
      open.push(message);
      sql = statementOf(type, message) ?? sql;
      if (type !== 'Q' && type !== 'S') continue;
      found.push({ step: { sql, kind: kindOf(sql), bytes: Buffer.concat(open) } });
      open = [];
      sql = '';
    }
  };
}

/** Splits what a server sends at the ends of its replies. */
export function serverReader(): (chunk: Buffer) => FromServer[] {
  let rest = Buffer.alloc(0);
  let pid: number | null = null;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const found: FromServer[] = [];
    let length = 0;
    for (;;) {
      const message = firstMessage(rest.subarray(length), 1);
      if (message === null) break;
      length += message.length;
      const type = String.fromCharCode(message[0] ?? 0);
      if (type === 'K') pid = message.readInt32BE(5);
      if (type !== 'Z') continue;
      const ready = String.fromCharCode(message[5] ?? 0) as 'I' | 'T' | 'E';
      found.push({ bytes: rest.subarray(0, length), ready, pid });
      rest = rest.subarray(length);
      length = 0;
    }
    if (length > 0) found.push({ bytes: rest.subarray(0, length), ready: null, pid });
    rest = Buffer.from(rest.subarray(length));
    return found;
  };
}

/** A message `Query` with this text. */
export function queryMessage(sql: string): Buffer {
  const text = Buffer.from(`${sql}\0`);
  const head = Buffer.alloc(5);
  head.write('Q');
  head.writeInt32BE(text.length + 4, 1);
  return Buffer.concat([head, text]);
}

function firstMessage(bytes: Buffer, typeBytes: number): Buffer | null {
  if (bytes.length < typeBytes + 4) return null;
  const length = typeBytes + bytes.readInt32BE(typeBytes);
  return bytes.length < length ? null : bytes.subarray(0, length);
}

function statementOf(type: string, message: Buffer): string | undefined {
  if (type === 'Q') return message.toString('utf8', 5, message.length - 1);
  if (type !== 'P') return undefined;
  const nameEnd = message.indexOf(0, 5);
  return message.toString('utf8', nameEnd + 1, message.indexOf(0, nameEnd + 1));
}

function kindOf(sql: string): Step['kind'] {
  const [, word = ''] = /^\s*(BEGIN|START TRANSACTION|COMMIT|ROLLBACK)\b/i.exec(sql) ?? [];
  switch (word.toUpperCase()) {
    case 'COMMIT':
      return 'commit';
    case 'ROLLBACK':
      return 'rollback';
    case '':
      return 'statement';
    default:
      return 'begin';
  }
}
