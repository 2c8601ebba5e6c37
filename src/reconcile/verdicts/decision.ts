import type { RowToResolve, Verdict } from '../../domain/rows/ledger-row.ts';

/** A verdict as it was given for one row. */
export interface GivenVerdict {
  readonly row: number;
  readonly verdict: Verdict;
  /** The object's id at the API, where the person gave one. */
  readonly id: string | null;
  readonly note: string;
  /** The key that the row had when somebody looked at it; null where nothing says so. */
  readonly key: string | null;
  /** How many requests had been sent for the row when somebody looked at it; null where nothing says so. */
  readonly attempts: number | null;
}

/** What is known about the row that a verdict is on. */
export interface ResolvableRow extends Pick<RowToResolve, 'state' | 'resource' | 'firstSentAt' | 'code'> {
  /** The id of the object that another row made for the same natural key, as far as there is one. */
  readonly otherObjectId: string | null;
}

/** What follows from a verdict. */
export interface VerdictDecision {
  readonly fromState: 'held' | 'unknown';
  readonly to: 'created' | 'existing' | 'staged';
  readonly objectId: string | null;
  /** For the result files. */
  readonly message: string;
}

/**
 * What follows from a person's verdict on a row.
 * @returns the decision, or a sentence that says why the verdict does not suit the row
 */
export function decide(given: GivenVerdict, row: ResolvableRow): VerdictDecision | string {
  if (row.state !== 'held' && row.state !== 'unknown') {
    return `its state is ${row.state}, and only held and unknown rows wait for a verdict`;
  }
  if (row.resource === null) return 'nobody knows its payee type yet: correct it in the failed file';
  const fromState = row.state;
  const wantsId = given.verdict === 'created' || given.verdict === 'existing';
  if (!wantsId && given.id !== null) return `the verdict ${given.verdict} takes no id`;
  switch (given.verdict) {
    case 'created':
      if (row.firstSentAt === null)
        return 'it was never sent, so it cannot have created an object: existing or send';
      if (given.id === null) return "created needs the object's id";
      return { fromState, to: 'created', objectId: given.id, message: 'A person found it created.' };
    case 'existing':
      return existing(given, row, fromState);
    case 'not-created':
      if (row.firstSentAt === null)
        return 'it was never sent, so there is nothing to rule out: existing or send';
      return {
        fromState,
        to: 'staged',
        objectId: null,
        message: 'A person found it not created: the next run sends it under a new key.',
      };
    case 'send':
      if (row.code === 'corrects_in_doubt') {
        return 'it corrects a row in doubt, which the message names: decide about that one first';
      }
      return {
        fromState,
        to: 'staged',
        objectId: null,
        message: 'A person decided to send it all the same: the next run does, under a new key.',
      };
  }
}

function existing(
  given: GivenVerdict,
  row: ResolvableRow,
  fromState: VerdictDecision['fromState'],
): VerdictDecision | string {
  const objectId = given.id ?? row.otherObjectId;
  if (objectId === null)
    return 'this ledger knows no other object for it: give the id of the one that stands';
  return { fromState, to: 'existing', objectId, message: 'A person decided that the earlier object stands.' };
}
