/* The states of a row, and what a person can do about a row that no run can move to another state. */

/**
 * The state of a row in the ledger. After the meaning of each state follows what moves a row out of it.
 * - `staged`: validated, and its request is not written yet. Moved by the preparation of the next run, or by a recheck if
 *   the institutions have changed since then.
 * - `waiting`: an object on which it depends does not exist yet, or the API refused it for a reason that may pass. Moved
 *   by the preparation of the next run (after a refusal, once its delay has passed), by a plan that finds its dependency is
 *   due, or by a recheck.
 * - `ready`: key and exact body are in the ledger, and nothing was sent. Moved by a claim or a recheck.
 * - `sending`: a worker holds a lease on it and may be sending it. Moved by that worker's record, or by the takeover of
 *   another run once the lease has expired.
 * - `unknown`: sent, without a conclusive answer. Moved by a claim within its key's lifetime, or by a person.
 * - `held`: moved only by a person, with two exceptions: a recheck, if no complete list of institutions had shown whether
 *   its institution exists; and a run, once the row that it corrects is no longer in doubt.
 * - `rejected`: the API refused it conclusively. Moved by `retry`, under a new key.
 * - `created`, `existing`, `invalid`: final. `duplicate` follows the row that it repeats.
 * A row that was never sent, or was refused, is superseded by its correction; an invalid row changes only its message. A row
 * that was never sent becomes `invalid` when a person closes its batch. When a person disowns an API key of the wrong mode,
 * rows that were created with it, and rows that refer to these, become `staged` again.
 */
export const rowStates = [
  'staged',
  'waiting',
  'ready',
  'sending',
  'created',
  'rejected',
  'unknown',
  'held',
  'invalid',
  'existing',
  'duplicate',
] as const;

export type RowState = (typeof rowStates)[number];

/** Every allowed transition. Each update in the ledger names one of these, and rows change their state in no other way. */
export const transitions = {
  prepare: { from: ['staged', 'waiting'], to: ['ready', 'waiting', 'existing', 'held'] },
  plan: { from: ['waiting'], to: ['staged'] },
  recheck: { from: ['staged', 'waiting', 'ready'], to: ['invalid', 'held'] },
  verify: { from: ['held'], to: ['staged', 'invalid'] },
  claim: { from: ['ready', 'unknown'], to: ['sending'] },
  record: { from: ['sending'], to: ['created', 'rejected', 'waiting', 'unknown', 'held', 'ready'] },
  takeOver: { from: ['sending'], to: ['unknown'] },
  expireKey: { from: ['unknown'], to: ['held'] },
  retry: { from: ['rejected'], to: ['staged'] },
  supersede: { from: ['staged', 'waiting', 'ready', 'held', 'duplicate', 'invalid'], to: ['invalid'] },
  supersedeRefused: { from: ['rejected'], to: ['rejected'] },
  release: { from: ['held'], to: ['staged'] },
  close: { from: ['staged', 'waiting', 'ready', 'held'], to: ['invalid'] },
  restore: {
    from: ['staged', 'waiting', 'ready', 'unknown', 'rejected', 'held'],
    to: ['created', 'rejected', 'waiting', 'unknown', 'held', 'existing', 'invalid'],
  },
  verdict: { from: ['held', 'unknown'], to: ['created', 'existing', 'staged'] },
  disown: { from: ['created', 'existing', 'ready'], to: ['staged'] },
} as const satisfies Record<string, { from: readonly RowState[]; to: readonly RowState[] }>;

export type Transition = keyof typeof transitions;

/** The statuses in result files, for people and scripts. */
export const resultStatuses = [
  'created',
  'existing',
  'invalid',
  'rejected',
  'waiting',
  'not_sent',
  'unknown',
  'held',
] as const;

export type ResultStatus = (typeof resultStatuses)[number];

/** The number of rows in each status; statuses without rows are absent. */
export type StatusCounts = Readonly<Partial<Record<ResultStatus, number>>>;

