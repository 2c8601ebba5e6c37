import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';

/** What a program took, from its start to its end. */
export interface Usage {
  readonly seconds: number;
  /** Of the processor, in all its threads; NaN where the system does not report it. */
  readonly processorSeconds: number;
  /** The largest resident set; NaN where the system does not report it. */
  readonly peakInMib: number;
}

const looksEveryInMs = 20;
const ticksPerSecond = 100;
/** Of the fields of `/proc/PID/stat` behind the name: user and system time, in ticks. */
const userTimeAt = 11;

/**
 * Waits for a program that was started just now, and looks at what it uses meanwhile (on Linux only).
 * @throws Error when it ends with another exit code
 */
export async function watchProgram(program: ChildProcess, exitCode = 0): Promise<Usage> {
  const startedAtInMs = performance.now();
  let last = { processorSeconds: Number.NaN, peakInMib: Number.NaN };
  const looking = setInterval(async () => {
    last = (await usageOf(program.pid ?? 0)) ?? last;
  }, looksEveryInMs);
  const [code] = await once(program, 'exit');
  const seconds = (performance.now() - startedAtInMs) / 1000;
  clearInterval(looking);
  if (code !== exitCode) throw new Error(`the program ended with ${code}`);
  return { seconds, ...last };
}

async function usageOf(pid: number): Promise<Omit<Usage, 'seconds'> | null> {
  try {
    const [stat, status] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile(`/proc/${pid}/status`, 'utf8'),
    ]);
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[userTimeAt]) + Number(fields[userTimeAt + 1]);
    const peak = /VmHWM:\s+(\d+)/.exec(status)?.[1];
    return peak === undefined
      ? null
      : { processorSeconds: ticks / ticksPerSecond, peakInMib: Number(peak) / 1024 };
  } catch {
    return null;
  }
}
