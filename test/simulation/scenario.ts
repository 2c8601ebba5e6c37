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
}

const minuteInMs = 60_000;

/** What a schedule is about: anything that can happen, or programs that get into each other's way. */
export type ScenarioKind = 'anything' | 'one contended batch';

export function createScenario(random: Random, kind: ScenarioKind = 'anything'): Scenario {
  return kind === 'anything' ? anything(random) : contendedBatch(random);
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
  };
}

/** Programs on two hosts that work on one batch at once, and stand still about as long as a lease lasts. */
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
