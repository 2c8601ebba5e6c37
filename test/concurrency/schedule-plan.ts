import type { Random } from '../simulation/random.ts';
import { realMs } from './fast-time.ts';
import type { Fault } from './fault-proxy.ts';
import type { ApiFault } from './truth-api.ts';
import type { Command, WholeRun } from './whole-run.ts';

/** A program as it is started. Moments are counts of what has happened in the world, see `Progress`. */
export interface PlannedProgram {
  readonly name: string;
  readonly startsAt: number;
  /** Real milliseconds from the schedule's beginning. */
  readonly notBefore: number;
  /** Its commands, one after the other. */
  readonly runs: readonly WholeRun[];
  readonly suspendedAt: number | null;
  /** Real milliseconds. */
  readonly suspendedFor: number;
  readonly killedAt: number | null;
}

/** What happens to the world; moments as above. */
export type WorldEvent =
  | { readonly kind: 'bank_closes'; readonly at: number; readonly bank: number }
  | { readonly kind: 'refusals_end'; readonly at: number }
  | { readonly kind: 'clock_moves'; readonly at: number; readonly shiftInMs: number };

/** What may happen to steps: each of the kinds as likely as it is often named. */
export interface Trouble {
  readonly rate: number;
  readonly kinds: readonly Fault['kind'][];
  /** How many more steps it lasts, at least and at most. */
  readonly steps: readonly [number, number];
  /** Real milliseconds that it lasts at most. */
  readonly longestInMs: number;
}

export interface SchedulePlan {
  readonly theme: Theme;
  readonly rows: number;
  readonly duplicateRate: number;
  readonly refusalRate: number;
  readonly rowsPerPreparation: number;
  readonly rowsPerClaim: number;
  readonly keyLifetimeInMs: number;
  /** Real milliseconds that a request takes at least, and at most beyond that. */
  readonly apiLatencyInMs: readonly [number, number];
  readonly programs: readonly PlannedProgram[];
  readonly events: readonly WorldEvent[];
  /** At steps that commit something, and at the others, within transactions. */
  readonly atCommits: Trouble;
  readonly atSteps: Trouble;
  readonly apiFaultRate: number;
  readonly apiFaults: readonly ApiFault[];
  /** The moment from which steps have faults: mostly when the batch is staged, so that the faults have an effect. */
  readonly faultsBeginAt: number;
  /** Real milliseconds. */
  readonly faultsEndAt: number;
  /** Whether all programs are of one host, so that one sees of another that it is gone. */
  readonly isOneHost: boolean;
  /** Whether the ledger is lost when all programs have ended, and rebuilt from the run log. */
  readonly isLedgerLost: boolean;
}

/** What a schedule is mostly about; chance alone would bring what belongs together too seldom. */
const themes = ['mixed', 'recheck', 'late_commits', 'suspended', 'files', 'clock'] as const;
type Theme = (typeof themes)[number];

const minuteInMs = 60_000;

/** When so much has happened, an import that nothing disturbs has staged its batch. */
const staged = 32;

/** Everything about one schedule that does not depend on how it goes. */
export function planSchedule(random: Random): SchedulePlan {
  const theme = random.pick(themes);
  return { ...mixed(random, theme), ...forTheme[theme](random) };
}

const anyFault = [
  ...(['hold_before', 'hold_before', 'hold_reply', 'cut_before', 'cut_after', 'late', 'late'] as const),
  ...(['half_open', 'stalled_commit', 'stalled_commit', 'terminated'] as const),
];

const none: Trouble = { rate: 0, kinds: anyFault, steps: [1, 30], longestInMs: 100 };

