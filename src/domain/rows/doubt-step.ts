/** What is known of a row in doubt, or of one that only a person may decide about. */
export interface DoubtfulRow {
  readonly state: 'unknown' | 'held' | 'sending';
  /** When a request of its key first left; null when none did. */
  readonly firstSentAt: string | null;
  /** Whether its key has run out. */
  readonly isExpired: boolean;
  /** Whether two runs or more have sent it under its key without a conclusive answer. */
  readonly isUnsettled: boolean;
}

/** `resume`: a run sends it again. `ask`: the provider has to be asked about it. `decide`: nothing of it ever left. */
export type DoubtStep = 'resume' | 'ask' | 'decide';

/** What should be tried next about a row in doubt. */
export function doubtStepOf({ state, firstSentAt, isExpired, isUnsettled }: DoubtfulRow): DoubtStep {
  if (state === 'sending') return 'resume';
  if (state === 'unknown') return isExpired || isUnsettled ? 'ask' : 'resume';
  return firstSentAt === null ? 'decide' : 'ask';
}

/** A time as people read it, to the minute: `2026-11-20 10:03 UTC`. */
function minuteOf(time: string): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/**
 * That a run sends rows in doubt again, until when, and what comes after that.
 * @param runsOutAt when the first of their keys runs out; null where nobody knows
 */
export function sentAgainText(rows: number, runsOutAt: string | null): string {
  const again =
    rows === 1
      ? 'the row in doubt is sent again under its own key, so that nothing is doubled'
      : 'those in doubt are sent again under their own keys, so that nothing is doubled';
  return runsOutAt === null ? again : `${again}, until ${minuteOf(runsOutAt)}; after that ask the provider`;
}