/** The status in result files for a row's state. For a duplicate, use the state of its original row. */
export function resultStatus(state: Exclude<RowState, 'duplicate'>): ResultStatus {
  switch (state) {
    case 'staged':
    case 'ready':
      return 'not_sent';
    case 'sending':
      return 'unknown';
    default:
      return state;
  }
}

/** The status of a row that repeats an earlier row of its file. It has the outcome of that row. */
export function duplicateStatus(original: Exclude<RowState, 'duplicate'>): ResultStatus {
  return original === 'created' ? 'existing' : resultStatus(original);
}

/**
 * Whether a row with this status keeps it. No transition except `disown` leads out of a state with this status. The data
 * recorded with it changes only if the row is superseded.
 */
export function isFinal(status: ResultStatus): boolean {
  return finalStatuses.has(status);
}

const finalStatuses: ReadonlySet<ResultStatus> = new Set(resultStatuses.filter(isNeverLeft));

function isNeverLeft(status: ResultStatus): boolean {
  // Objects that were created with a key of another mode are taken back while no run is active. Then all files are written
  // again.
  const { disown: _, ...ofRuns } = transitions;
  const isLeft = (state: RowState): boolean =>
    Object.values(ofRuns).some(
      ({ from, to }: { from: readonly RowState[]; to: readonly RowState[] }) =>
        from.includes(state) && to.some((other) => other !== state),
    );
  return rowStates.every(
    (state) => state === 'duplicate' || resultStatus(state) !== status || !isLeft(state),
  );
}

/** The facts about a row in doubt, or about a row that only a person may decide about. */
interface DoubtfulRow {
  readonly state: 'unknown' | 'held' | 'sending';
  /** When a request under its key was first sent; null if none was. */
  readonly firstSentAt: string | null;
  /** Whether its key has expired. */
  readonly isExpired: boolean;
  /** Whether two or more runs have sent it under its key without a conclusive answer. */
  readonly isUnsettled: boolean;
}

/**
 * `resume`: a run sends it again. `ask`: a person has to ask the provider about it. `decide`: no request for it was ever
 * sent.
 */
type DoubtStep = 'resume' | 'ask' | 'decide';

/** The next step for a row in doubt. */
export function doubtStepOf({ state, firstSentAt, isExpired, isUnsettled }: DoubtfulRow): DoubtStep {
  if (state === 'sending') return 'resume';
  if (state === 'unknown') return isExpired || isUnsettled ? 'ask' : 'resume';
  return firstSentAt === null ? 'decide' : 'ask';
}

/**
 * The sentence that a run sends rows in doubt again, until when, and what happens afterwards.
 * @param runsOutAt when the first of their keys expires; null if that is not known
 */
export function sentAgainText(rows: number, runsOutAt: string | null): string {
  const again =
    rows === 1
      ? 'the row in doubt is sent again under its own key, so that nothing is doubled'
      : 'those in doubt are sent again under their own keys, so that nothing is doubled';
  if (runsOutAt === null) return again;
  const minute = new Date(runsOutAt).toISOString().slice(0, 16).replace('T', ' ');
  return `${again}, until ${minute} UTC; after that ask the provider`;
}

/*
 * The possible actions of a person for a row that no run continues by itself, or for a record of a comparison. They are
 * data, which each interface puts into words.
 */

/** The states of a comparison. Every record of either side is in exactly one of them. */
export const matchStates = [
  'matched',
  'matched_within_tolerance',
  'matched_by_id',
  'mismatched',
  'missing_there',
  'left_out',
  'expected',
  'not_covered',
  'unknown_here',
  'duplicate_here',
  'duplicate_there',
  'ambiguous',
  'proposed',
] as const;

export type MatchState = (typeof matchStates)[number];

/** Reasons why a row that was never sent is held, each with its own advice. */
export const decidedReasons = [
  'account_shared',
  'corrects_created',
  'corrects_in_doubt',
  'differs_from_created',
  'file_may_be_cut',
  'institution_unverifiable',
  'marked_row',
  'payee_details_changed',
  'unknown_elsewhere',
] as const;

