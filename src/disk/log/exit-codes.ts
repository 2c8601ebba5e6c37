/* The exit codes, by which scripts, run logs and report pages recognise how a call ended. */

import type { CallOutcome } from '../../domain/failures/paybatch-error.ts';

/** The exit code of each outcome. Two kinds of refusal share one code, and so do two kinds of missing approvals. */
export const exitCodes = {
  done: 0,
  rows_need_correction: 1,
  usage: 2,
  file_refused: 3,
  plan_changed: 3,
  stopped: 4,
  decision_needed: 5,
  credentials_refused: 6,
  busy: 7,
  approval_needed: 8,
  content_not_approved: 8,
  internal: 70,
} as const satisfies Readonly<Record<CallOutcome, number>>;
