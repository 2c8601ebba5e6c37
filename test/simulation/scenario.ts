import type { RequestFate } from './faults.ts';
import type { Random } from './random.ts';
import type { RunPlan } from './simulated-run.ts';

export const customersBatch = 'aaaaaaaa-0000-4000-8000-000000000001';
export const accountsBatch = 'bbbbbbbb-0000-4000-8000-000000000002';
/** Another file that holds some of the same customers. */
export const twinsBatch = 'cccccccc-0000-4000-8000-000000000003';

/** What breaks, and after which event. */
export interface Mishap {
  readonly afterEvent: number;
  readonly kind:
    | 'crash'
    | 'power_cut'
    | 'pause'
    | 'pause_until_taken_over'
    | 'sleep'
    | 'stop'
    | 'api_down'
    | 'api_restart'
    | 'ledger_down'
    | 'disk_full'
    | 'log_moved'
    | 'credentials_revoked'
    | 'calendar_jump'
    | 'person'
    | 'recheck';
  readonly durationInMs: number;
}

/** A run that somebody starts: so long after the one before it was started, or after that one's end. */
export interface PlannedRun {
  readonly plan: RunPlan;
  readonly waitsForEnd: boolean;
  readonly delayInMs: number;
}

/** One schedule's beginning, made from the seed alone. */
export interface Scenario {
  readonly keyLifetimeInMs: number;
  readonly customers: number;
  readonly accounts: number;
  readonly twins: number;
  /** Chance that the API refuses a row for what it is. */
  readonly refusalRate: number;
  readonly runs: readonly PlannedRun[];
  readonly mishaps: readonly Mishap[];
  /** Customers whose requests always fail while the planned runs last; null for none. */
  readonly bad: BadCustomers | null;
}

/** Customers of whom the API, or something before it, cannot process the request, whatever becomes of others. */
export interface BadCustomers {
  readonly first: number;
  readonly count: number;
  readonly fate: RequestFate;
}

const minuteInMs = 60_000;

/**
 * What a schedule is about: anything that can happen, programs that get into each other's way, rows that always fail
 * among others, up to all of them, or ledgers and logs that do not belong together.
 */
export type ScenarioKind =
  | 'anything'
  | 'one contended batch'
  | 'rows that always fail'
  | 'two primaries'
  | 'one log';

export function createScenario(random: Random, kind: ScenarioKind = 'anything'): Scenario {
  switch (kind) {
    case 'anything':
      return anything(random);
    case 'one contended batch':
      return contendedBatch(random);
    case 'rows that always fail':
      return rowsThatAlwaysFail(random);
    case 'two primaries':
      return twoPrimaries(random);
    case 'one log':
      return oneLog(random);
  }
}

/** More rows than one claim takes, since a program that has claimed all of them claims nothing more. */
function twoPrimaries(random: Random): Scenario {
  const mishaps = Array.from(
    { length: random.whole(1, 4) },
    (): Mishap => ({
      kind: random.pick(['pause', 'pause', 'crash', 'ledger_down', 'power_cut', 'disk_full'] as const),
      afterEvent: random.whole(1, 1_500),
      durationInMs: random.whole(1, 40_000),
    }),
  );
  return { ...anything(random), customers: random.whole(130, 145), accounts: 0, twins: 0, runs: [], mishaps };
}

/** Runs of one batch alone, in which no person has a say: what a person decides is in no simulated log. */
function oneLog(random: Random): Scenario {
  const scenario = anything(random);
  const leftOut = new Set<Mishap['kind']>(['person', 'recheck', 'log_moved']);
  const runs = scenario.runs.map(({ plan, ...when }) => ({
    ...when,
    plan: { ...plan, batchId: customersBatch },
  }));
  const mishaps = scenario.mishaps.filter(({ kind }) => !leftOut.has(kind));
  return { ...scenario, customers: random.whole(3, 40), accounts: 0, twins: 0, runs, mishaps };
}

