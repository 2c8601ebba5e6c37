import type { Random } from '../simulation/random.ts';
import { realMs } from './fast-time.ts';
import type { Fault } from './fault-proxy.ts';
import type { ApiFault } from './truth-api.ts';
import type { Command, WholeRun } from './whole-run.ts';

/** A program as it is started; times are real milliseconds from the schedule's beginning. */
export interface PlannedProgram {
  readonly name: string;
  readonly startsAt: number;
  /** Its commands, one after the other. */
  readonly runs: readonly WholeRun[];
  readonly suspendedAt: number | null;
  readonly suspendedFor: number;
  readonly killedAt: number | null;
}

/** What happens to the world; times are real milliseconds from the schedule's beginning. */
export type WorldEvent =
  | { readonly kind: 'bank_closes'; readonly at: number; readonly bank: number }
  | { readonly kind: 'refusals_end'; readonly at: number }
  | { readonly kind: 'clock_moves'; readonly at: number; readonly shiftInMs: number };

export interface SchedulePlan {
  readonly rows: number;
  readonly duplicateRate: number;
  readonly refusalRate: number;
  readonly rowsPerPreparation: number;
  readonly rowsPerClaim: number;
  readonly keyLifetimeInMs: number;
  readonly apiLatencyInMs: number;
  readonly programs: readonly PlannedProgram[];
  readonly events: readonly WorldEvent[];
  /** Chance of a fault at a step that commits something, and at any other one. */
  readonly commitFaultRate: number;
  readonly stepFaultRate: number;
  /** Real milliseconds that a fault lasts at most: mostly short, sometimes longer than a lease. */
  readonly longestFault: number;
  readonly apiFaultRate: number;
  readonly faultsEndAt: number;
  /** Whether all programs are of one host, so that one sees of another that it is gone. */
  readonly isOneHost: boolean;
  readonly isLedgerLost: boolean;
}

const minuteInMs = 60_000;

/** Everything about one schedule that does not depend on how it goes. */
export function planSchedule(random: Random): SchedulePlan {
  const clockMoves = random.chance(0.25);
  const faultsEndAt = random.pick([250, 500, 900]);
  const rows = random.whole(8, random.pick([20, 60]));
  return {
    rows,
    duplicateRate: random.pick([0, 0, 0.1]),
    refusalRate: random.pick([0, 0, 0.2]),
    rowsPerPreparation: random.pick([1_000, 16, 6]),
    rowsPerClaim: random.pick([1_000, 12, 5, 3]),
    keyLifetimeInMs: random.pick([24 * 60, 24 * 60, 2]) * minuteInMs,
    apiLatencyInMs: random.pick([1, 3, 12]),
    programs: planPrograms(random, faultsEndAt),
    events: planEvents(random, faultsEndAt, clockMoves),
    commitFaultRate: random.pick([0, 0.05, 0.15, 0.35]),
    stepFaultRate: random.pick([0, 0.01, 0.03]),
    longestFault: random.pick([15, 60, 60, 250, realMs(45_000)]),
    apiFaultRate: random.pick([0, 0, 0.1, 0.4]),
    faultsEndAt,
    isOneHost: clockMoves || random.chance(0.5),
    isLedgerLost: random.chance(0.08),
  };
}

function planPrograms(random: Random, faultsEndAt: number): PlannedProgram[] {
  const later: readonly Command[] = [
    'join',
    'join',
    'join',
    'join',
    'import',
    'resume',
    'retry',
    'resolve',
    'replay',
  ];
  return Array.from({ length: random.whole(2, 5) }, (_, at): PlannedProgram => {
    const first: Command = at === 0 ? 'import' : random.pick(later);
    const commands = [first, ...Array.from({ length: random.whole(0, 2) }, () => random.pick(later))];
    const startsAt = at === 0 ? 0 : random.whole(30, random.pick([60, 150, faultsEndAt]));
    return {
      name: `program${at + 1}`,
      startsAt,
      runs: commands.map((command) => ({
        command,
        concurrency: random.pick([1, 3, 8]),
        maxAttempts: random.pick([1, 2, 4]),
      })),
      suspendedAt: random.chance(0.25) ? startsAt + random.whole(0, 200) : null,
      suspendedFor: realMs(random.pick([5_000, 20_000, 40_000, 70_000])),
      killedAt: random.chance(0.15) ? startsAt + random.whole(0, 200) : null,
    };
  });
}

function planEvents(random: Random, faultsEndAt: number, clockMoves: boolean): WorldEvent[] {
  const events: WorldEvent[] = [];
  const at = (): number => random.whole(20, faultsEndAt);
  if (random.chance(0.5))
    events.push({ kind: 'bank_closes', at: random.whole(20, 150), bank: random.whole(0, 2) });
  if (random.chance(0.5)) events.push({ kind: 'refusals_end', at: at() });
  if (clockMoves) {
    const backInMs = random.pick([2, 10, 60, 25 * 60]) * minuteInMs;
    events.push({ kind: 'clock_moves', at: at(), shiftInMs: -backInMs });
    if (random.chance(0.3)) events.push({ kind: 'clock_moves', at: at(), shiftInMs: 0 });
  }
  return events;
}

/** What happens to one step of a program. */
export function drawFault(random: Random, plan: SchedulePlan, isCommit: boolean): Fault | null {
  if (!random.chance(isCommit ? plan.commitFaultRate : plan.stepFaultRate)) return null;
  const durationInMs = random.whole(1, plan.longestFault);
  const kind = random.pick([
    ...(['hold_before', 'hold_before', 'hold_reply', 'cut_before', 'cut_after', 'late', 'late'] as const),
    ...(['half_open', 'stalled_commit', 'stalled_commit', 'terminated'] as const),
  ]);
  switch (kind) {
    case 'cut_before':
    case 'cut_after':
    case 'terminated':
      return { kind };
    case 'stalled_commit':
      return isCommit
        ? { kind, durationInMs, isCut: random.chance(0.6) }
        : { kind: 'hold_before', durationInMs };
    default:
      return { kind, durationInMs };
  }
}

export function drawApiFault(random: Random, plan: SchedulePlan): ApiFault | null {
  if (!random.chance(plan.apiFaultRate)) return null;
  return random.pick(['lost_before', 'lost_after', 'lost_after', 'not_sent', 'server_error'] as const);
}
