/**
 * Whoever reads the output may leave early (`paybatch status | head`), its disk may be full, its terminal
 * gone. That is no reason to stop a run, nor does it change how the run ends: from the first failed
 * write on, what is left is written to nobody.
 */
export function giveUpFailingStreams(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', () => {
      stream.write = writeToNobody;
    });
  }
}

/** Takes everything, and calls back as a stream would. */
function writeToNobody(_chunk: unknown, ...rest: unknown[]): boolean {
  const done = rest.at(-1);
  if (typeof done === 'function') process.nextTick(done);
  return true;
}