function mixed(random: Random, theme: Theme): SchedulePlan {
  const clockMoves = random.chance(0.1);
  const longestInMs = random.pick([30, 100, 400, 400, realMs(45_000)]);
  const steps = [1, random.pick([10, 40, 200])] as const;
  return {
    theme,
    rows: random.whole(8, random.pick([20, 60])),
    duplicateRate: random.pick([0, 0, 0.1]),
    refusalRate: random.pick([0, 0, 0.2]),
    rowsPerPreparation: random.pick([1_000, 16, 6]),
    rowsPerClaim: random.pick([1_000, 12, 5, 3]),
    keyLifetimeInMs: random.pick([24 * 60, 24 * 60, 2]) * minuteInMs,
    apiLatencyInMs: [0, random.pick([1, 3, 12, 60])],
    programs: Array.from({ length: random.whole(2, 5) }, (_, at) => anyProgram(random, at)),
    events: [
      ...bankCloses(random, 0.5, [20, 200]),
      ...(random.chance(0.5) ? [{ kind: 'refusals_end', at: random.whole(20, 400) } as const] : []),
      ...(clockMoves ? clockEvents(random) : []),
    ],
    atCommits: { rate: random.pick([0, 0.05, 0.15, 0.35]), kinds: anyFault, steps, longestInMs },
    atSteps: { rate: random.pick([0, 0.01, 0.05]), kinds: anyFault, steps, longestInMs },
    apiFaultRate: random.pick([0, 0, 0.1, 0.4]),
    apiFaults: ['lost_before', 'lost_after', 'lost_after', 'not_sent', 'server_error'],
    faultsBeginAt: random.pick([0, staged, staged, staged]),
    faultsEndAt: 1_500,
    isOneHost: clockMoves || random.chance(0.5),
    isLedgerLost: random.chance(0.1),
  };
}

const laterCommands: readonly Command[] = [
  ...(['join', 'join', 'join', 'join', 'import', 'resume', 'retry', 'resolve', 'replay'] as const),
];

function anyProgram(random: Random, at: number): PlannedProgram {
  const first: Command = at === 0 ? 'import' : random.pick(laterCommands);
  const commands = [first, ...Array.from({ length: random.whole(0, 2) }, () => random.pick(laterCommands))];
  const startsAt =
    at === 0
      ? 0
      : random.pick([random.whole(5, staged), staged + random.whole(0, random.pick([20, 80, 300]))]);
  return {
    ...program(random, at, startsAt, commands),
    suspendedAt: random.chance(0.25) ? startsAt + random.whole(5, 150) : null,
    suspendedFor: realMs(random.pick([5_000, 20_000, 40_000, 70_000])),
    killedAt: random.chance(0.15) ? startsAt + random.whole(5, 150) : null,
  };
}

/** One to which nothing is done. */
function program(random: Random, at: number, startsAt: number, commands: readonly Command[]): PlannedProgram {
  const runs = commands.map((command) => ({
    command,
    concurrency: random.pick([1, 3, 8]),
    maxAttempts: random.pick([1, 2, 4]),
  }));
  return {
    name: `program${at + 1}`,
    startsAt,
    notBefore: 0,
    runs,
    suspendedAt: null,
    suspendedFor: 0,
    killedAt: null,
  };
}

/** Programs, of which the first imports and the others join while it prepares and sends. */
function joining(random: Random, count: number, until: number): PlannedProgram[] {
  return Array.from({ length: count }, (_, at) =>
    program(random, at, at === 0 ? 0 : staged + random.whole(0, until), [
      at === 0 ? 'import' : 'join',
      'join',
    ]),
  );
}

function bankCloses(random: Random, chance: number, [from, to]: readonly [number, number]): WorldEvent[] {
  if (!random.chance(chance)) return [];
  return [{ kind: 'bank_closes', at: random.whole(from, to), bank: random.whole(0, 2) }];
}

/** Set back, and sometimes put right again. */
function clockEvents(random: Random): WorldEvent[] {
  const backInMs = random.pick([2, 60, 60, 25 * 60]) * minuteInMs;
  const at = staged + random.whole(20, 120);
  const back: WorldEvent = { kind: 'clock_moves', at, shiftInMs: -backInMs };
  if (random.chance(0.7)) return [back];
  return [back, { kind: 'clock_moves', at: at + random.whole(5, 200), shiftInMs: 0 }];
}

