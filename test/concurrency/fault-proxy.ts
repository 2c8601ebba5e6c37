import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientReader, queryMessage, type Step, serverReader } from './wire.ts';

/** How long something lasts: until a number of further steps of any program came by, but no longer than the time. */
export interface Hold {
  readonly steps?: number;
  /** Real milliseconds. */
  readonly durationInMs: number;
}

/** What happens to one step on its way. */
export type Fault =
  /** It reaches the server later. */
  | ({ readonly kind: 'hold_before' } & Hold)
  /** Its reply reaches the client later. */
  | ({ readonly kind: 'hold_reply' } & Hold)
  /** The connection breaks, and the server never has it. */
  | { readonly kind: 'cut_before' }
  /** The server carries it out, and the connection breaks before the reply. */
  | { readonly kind: 'cut_after' }
  /** The connection breaks for the client; the server gets the step so much later and carries it out. */
  | ({ readonly kind: 'late' } & Hold)
  /** The connection breaks for the client, and the server learns of that so much later: it keeps its locks. */
  | ({ readonly kind: 'half_open' } & Hold)
  /** Its commit waits in the server for a replica that is away; with `isCut` the client's connection breaks meanwhile. */
  | ({ readonly kind: 'stalled_commit'; readonly isCut: boolean } & Hold)
  /** The server ends the session (`pg_terminate_backend`) while the step is with it. */
  | { readonly kind: 'terminated' };

export interface FaultProxyOptions {
  /** The server behind; the port of this proxy takes its place. */
  readonly databaseUrl: string;
  /** What happens to a step; null: it passes. Asked once for each step, when it came in. */
  readonly faultOf: (step: Step, isInTransaction: boolean) => Fault | null;
  /** Resolves when a fault has lasted its time. */
  readonly outlast: (hold: Hold) => Promise<void>;
  /** Nothing passes, in either direction, until this resolves: the client's program is suspended. */
  readonly whileSuspended: () => Promise<void> | null;
  /** Whether no connection is accepted: the client's program is dead. */
  readonly isRefusing: () => boolean;
  /** Runs a statement with the rights of a superuser, over a connection of its own. */
  readonly administer: (sql: string) => Promise<void>;
}

/**
 * A proxy between one program and its PostgreSQL server that reads the protocol: it holds, delays and cuts at
 * statements and at COMMIT, before or after the server has them.
 */
export interface FaultProxy {
  readonly databaseUrl: string;
  /** Breaks every connection off, as a program's death does; what is already on its way to the server arrives. */
  readonly cutAll: () => void;
  /** Ends the connections that are idle in a transaction, as `idle_in_transaction_session_timeout` does. */
  readonly endIdleTransactions: () => void;
  /** Whether no transaction is open and nothing is with the server; what is held on its way there may be. */
  readonly isAtRest: () => boolean;
  readonly close: () => Promise<void>;
}

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  readonly waiting: Step[];
  isBusy: boolean;
  isInTransaction: boolean;
  pid: number | null;
  /** Takes the reply to the step that is with the server. */
  takeReply: ((reply: Buffer) => void) | null;
  reply: Buffer[];
  /** What the server said after a reply that did not reach the client yet. */
  readonly afterReply: Buffer[];
}

export async function openFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const target = new URL(options.databaseUrl);
  const links = new Set<Link>();
  const proxy = createServer({ noDelay: true }, (client) => {
    client.on('error', () => {});
    if (options.isRefusing()) {
      client.resetAndDestroy();
      return;
    }
    const server = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    const link = openLink(client, server);
    links.add(link);
    server.on('close', () => links.delete(link));
    join(link, options);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const own = new URL(options.databaseUrl);
  own.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    databaseUrl: own.href,
    cutAll: () => {
      for (const link of links) if (!link.client.destroyed) breakOff(link);
    },
    endIdleTransactions: () => {
      for (const link of links) if (link.isInTransaction && link.takeReply === null) breakOff(link);
    },
    isAtRest: () => [...links].every((link) => !link.isInTransaction && link.takeReply === null),
    close: () => close(proxy, links),
  };
}

async function close(proxy: Server, links: ReadonlySet<Link>): Promise<void> {
  for (const link of links) breakOff(link);
  proxy.close();
  await once(proxy, 'close');
}

function openLink(client: Socket, server: Socket): Link {
  return {
    client,
    server,
    waiting: [],
    isBusy: false,
    isInTransaction: false,
    pid: null,
    takeReply: null,
    reply: [],
    afterReply: [],
  };
}

function breakOff(link: Link): void {
  leaveClient(link);
  link.server.destroy();
}

/** The client's side breaks; what the server has under way goes on. */
function leaveClient({ client }: Link): void {
  if (!client.destroyed) client.resetAndDestroy();
}

