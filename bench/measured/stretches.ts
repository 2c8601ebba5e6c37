/*
 * Loaded into a program before its own code (`--import`). It tells its parent for how long the event loop answered nobody at
 * most since it was asked last.
 */

import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionInMs = 5;
const delays = monitorEventLoopDelay({ resolution: resolutionInMs });
delays.enable();

process.on('message', () => {
  // A delay is counted from one look to the next: without any work it is as long as the looks are apart.
  process.send?.(Math.max(0, delays.max / 1e6 - resolutionInMs));
  delays.reset();
});
// The program ends when its own work does.
process.channel?.unref();
