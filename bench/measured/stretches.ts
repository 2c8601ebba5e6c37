/*
 * Loaded into a program before its own code (`--import`). It reports to its parent the longest time for which the event
 * loop was blocked since the last report: by the clock, and in processor time, which other programs on the machine do
 * not lengthen.
 */

import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The longest time for which a program's event loop was blocked, in ms. */
export interface LongestStretch {
  readonly byClock: number;
  /** In all threads of the program, those that collect garbage too. */
  readonly byProcessor: number;
}

const resolutionInMs = 5;
const delays = monitorEventLoopDelay({ resolution: resolutionInMs });
delays.enable();

let used = process.cpuUsage();
let mostUsedInUs = 0;
setInterval(() => {
  const { user, system } = process.cpuUsage(used);
  used = process.cpuUsage();
  mostUsedInUs = Math.max(mostUsedInUs, user + system);
}, resolutionInMs).unref();

process.on('message', () => {
  // A delay is counted from one look to the next: without any work it is as long as the looks are apart.
  const byClock = Math.max(0, delays.max / 1e6 - resolutionInMs);
  const longest: LongestStretch = { byClock, byProcessor: mostUsedInUs / 1e3 };
  process.send?.(longest);
  delays.reset();
  mostUsedInUs = 0;
});
// The program ends when its own work does.
process.channel?.unref();