function join(link: Link, options: FaultProxyOptions): void {
  const { client, server } = link;
  const readClient = clientReader();
  const readServer = serverReader();
  client.on('data', (chunk) => {
    for (const found of readClient(chunk)) {
      if ('bytes' in found) server.write(found.bytes);
      else link.waiting.push(found.step);
    }
    void carryAll(link, options);
  });
  server.on('data', (chunk) => {
    for (const { bytes, ready, pid } of readServer(chunk)) {
      link.pid = pid;
      if (ready !== null) link.isInTransaction = ready !== 'I';
      stageInput(link, bytes, ready !== null);
    }
  });
  for (const socket of [client, server]) socket.on('error', () => {});
  client.on('close', () => {
    // A step that is with the server, or on its way there, decides itself when the server hears of it.
    if (!link.isBusy) server.destroy();
  });
  server.on('close', () => {
    if (link.takeReply !== null) stageInput(link, Buffer.alloc(0), true);
    else if (!link.isBusy) client.destroy();
  });
}

/** Outside of a step (while the connection begins, or when the server ends it) everything passes. */
function stageInput(link: Link, bytes: Buffer, isComplete: boolean): void {
  if (link.takeReply === null) {
    if (link.isBusy) link.afterReply.push(bytes);
    else if (!link.client.destroyed) link.client.write(bytes);
    return;
  }
  link.reply.push(bytes);
  if (!isComplete) return;
  const { takeReply, reply } = link;
  link.takeReply = null;
  link.reply = [];
  takeReply(Buffer.concat(reply));
}

async function carryAll(link: Link, options: FaultProxyOptions): Promise<void> {
  if (link.isBusy) return;
  link.isBusy = true;
  for (let step = link.waiting.shift(); step !== undefined; step = link.waiting.shift()) {
    const reply = await carry(link, step, options);
    await options.whileSuspended();
    if (reply === null || link.client.destroyed) break;
    link.client.write(Buffer.concat([reply, ...link.afterReply.splice(0)]));
    if (link.server.destroyed) break;
  }
  link.isBusy = false;
  // A transaction that no client will continue ends.
  if (link.client.destroyed) link.server.destroy();
  else if (link.server.destroyed) link.client.end();
}

/** Brings one step to the server, whatever happens to it on its way. @returns the reply; null if no client gets it */
async function carry(link: Link, step: Step, options: FaultProxyOptions): Promise<Buffer | null> {
  await options.whileSuspended();
  const fault = options.faultOf(step, link.isInTransaction);
  switch (fault?.kind) {
    case undefined:
      return ask(link, step.bytes);
    case 'hold_before':
      await options.outlast(fault);
      return ask(link, step.bytes);
    case 'hold_reply': {
      const reply = await ask(link, step.bytes);
      await options.outlast(fault);
      return reply;
    }
    case 'cut_before':
      breakOff(link);
      return null;
    case 'cut_after':
      await ask(link, step.bytes);
      breakOff(link);
      return null;
    case 'late':
      leaveClient(link);
      await options.outlast(fault);
      await ask(link, step.bytes);
      return null;
    case 'half_open':
      leaveClient(link);
      await options.outlast(fault);
      return null;
    case 'stalled_commit':
      return stall(link, step, fault, options);
    case 'terminated': {
      const replied = ask(link, step.bytes);
      await options.administer(`SELECT pg_terminate_backend(${link.pid})`);
      return replied;
    }
  }
}

/** Sends something to the server and waits for the whole reply; an empty one when the connection ends. */
function ask(link: Link, bytes: Buffer): Promise<Buffer> {
  if (link.server.destroyed) return Promise.resolve(Buffer.alloc(0));
  return new Promise((resolve) => {
    link.takeReply = resolve;
    link.server.write(bytes);
  });
}

/**
 * The tests' server waits, at each commit that asks for it, for a replica that does not exist: after the commit
 * is written, and before it is visible and its locks are free. Cancelling ends the wait with the commit done.
 */
async function stall(
  link: Link,
  step: Step,
  fault: Extract<Fault, { kind: 'stalled_commit' }>,
  { administer, outlast }: FaultProxyOptions,
): Promise<Buffer | null> {
  await ask(link, queryMessage('SET synchronous_commit = on'));
  const replied = ask(link, step.bytes);
  if (fault.isCut) leaveClient(link);
  let isDone = false;
  const reply = replied.then((bytes) => {
    isDone = true;
    return bytes;
  });
  await Promise.race([reply, outlast(fault)]);
  while (!isDone) {
    await administer(
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = ${link.pid} AND wait_event = 'SyncRep'`,
    );
    await Promise.race([reply, sleep(10)]);
  }
  const bytes = await reply;
  if (!link.client.destroyed && !link.server.destroyed) {
    await ask(link, queryMessage('SET synchronous_commit = local'));
  }
  return fault.isCut ? null : bytes;
}