type DecidedReason = (typeof decidedReasons)[number];

/** Reasons of rows that were sent, so that the provider knows their outcome. */
const reasonsOfSent: ReadonlySet<string> = new Set([
  'key_expired',
  'content_not_approved',
  'conflict',
  'contradicting_answers',
  'id_seen_before',
]);

export type RowRemedy =
  /** The provider knows whether an object was created for the row's key or content. */
  | { readonly action: 'ask_provider' }
  /** Another run is sending the row, or ended while it was sending it. */
  | { readonly action: 'resume_interrupted' }
  /** A run sends the row again under its own key until the key expires; null if it is not known when that is. */
  | { readonly action: 'resume'; readonly needsOwnApiKey: boolean; readonly runsOutAt: string | null }
  /** A verdict that fits the reason; null for any verdict. */
  | { readonly action: 'decide'; readonly reason: DecidedReason | null }
  /** The other side has the row's object under this id. */
  | { readonly action: 'confirm_found'; readonly id: string }
  | { readonly action: 'resolve_as_created'; readonly row: number; readonly id: string }
  | { readonly action: 'resolve_as_not_created'; readonly row: number }
  /** The row's object exists, but its id is not certain. */
  | { readonly action: 'find_id'; readonly row: number }
  /** The action that the state of a compared record requires. */
  | { readonly action: 'look_into'; readonly state: UnclearState };

/** States of a comparison that a person has to look into. */
export type UnclearState = Exclude<
  MatchState,
  'matched' | 'matched_within_tolerance' | 'expected' | 'not_covered'
>;

/** The action for rows that are held for one reason. @param code null if the reason is not known */
export function remedyOfReason(code: string | null): RowRemedy {
  return code !== null && reasonsOfSent.has(code) ? { action: 'ask_provider' } : remedyOfUnsent(code);
}

/** The action for a row that was held before anything was sent. */
export function remedyOfUnsent(code: string | null): RowRemedy {
  return { action: 'decide', reason: decidedReasons.find((reason) => reason === code) ?? null };
}

/* A difference that a reconciliation found, with the values of both sides. */

/** The kinds of differences, the most urgent first. */
export const differenceKinds = [
  'two_ids',
  'unrecorded',
  'answer_differs',
  'not_in_ledger',
  'not_in_file',
  'cells_differ',
  'in_doubt_found',
  'undecided',
  'mismatched',
  'matched_by_id',
  'missing_there',
  'unknown_here',
  'duplicate_here',
  'duplicate_there',
  'ambiguous',
  'proposed',
  'left_out',
] as const;

export type DifferenceKind = (typeof differenceKinds)[number];

/** A value that one side has, or both sides have. */
export interface ComparedValue {
  /** The meaning of the value: `amount`, or the title of a column. */
  readonly name: string;
  /** Null if that side has no such record, or no such value. */
  readonly here: string | null;
  readonly there: string | null;
  readonly differs: boolean;
}

/** One difference between the ledger (here) and the other side (there). */
export interface FoundDifference {
  readonly kind: DifferenceKind;
  /** The row of the batch; null if there is none. */
  readonly row: number | null;
  /** The row's status; null if it does not matter. */
  readonly status: string | null;
  /** Where the other side has the record; null if it has none. */
  readonly there: {
    /** The file; null for the API. */
    readonly file: string | null;
    readonly row: number | null;
  } | null;
  readonly values: readonly ComparedValue[];
  /** Why the two records belong together, or the facts about a single record. */
  readonly evidence: string;
  /** The possible action of a person; null if the kind implies it. */
  readonly action: RowRemedy | null;
  /** The id of the row's object on the other side, if it is certain. */
  readonly foundId: string | null;
}

/** Receives differences as they are found, group by group. */
export type TakeDifferences = (found: readonly FoundDifference[]) => Promise<void>;
