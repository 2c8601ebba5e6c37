import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** A connection as the proxy sees it. */
interface Link {
  readonly client: Socket;
  readonly server: Socket;
  /** The statements since the connection's BEGIN; null outside of a transaction, where each commits itself. */
  statements: string[] | null;
  /** Answers of the server are swallowed, and the first of them ends the connection. */
  isDoomed: boolean;
  /** Nothing is passed on any more. */
  isSilent: boolean;
}

/** What happens to a connection when what its client asks for is to be committed. */
export type CommitFault = 'before_commit' | 'after_commit';

/** A proxy between the program and its database, which breaks connections off where a test says so. */
export interface DatabaseProxy {
  readonly databaseUrl: string;
  /**
   * Breaks a connection off at the next COMMIT of a transaction with such a statement, or at the statement
   * itself outside of one: before it reaches the server, or after it was carried out, with its reply lost.
   */
  breakAtCommit(statement: RegExp, fault: CommitFault): void;
  /** How often that happened. */
  breaks(): number;
  /** Calls back once, as soon as such a statement comes by, before it reaches the server. */
  whenAsked(statement: RegExp, then: () => void): void;
  /**
   * From now on passes nothing on, in no direction, and says nothing of it: connections stay open, new ones are
   * taken and get no answer.
   */
  fallSilent(): void;
  /** Passes on again what new connections say; those that fell silent stay so. */
  speakAgain(): void;
  /** Breaks every connection off and refuses new ones for a while. */
  disconnect(durationInMs: number): Promise<void>;
  /** Breaks every connection off; new ones lead to another server, as an address that moves with the primary does. */
  leadTo(databaseUrl: string): void;
}

/** Opens a proxy to a database; it is closed when the test has finished. */
export async function openDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  let target = new URL(databaseUrl);
  const links = new Set<Link>();
  const watched: { statement: RegExp; then: () => void }[] = [];
  const commits: { statement: RegExp; fault: CommitFault }[] = [];
  let breaks = 0;
  let isAway = false;
  let isSilent = false;

  const breakOff = ({ client, server }: Link): void => {
    client.resetAndDestroy();
    server.destroy();
  };
  /** Whether the message may reach the server. */
  const passes = (link: Link, sql: string): boolean => {
    const at = watched.findIndex(({ statement }) => statement.test(sql));
    if (at >= 0) watched.splice(at, 1)[0]?.then();
    const committed = committedBy(link, sql);
    const found = commits.findIndex(({ statement }) => committed.some((each) => statement.test(each)));
    if (found < 0) return !isAway;
    const fault = commits.splice(found, 1)[0]?.fault;
    breaks += 1;
    if (fault === 'before_commit') breakOff(link);
    else link.isDoomed = true;
    return fault === 'after_commit';
  };

  const proxy = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    const link: Link = { client, server, statements: null, isDoomed: false, isSilent };
    if (isAway) {
      breakOff(link);
      return;
    }
    links.add(link);
    const read = messageReader((sql) => passes(link, sql));
    client.on('data', (chunk) => {
      if (link.isSilent) return;
      for (const message of read(chunk)) server.write(message);
    });
    server.on('data', (chunk) => {
      if (link.isSilent) return;
      if (link.isDoomed) breakOff(link);
      else client.write(chunk);
    });
    for (const socket of [client, server]) {
      socket.on('error', () => {});
      socket.on('close', () => {
        links.delete(link);
        client.destroy();
        server.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    for (const link of links) breakOff(link);
    proxy.close();
  });
  const own = new URL(databaseUrl);
  own.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    databaseUrl: own.href,
    breakAtCommit: (statement, fault) => commits.push({ statement, fault }),
    breaks: () => breaks,
    whenAsked: (statement, then) => watched.push({ statement, then }),
    fallSilent() {
      isSilent = true;
      for (const link of links) link.isSilent = true;
    },
    speakAgain() {
      isSilent = false;
    },
    async disconnect(durationInMs) {
      isAway = true;
      for (const link of links) breakOff(link);
      await sleep(durationInMs);
      isAway = false;
    },
    leadTo(other) {
      target = new URL(other);
      for (const link of links) breakOff(link);
    },
  };
}

/** The statements that take effect with this one; keeps count of the transaction that they are in. */
function committedBy(link: Link, sql: string): string[] {
  if (/^BEGIN/i.test(sql)) {
    link.statements = [];
    return [];
  }
  if (link.statements === null) return [sql];
  link.statements.push(sql);
  if (!/^(COMMIT|ROLLBACK)/i.test(sql)) return [];
  const committed = /^COMMIT/i.test(sql) ? link.statements : [];
  link.statements = null;
  return committed;
}

/**
 * Splits what a client sends into messages of PostgreSQL's protocol, and asks about each one with a
 * statement (`Query` or `Parse`) whether it may pass.
 */
function messageReader(passes: (sql: string) => boolean): (chunk: Buffer) => Buffer[] {
  let rest = Buffer.alloc(0);
  let isStarted = false;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const messages: Buffer[] = [];
    for (;;) {
      // The very first message has no type before its length.
      const typeBytes = isStarted ? 1 : 0;
      if (rest.length < typeBytes + 4) return messages;
      const length = typeBytes + rest.readInt32BE(typeBytes);
      if (rest.length < length) return messages;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      if (!isStarted || passes(statementOf(message))) messages.push(message);
      isStarted = true;
    }
  };
}

function statementOf(message: Buffer): string {
  const type = String.fromCharCode(message[0] ?? 0);
  if (type === 'Q') return message.toString('utf8', 5, message.length - 1);
  if (type !== 'P') return '';
  const nameEnd = message.indexOf(0, 5);
  return message.toString('utf8', nameEnd + 1, message.indexOf(0, nameEnd + 1));
}
