/*
 * Loaded into a program before its own code (`--import`). It tells its parent for how long the event loop answered nobody at
 * most since it was asked last: by the clock, and by the processor, which others on the machine do not make longer.
 */

import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The longest stretch in which a program answered nobody, in ms. */
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