const forTheme: Record<Theme, (random: Random) => Partial<SchedulePlan>> = {
  mixed: () => ({}),
  recheck: (random) => ({
    rows: random.whole(30, 60),
    rowsPerPreparation: 1_000,
    rowsPerClaim: random.pick([3, 5, 8]),
    apiLatencyInMs: [0, random.pick([12, 40])],
    programs: joining(random, random.whole(3, 5), 120),
    events: bankCloses(random, 1, [staged + 10, 120]),
    atCommits: { rate: 0.4, kinds: ['hold_before'], steps: [2, 30], longestInMs: 100 },
    atSteps: { rate: random.pick([0.1, 0.3]), kinds: ['hold_before'], steps: [2, 30], longestInMs: 60 },
  }),
  late_commits: (random) => ({
    rows: random.whole(20, 50),
    rowsPerPreparation: random.pick([6, 10]),
    rowsPerClaim: random.pick([1_000, 6]),
    apiLatencyInMs: [random.pick([50, 200]), random.pick([100, 200])],
    programs: joining(random, random.whole(1, 3), 30),
    events: bankCloses(random, 0.2, [staged, 200]),
    atCommits: {
      rate: random.pick([0.1, 0.25]),
      kinds: ['late', 'stalled_commit'],
      // Longer than a verb waits before it is repeated, and shorter than the API needs to answer.
      steps: [60, 300],
      longestInMs: 600,
    },
    atSteps: none,
    apiFaultRate: 0,
    faultsEndAt: 2_500,
  }),
  suspended: (random) => ({
    rows: random.whole(6, 16),
    keyLifetimeInMs: 24 * 60 * minuteInMs,
    apiLatencyInMs: [0, random.pick([3, 30])],
    programs: [
      {
        ...program(random, 0, 0, ['import']),
        suspendedAt: random.whole(45, 90),
        suspendedFor: realMs(random.pick([70_000, 90_000])),
      },
      // It comes when the other's lease is over.
      {
        ...program(random, 1, 0, ['resume', 'resolve', 'resume', 'resolve', 'resume', 'resume']),
        notBefore: realMs(random.whole(33_000, 45_000)),
      },
    ],
    apiFaultRate: random.pick([0.4, 0.7]),
    apiFaults: ['lost_before', 'server_error', 'lost_after'],
    atCommits: { ...none, rate: random.pick([0, 0.1]) },
    faultsEndAt: realMs(75_000),
    // A lease of another host that is lost would last until the clock has caught up.
    events: bankCloses(random, 0.5, [20, 200]),
    isOneHost: false,
  }),
  files: (random) => ({
    rows: random.whole(4, 12),
    rowsPerClaim: random.pick([2, 5, 1_000]),
    apiLatencyInMs: [0, random.pick([3, 12])],
    // The last end decides, so there are few of them.
    programs: Array.from({ length: random.whole(2, 3) }, (_, at) =>
      program(random, at, at === 0 ? 0 : staged + random.whole(0, 150), [at === 0 ? 'import' : 'join']),
    ),
    events: [],
    atCommits: { rate: 0.3, kinds: ['hold_before', 'hold_reply'], steps: [20, 120], longestInMs: 400 },
    atSteps: { rate: 0.1, kinds: ['hold_before'], steps: [20, 120], longestInMs: 400 },
    apiFaultRate: 0.5,
    apiFaults: ['lost_before', 'not_sent'],
    faultsEndAt: 2_500,
  }),
  clock: (random) => ({
    rows: random.whole(8, 24),
    // Few runs: what they put back is to be there when the clock has moved.
    programs: [
      program(random, 0, 0, ['import']),
      ...(random.chance(0.5) ? [program(random, 1, staged + random.whole(0, 60), ['join'])] : []),
    ],
    events: clockEvents(random),
    atCommits: { ...none, rate: random.pick([0, 0.05]) },
    atSteps: none,
    apiFaultRate: random.pick([0.5, 0.9]),
    apiFaults: ['not_sent', 'not_sent', 'not_sent', 'lost_after'],
    isOneHost: true,
  }),
};

/** What happens to one step of a program. */
export function drawFault(random: Random, plan: SchedulePlan, isCommit: boolean): Fault | null {
  const { rate, kinds, ...trouble } = isCommit ? plan.atCommits : plan.atSteps;
  if (!random.chance(rate)) return null;
  const kind = random.pick(kinds);
  const hold = {
    steps: random.whole(...trouble.steps),
    durationInMs: random.whole(Math.floor(trouble.longestInMs / 4), Math.floor(trouble.longestInMs)),
  };
  switch (kind) {
    case 'cut_before':
    case 'cut_after':
    case 'terminated':
      return { kind };
    case 'stalled_commit':
      return isCommit ? { kind, ...hold, isCut: random.chance(0.6) } : { kind: 'hold_before', ...hold };
    default:
      return { kind, ...hold };
  }
}

export function drawApiFault(random: Random, plan: SchedulePlan): ApiFault | null {
  return random.chance(plan.apiFaultRate) ? random.pick(plan.apiFaults) : null;
}