/** One or two programs, nothing else that goes wrong, and more rows than one claim takes. */
function rowsThatAlwaysFail(random: Random): Scenario {
  const customers = random.whole(100, 160);
  const count = random.pick([1, 3, 10, 10, 25, 35, customers]);
  const last = customers - count;
  const plan: RunPlan = {
    name: 'run1',
    batchId: customersBatch,
    host: 0,
    join: false,
    credential: 'key one',
    concurrency: random.pick([1, 2, 4, 16]),
    requestsPerSecond: null,
    maxAttempts: random.pick([1, 2, 3, 5]),
  };
  const joined = { ...plan, name: 'run2', host: 1, join: true } as const;
  const isJoined = random.chance(0.3) && count < customers;
  return {
    keyLifetimeInMs: 24 * 60 * minuteInMs,
    customers,
    accounts: 0,
    twins: 0,
    refusalRate: 0,
    runs: [
      { plan, waitsForEnd: !isJoined, delayInMs: isJoined ? 200 : 0 },
      ...(isJoined ? [{ plan: joined, waitsForEnd: true, delayInMs: 0 }] : []),
    ],
    mishaps: [],
    bad: {
      first: random.pick([0, last, random.whole(0, last)]),
      count,
      fate: random.pick(['fault_before', 'fault_after', 'reset_after', 'lost_answer', 'cut_answer'] as const),
    },
  };
}

function anything(random: Random): Scenario {
  const keyLifetimeInMs = random.pick([5, 60, 24 * 60]) * minuteInMs;
  const accounts = random.chance(0.5) ? random.whole(1, 4) : 0;
  const twins = random.chance(0.3) ? random.whole(1, 3) : 0;
  const batches = [
    customersBatch,
    ...(accounts > 0 ? [accountsBatch] : []),
    ...(twins > 0 ? [twinsBatch] : []),
  ];
  return {
    keyLifetimeInMs,
    customers: random.whole(3, 8),
    accounts,
    twins,
    refusalRate: random.pick([0, 0, 0.2]),
    runs: plannedRuns(random, batches),
    mishaps: mishaps(random, keyLifetimeInMs),
    bad: null,
  };
}

/** Programs on two hosts that work on one batch at once, and pause about as long as a lease lasts. */
function contendedBatch(random: Random): Scenario {
  const scenario = anything(random);
  const runs = Array.from({ length: random.whole(4, 7) }, (_, index): PlannedRun => {
    const plan: RunPlan = {
      name: `run${index + 1}`,
      batchId: customersBatch,
      join: index > 0,
      credential: 'key one',
      host: random.chance(0.5) ? 0 : 1,
      concurrency: random.pick([1, 2]),
      requestsPerSecond: null,
      maxAttempts: 3,
    };
    return { plan, waitsForEnd: false, delayInMs: random.whole(0, random.pick([500, 10_000, 40_000])) };
  });
  const mishaps = Array.from(
    { length: random.whole(2, 6) },
    (): Mishap => ({
      kind: random.pick([
        'pause',
        'pause',
        'pause',
        'pause_until_taken_over',
        'ledger_down',
        'recheck',
      ] as const),
      afterEvent: random.whole(1, 160),
      durationInMs: random.whole(25_000, 40_000),
    }),
  );
  return { ...scenario, accounts: 0, twins: 0, runs, mishaps };
}

function plannedRuns(random: Random, batches: readonly string[]): PlannedRun[] {
  const concurrency = random.pick([1, 2, 3, 4, 16]);
  const requestsPerSecond = random.chance(0.2) ? random.pick([2, 5, 20]) : null;
  const maxAttempts = random.pick([1, 2, 3, 5]);
  return Array.from({ length: random.whole(2, 5) }, (_, index) => {
    const batchId = index < batches.length && random.chance(0.6) ? batches[index] : random.pick(batches);
    const plan: RunPlan = {
      name: `run${index + 1}`,
      batchId: batchId ?? customersBatch,
      host: random.chance(0.7) ? 0 : 1,
      join: random.chance(0.4),
      credential: random.chance(0.9) ? 'key one' : 'key two',
      concurrency,
      requestsPerSecond,
      maxAttempts,
    };
    const delayInMs = random.pick([0, 200, 5_000, 32_000, 70_000, 400_000]);
    return { plan, waitsForEnd: random.chance(0.6), delayInMs: random.whole(0, delayInMs) };
  });
}

function mishaps(random: Random, keyLifetimeInMs: number): Mishap[] {
  return Array.from({ length: random.whole(0, 4) }, (): Mishap => {
    const kind = random.pick([
      'crash',
      'crash',
      'crash',
      'power_cut',
      'pause',
      'pause',
      'pause_until_taken_over',
      'pause_until_taken_over',
      'sleep',
      'stop',
      'api_down',
      'api_restart',
      'ledger_down',
      'disk_full',
      'log_moved',
      'credentials_revoked',
      'calendar_jump',
      'person',
      'recheck',
    ] as const);
    const longestInMs = random.pick([3_000, 40_000, 120_000, 2 * keyLifetimeInMs]);
    return { kind, afterEvent: random.whole(1, 160), durationInMs: random.whole(1, longestInMs) };
  });
}
