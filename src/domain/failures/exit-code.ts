import type { StatusCounts } from '../rows/row-state.ts';

/** What the program's end tells scripts. */
export const exitCodes = {
  done: 0,
  rowsNeedCorrection: 1,
  usage: 2,
  fileRefused: 3,
  stopped: 4,
  rowsNeedDecision: 5,
  credentialsRefused: 6,
  batchHeld: 7,
  internalError: 70,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Where several apply, the first of these counts. */
const precedence: readonly ExitCode[] = [70, 7, 6, 4, 3, 2, 5, 1, 0];

export function gravest(codes: readonly ExitCode[]): ExitCode {
  return precedence.find((code) => codes.includes(code)) ?? exitCodes.done;
}

/**
 * A batch's own exit code. Rows that are ready and were not sent mean that the run stopped before its
 * end; unknown and held rows are for a person, and so are those that need a correction.
 * @param contradicted created rows whose answer contradicts what was sent: they are for a person too
 * @param isRefusedAlike whether its sending stopped since its rows are all refused for one reason: only a person lets
 *   the others go on
 */
export function exitCodeOf(counts: StatusCounts, contradicted = 0, isRefusedAlike = false): ExitCode {
  const codes: ExitCode[] = [];
  if (counts.not_sent) codes.push(isRefusedAlike ? exitCodes.rowsNeedDecision : exitCodes.stopped);
  if (counts.unknown || counts.held || contradicted > 0) codes.push(exitCodes.rowsNeedDecision);
  if (counts.invalid || counts.rejected || counts.waiting) codes.push(exitCodes.rowsNeedCorrection);
  return gravest(codes);
}
