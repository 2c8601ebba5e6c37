import { randomUUID } from 'node:crypto';
import type { ClockPort } from '../../src/call/context.ts';
import type { PipelineEvent } from '../../src/disk/log/run-event.ts';
import type { RunLogPort } from '../../src/disk/log/run-log.ts';
import type { Kind } from '../../src/domain/batches/batch.ts';
import type { KeyOwner, Rival } from '../../src/domain/rows/ledger-row.ts';
import type { KnownObject } from '../../src/kinds/definition.ts';
import type { ReferencePort } from '../../src/kinds/request.ts';

/** Objects that are known by their handles, and rows that own natural keys; notes what it is asked. */
export interface FakeReferences extends ReferencePort {
  readonly objects: Map<string, KnownObject>;
  readonly owners: Map<string, KeyOwner>;
  /** By the row that they are rivals of. */
  readonly rivals: Map<number, Rival>;
  readonly asked: string[];
}

export function fakeReferences(): FakeReferences {
  const objects = new Map<string, KnownObject>();
  const owners = new Map<string, KeyOwner>();
  const rivals = new Map<number, Rival>();
  const asked: string[] = [];
  return {
    objects,
    owners,
    rivals,
    asked,
    findByHandles: async (kind: Kind, handles) => {
      asked.push(...handles.map((handle) => `${kind} ${handle}`));
      const found = handles.flatMap((handle): [string, KnownObject][] => {
        const object = objects.get(`${kind} ${handle}`);
        return object === undefined ? [] : [[handle, object]];
      });
      return new Map(found);
    },
    findCustomersById: async (ids) => {
      asked.push(...ids.map((id) => `customer id ${id}`));
      const customers = [...objects.values()].filter(({ id }) => id !== null && ids.includes(id));
      return new Map(customers.map((customer) => [customer.id ?? '', customer]));
    },
    findKeyOwners: async (_, keys) => {
      const hexKeys = keys.map((key) => key.toString('hex'));
      return new Map([...owners].filter(([key]) => hexKeys.includes(key)));
    },
    findRivals: async (_, rows) => new Map([...rivals].filter(([row]) => rows.includes(row))),
  };
}

/** A run log that reports which of its events are on disk. */
export interface FakeRunLog extends RunLogPort {
  readonly onDisk: PipelineEvent[];
  /** The keys of the rows whose events are on disk. */
  readonly keysOnDisk: ReadonlySet<string | null>;
}

export function fakeRunLog(): FakeRunLog {
  const onDisk: PipelineEvent[] = [];
  const keysOnDisk = new Set<string | null>();
  let waiting: PipelineEvent[] = [];
  const flush = async (): Promise<void> => {
    const written = waiting;
    waiting = [];
    await Promise.resolve();
    onDisk.push(...written);
    for (const event of written) if ('key' in event) keysOnDisk.add(event.key);
  };
  return {
    onDisk,
    keysOnDisk,
    append: (events) => {
      waiting.push(...events);
    },
    flush,
    seal: async () => {
      await flush();
      return [];
    },
  };
}

export const fakeClock: ClockPort = { now: () => new Date('2026-11-21T08:00:00Z'), monotonicInMs: () => 0 };

/** What a submission of rows and a refill of their facts need alike, besides what a test looks at. */
export function fakeSubmission() {
  return {
    clock: fakeClock,
    batchId: 'batch',
    run: { id: 'run', number: 3 },
    credential: 'credential',
    keyLifetimeInMs: 86_400_000,
    approvalId: undefined,
    checkContent: undefined,
    concurrency: 4,
    readAnswer: () => ({ id: undefined, object: undefined }),
    rows: 'all' as const,
    latestRunWasWhole: false,
    waitingCodes: [],
    holdsBatch: () => true,
    halt: new AbortController(),
    onClaimed: () => {},
    onNothingToClaim: async () => false,
    onLimiter: () => {},
  };
}

/** A fake has only what a test needs; whatever else is called is a mistake of the test, and says so. */
export function partly<Port extends object>(given: Partial<Port>): Port {
  return new Proxy(given, {
    get: (target, name) => {
      const found: unknown = Reflect.get(target, name);
      if (found !== undefined || typeof name === 'symbol' || name === 'then') return found;
      throw new Error(`the fake has no ${name}`);
    },
  }) as Port;
}

export const newKey = (): string => randomUUID();
