/* The states of a row, and what a person can do about a row that no run moves on. */

/**
 * The state of a row in the ledger. What moves a row out of each state:
 *
 * - `staged`: validated, its request not yet written; the preparation of the next run, or a recheck when
 *   the institutions have changed since.
 * - `waiting`: what it depends on does not exist yet, or the API refused it for a reason that may pass; the preparation
 *   of the next run (after a refusal once its delay has passed), a plan that finds its dependency is due, or a recheck.
 * - `ready`: key and exact body are in the ledger, nothing was sent; a claim, or a recheck.
 * - `sending`: a worker holds a lease on it and may be sending; that worker's record, or the takeover
 *   by another run once the lease has run out.
 * - `unknown`: sent, without a conclusive answer; a claim within its key's lifetime, or a person.
 * - `held`: only a person; a recheck where no complete list of institutions had shown whether its institution exists; a run
 *   once the row that it corrects is no longer in doubt.
 * - `rejected`: the API refused it conclusively; `retry`, under a new key.
 * - `created`, `existing`, `invalid`: nothing, final. `duplicate` follows the row that it repeats.
 *
 * A row that was never sent, or was refused, is superseded by its correction: an invalid one only in its message.
 * A row that was never sent becomes `invalid` when a person closes its batch. What was created with an API key that turned out
 * to be one of another mode, and what refers to that, is `staged` anew when a person disowns the key.
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

/** Every allowed transition; the ledger's updates name one of these, and nothing else moves a row. */
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

/** The statuses of the result files: what people and scripts see. */
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

/** The number of rows of each status; statuses that do not occur are absent. */
export type StatusCounts = Readonly<Partial<Record<ResultStatus, number>>>;

/** The status of a row's state in result files. For a duplicate, look up its original's state. */
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

/** The status of a row that repeats an earlier row of its file: it shares that row's outcome. */
export function duplicateStatus(original: Exclude<RowState, 'duplicate'>): ResultStatus {
  return original === 'created' ? 'existing' : resultStatus(original);
}

/**
 * Whether a row of this status keeps it, whatever runs and persons do: no transition leads out of any state with
 * this status in result files. What was recorded with it changes only where a row is superseded.
 */
export function isFinal(status: ResultStatus): boolean {
  return finalStatuses.has(status);
}

const finalStatuses: ReadonlySet<ResultStatus> = new Set(resultStatuses.filter(isNeverLeft));

function isNeverLeft(status: ResultStatus): boolean {
  // What was created with a key of another mode is taken back while no run is alive, and then all files are written anew.
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

/** What is known of a row in doubt, or of one that only a person may decide about. */
interface DoubtfulRow {
  readonly state: 'unknown' | 'held' | 'sending';
  /** When a request of its key first left; null when none did. */
  readonly firstSentAt: string | null;
  /** Whether its key has expired. */
  readonly isExpired: boolean;
  /** Whether two runs or more have sent it under its key without a conclusive answer. */
  readonly isUnsettled: boolean;
}

/** `resume`: a run sends it again. `ask`: the provider has to be asked about it. `decide`: no request of it ever left. */
type DoubtStep = 'resume' | 'ask' | 'decide';

/** What should be tried next about a row in doubt. */
export function doubtStepOf({ state, firstSentAt, isExpired, isUnsettled }: DoubtfulRow): DoubtStep {
  if (state === 'sending') return 'resume';
  if (state === 'unknown') return isExpired || isUnsettled ? 'ask' : 'resume';
  return firstSentAt === null ? 'decide' : 'ask';
}

/**
 * Says that a run sends rows in doubt again, until when, and what follows.
 * @param runsOutAt when the first of their keys expires; null where it is not known
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
 * What a person can do about a row that no run moves on by itself, or about a record of a comparison, as data: each
 * interface words it.
 */

/** The states of a comparison. Every record of either side has exactly one of them. */
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

/** Reasons why a row is held that was never sent, each with its own advice. */
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

/** Reasons of rows that were sent: the provider knows their outcome. */
const reasonsOfSent: ReadonlySet<string> = new Set([
  'key_expired',
  'content_not_approved',
  'conflict',
  'contradicting_answers',
  'id_seen_before',
]);

export type RowRemedy =
  /** The provider knows the outcome of the row's key or content: it was created, or not. */
  | { readonly action: 'ask_provider' }
  /** Another run is sending the row, or ended while it did. */
  | { readonly action: 'resume_interrupted' }
  /** A run sends the row again under its own key, until that expires; null where it is not known when. */
  | { readonly action: 'resume'; readonly needsOwnApiKey: boolean; readonly runsOutAt: string | null }
  /** A verdict that suits the reason; null for any other verdict. */
  | { readonly action: 'decide'; readonly reason: DecidedReason | null }
  /** The other side has it under this id. */
  | { readonly action: 'confirm_found'; readonly id: string }
  | { readonly action: 'resolve_as_created'; readonly row: number; readonly id: string }
  | { readonly action: 'resolve_as_not_created'; readonly row: number }
  /** The row's object exists, and its id is not known for certain. */
  | { readonly action: 'find_id'; readonly row: number }
  /** What the state of a compared record requires. */
  | { readonly action: 'look_into'; readonly state: UnclearState };

/** States of a comparison that a person has to look into. */
export type UnclearState = Exclude<
  MatchState,
  'matched' | 'matched_within_tolerance' | 'expected' | 'not_covered'
>;

/** What can be done about rows that are held for one reason. @param code null where it is not known */
export function remedyOfReason(code: string | null): RowRemedy {
  return code !== null && reasonsOfSent.has(code) ? { action: 'ask_provider' } : remedyOfUnsent(code);
}

/** What can be done about a row that was held before anything was sent. */
export function remedyOfUnsent(code: string | null): RowRemedy {
  return { action: 'decide', reason: decidedReasons.find((reason) => reason === code) ?? null };
}

/* A difference that a reconciliation found, with the values of both sides next to each other. */

/** What can differ, the most urgent first. */
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

/** One value that a side has, or both. */
export interface ComparedValue {
  /** What it is: `amount`, or the title of a column. */
  readonly name: string;
  /** Null where that side has no such record, or no such value. */
  readonly here: string | null;
  readonly there: string | null;
  readonly differs: boolean;
}

/** One difference between the ledger (here) and the other side (there). */
export interface FoundDifference {
  readonly kind: DifferenceKind;
  /** The row of the batch; null where there is none. */
  readonly row: number | null;
  /** Its status; null where it does not matter. */
  readonly status: string | null;
  /** Where the other side has it; null where it does not. */
  readonly there: {
    /** The file; null for the API. */
    readonly file: string | null;
    readonly row: number | null;
  } | null;
  readonly values: readonly ComparedValue[];
  /** Why the two belong together, or what is known of the single one. */
  readonly evidence: string;
  /** What a person may do; null where the kind implies it. */
  readonly action: RowRemedy | null;
  /** The id that the row's object has for certain on the other side. */
  readonly foundId: string | null;
}

/** Receives differences as they are found, group by group. */
export type TakeDifferences = (found: readonly FoundDifference[]) => Promise<void>;
