import { expect } from 'vitest';
import { type Pair, passTime } from './ledger-pair.ts';
import { type CallName, draws, type OverlappingCall, type Run } from './overlapping-calls.ts';

/** Longer than a lease lasts. */
const untilLostInMs = 400_000;

/** What programs of one batch contend for. */
interface Contest {
  /** Brings it about, one call after the other. @param runs of the batch, one for each program */
  readonly prepare: (pair: Pair, runs: readonly Run[]) => Promise<void>;
  /** What the first program may call. */
  readonly first: readonly CallName[];
  /** What every other one may call. */
  readonly others: readonly CallName[];
}

const everything = Object.keys(draws) as CallName[];

const contests = {
  anything: {
    prepare: (pair, [run]) => callAlone(pair, pair.random.pick(everything), run),
    first: everything,
    others: everything,
  },
  rowsToSend: {
    prepare: (pair, [run]) => callAlone(pair, 'prepare', run),
    first: ['claim'],
    others: ['claim', 'recheck', 'prepare'],
  },
  rowsOfLostRun: {
    prepare: async (pair, [lost, ...others]) => {
      await claimSome(pair, lost);
      await passTime(pair, untilLostInMs);
      for (const run of others) await callAlone(pair, 'prolong', run);
    },
    first: ['record', 'record', 'prolong', 'claim', 'end', 'endWithFiles'],
    others: ['takeOver', 'takeOver', 'begin', 'join', 'claim'],
  },
  rowsToPrepare: {
    prepare: async (pair, [, ...others]) => {
      if (pair.random.chance(0.5)) return;
      await passTime(pair, untilLostInMs);
      for (const run of others) await callAlone(pair, 'prolong', run);
    },
    first: ['prepare'],
    others: ['prepare', 'takeOver', 'takeOver', 'join', 'recheck'],
  },
  expiredLease: {
    prepare: async (pair) => {
      await passTime(pair, untilLostInMs);
    },
    first: ['prolong'],
    others: ['takeOver', 'takeOver', 'begin', 'join', 'prolong'],
  },
  freeBatch: {
    prepare: async (pair, runs) => {
      if (pair.random.chance(0.5)) await passTime(pair, untilLostInMs);
      else
        for (const run of pair.runs.filter(({ batchId }) => batchId === runs[0]?.batchId))
          await callAlone(pair, 'end', run);
    },
    first: ['begin'],
    others: ['begin', 'begin', 'join', 'takeOver', 'prolong'],
  },
  rowsInDoubt: {
    prepare: async (pair, [run]) => {
      await claimSome(pair, run);
      await callAlone(pair, 'record', run);
    },
    first: ['resolve'],
    others: ['resolve', 'resolve', 'claim', 'holdExpired', 'retry'],
  },
  resultFiles: {
    prepare: (pair, [run]) => claimSome(pair, run),
    first: ['endWithFiles'],
    others: ['endWithFiles', 'record', 'record', 'recheck', 'begin'],
  },
} as const satisfies Readonly<Record<string, Contest>>;

export type ContestName = keyof typeof contests;

/**
 * Brings a contest about.
 * @param name which; any when absent
 * @returns what programs are to call at the same moment; some repeat another's call
 */
export async function drawContest(pair: Pair, name?: ContestName): Promise<OverlappingCall[]> {
  const { random, batches } = pair;
  const contest: Contest = name === undefined ? random.pick(Object.values(contests)) : contests[name];
  const { id } = random.pick(batches);
  const runs: Run[] = [];
  for (let count = random.chance(0.25) ? 3 : 2; count > 0; count -= 1)
    runs.push(await openRun(pair, id, runs));
  await contest.prepare(pair, runs);
  const calls: OverlappingCall[] = [];
  for (const [at, run] of runs.entries()) {
    const [first] = calls;
    const isRepeated = first?.isRepeatable === true && random.chance(0.15);
    calls.push(isRepeated ? first : drawCall(pair, run, at === 0 ? contest.first : contest.others));
  }
  return calls;
}

/** A run of the batch that is under way, and that none of the other programs has. */
async function openRun(pair: Pair, batchId: string, others: readonly Run[]): Promise<Run> {
  const isOpen = ({ id }: Run): boolean => pair.model.runs.get(id)?.endedAt === null;
  const free = pair.runs.filter((run) => run.batchId === batchId && isOpen(run) && !others.includes(run));
  const run = free.at(-1);
  if (run !== undefined) return run;
  await callAlone(pair, 'join', { id: '', batchId });
  return openRun(pair, batchId, others);
}

function drawCall(pair: Pair, run: Run, names: readonly CallName[]): OverlappingCall {
  return draws[pair.random.pick(names)](pair, run) ?? draws.claim(pair, run);
}

/** A call that no other call overlaps. */
async function callAlone(pair: Pair, name: CallName, run: Run | undefined): Promise<void> {
  const call = run === undefined ? undefined : draws[name](pair, run);
  if (call === undefined) return;
  const ofLedger = await call.ofLedger(pair.verbs);
  let ofModel: unknown;
  for (const moment of call.moments()) ofModel = moment(pair.model);
  expect(ofLedger, call.name).toEqual(ofModel);
}

async function claimSome(pair: Pair, run: Run | undefined): Promise<void> {
  const isReady = pair.model.rowsOf(run?.batchId ?? '').some(({ state }) => state === 'ready');
  if (!isReady) await callAlone(pair, 'prepare', run);
  await callAlone(pair, 'claim', run);
}
