/* Decides the effect of a person's verdicts on their rows, and says which of them do not fit. */

import { type BatchRecord, shortBatchId } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { DecidedRow, RowOfBatch, RowToResolve, Verdict } from '../../domain/rows/ledger-row.ts';
import { joined, type Message, say } from '../../domain/settings/message.ts';
import { definitionNamed } from '../../kinds/registry.ts';
import { fillInIds, naturalKeyOf, referencesIn } from '../../kinds/request.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { countOfRequests, evidenceOf } from './waiting-rows.ts';

/** A person's verdict on one row. */
export interface GivenVerdict {
  readonly row: number;
  readonly verdict: Verdict;
  /** The object's id at the API, if the person stated one. */
  readonly id: string | null;
  readonly note: string;
  /** The row's key when the person looked at it; null where it is not known. */
  readonly key: string | null;
  /** The requests sent for the row when the person looked at it; null where the number is not known. */
  readonly attempts: number | null;
}

/** The facts about the row of a verdict. */
export interface ResolvableRow extends Pick<RowToResolve, 'state' | 'resource' | 'firstSentAt' | 'code'> {
  /** The id of the object that another row created for the same natural key, if there is one. */
  readonly otherObjectId: string | null;
}

/** The consequence of a verdict; its message is for the result files. */
export type VerdictDecision = Pick<DecidedRow, 'fromState' | 'to' | 'objectId' | 'message'>;

/**
 * Decides the consequence of a person's verdict on a row.
 * @returns the decision, or a text that says why the verdict does not fit the row
 */
export function decide(wanted: GivenVerdict, row: ResolvableRow): VerdictDecision | string {
  const { verdict, id } = wanted;
  const fromState = row.state;
  if (fromState !== 'held' && fromState !== 'unknown') {
    return `its state is ${row.state}, and only held and unknown rows wait for a verdict`;
  }
  if (row.resource === null) return 'its payee type is not known yet: correct it in the failed file';
  if (id !== null && verdict !== 'created' && verdict !== 'existing')
    return `the verdict ${verdict} takes no id`;
  const anew = { fromState, to: 'staged', objectId: null } as const;
  switch (verdict) {
    case 'created':
      if (row.firstSentAt === null)
        return 'it was never sent, so it cannot have created an object: existing or send';
      if (id === null) return "created needs the object's id";
      return { fromState, to: 'created', objectId: id, message: 'A person found it created.' };
    case 'existing': {
      const objectId = id ?? row.otherObjectId;
      if (objectId === null)
        return 'this ledger knows no other object for it: give the id of the one that stands';
      const message = 'A person decided that the earlier object stands.';
      return { fromState, to: 'existing', objectId, message };
    }
    case 'not-created':
      if (row.firstSentAt === null)
        return 'it was never sent, so there is nothing to rule out: existing or send';
      return { ...anew, message: 'A person found it not created: the next run sends it under a new key.' };
    case 'send':
      if (row.code === 'corrects_in_doubt') {
        return 'it corrects a row in doubt, which the message names: decide about that one first';
      }
      return {
        ...anew,
        message: 'A person decided to send it all the same: the next run does, under a new key.',
      };
  }
}

/** The most problems that are shown; enough for a verdicts file that a person has filled in. */
const problemsShown = 1_000;

/** The object ids that the API may have: text of 1 to 255 characters without spaces. */
const objectIdPattern = /^[\p{L}\p{N}\p{P}\p{S}]{1,255}$/u;

/** The problems of verdicts: the first ones, and their number. */
export class FoundProblems {
  readonly #texts: Message[] = [];
  #unlisted = 0;

  get texts(): readonly Message[] {
    return this.#texts;
  }

  get count(): number {
    return this.#texts.length + this.#unlisted;
  }

  /**
   * The number of problems that can still be added; at least 1, so that a query with this limit still counts them.
   */
  get room(): number {
    return Math.max(1, problemsShown - this.#texts.length);
  }

  add(text: Message): void {
    if (this.#texts.length < problemsShown) this.#texts.push(text);
    else this.#unlisted += 1;
  }

  addUnlisted(count: number): void {
    this.#unlisted += count;
  }
}

/** A row's verdict with everything needed to record it. */
export interface DecidedVerdict extends DecidedRow {
  readonly idempotencyKey: string | null;
}

/** The consequences of some verdicts, and the problems of the others. */
interface DecidedPage {
  readonly decided: readonly DecidedVerdict[];
  readonly problems: readonly Message[];
}

/** Decides the consequence of each verdict; one that does not fit its row is reported by number. */
export async function decideVerdicts(
  verbs: LedgerVerbs,
  batch: BatchRecord,
  verdicts: readonly GivenVerdict[],
): Promise<DecidedPage> {
  const rows = await verbs.findRowsToResolve(
    batch.id,
    verdicts.map(({ row }) => row),
  );
  // Those that need the id of another row's object.
  const wanting = new Set(
    verdicts.flatMap(({ row, verdict, id }) => (verdict === 'existing' && id === null ? [row] : [])),
  );
  const others = await findOtherObjects(
    verbs,
    batch,
    rows.filter(({ row }) => wanting.has(row)),
  );
  const creators = await verbs.findCreators(
    batch.id,
    verdicts.flatMap(({ id }) => (id === null ? [] : [id])),
  );
  const byNumber = new Map(rows.map((row) => [row.row, row]));
  const problems: Message[] = [];
  const decided: DecidedVerdict[] = [];
  for (const each of verdicts) {
    const row = byNumber.get(each.row);
    const decision = row === undefined ? 'the batch has no such row' : judge(each, row, others);
    const isDecided = typeof decision === 'object' && 'fromState' in decision;
    const problem = isDecided ? idProblem(each, batch, creators) : decision;
    if (problem !== undefined) problems.push(say`row ${each.row}: ${problem}`);
    else if (row !== undefined && isDecided) {
      const { verdict, note, attempts } = each;
      const { idempotencyKey } = row;
      const requests = attempts ?? row.attempts;
      decided.push({ row: row.row, verdict, note, ...decision, idempotencyKey, attempts: requests });
    }
  }
  return { decided, problems };
}

/** The objects that other rows created for the same natural keys, or as members of the same families, by row. */
async function findOtherObjects(
  verbs: LedgerVerbs,
  batch: BatchRecord,
  rows: readonly Pick<RowToResolve, 'row' | 'resource' | 'record'>[],
): Promise<Map<number, string>> {
  const known = rows.flatMap(({ row, resource, record }) =>
    resource === null ? [] : [{ row, definition: definitionNamed(resource), record }],
  );
  const references = referencesIn(verbs, batch.environmentId, []);
  const resolved = await fillInIds(known, references);
  const keys = known.map(({ definition, record }, at) =>
    naturalKeyOf(definition, resolved[at]?.record ?? record),
  );
  const owners = await references.findKeyOwners(batch.kind, keys);
  const numbers = known.map(({ row }) => row);
  const rivals = await references.findRivals(batch.id, numbers);
  const ofFamilies = [...rivals].flatMap(([row, { objectId }]) =>
    objectId === null ? [] : [[row, objectId] as const],
  );
  const compared = await verbs.findComparedObjects(batch.id, numbers);
  return new Map([
    ...compared,
    ...ofFamilies,
    ...known.flatMap(({ row }, at) => {
      const owner = owners.get(keys[at]?.toString('hex') ?? '');
      const isOther = owner !== undefined && (owner.batch !== batch.id || owner.row !== row);
      return isOther && owner.objectId !== null ? [[row, owner.objectId] as const] : [];
    }),
  ]);
}

function judge(
  wanted: GivenVerdict,
  row: RowToResolve,
  others: ReadonlyMap<number, string>,
): VerdictDecision | Message {
  // A file that was written before its row changed must not decide about it.
  if (wanted.key !== null && wanted.key !== row.idempotencyKey) return 'its key is another one by now';
  const decision = decide(wanted, { ...row, otherObjectId: others.get(row.row) ?? null });
  return typeof decision === 'string' ? decision : (evidenceProblem(wanted, row) ?? decision);
}

/** A verdict covers only the requests that the person knew of; later ones may have created an object. */
function evidenceProblem({ attempts }: GivenVerdict, row: RowToResolve): Message | undefined {
  if (attempts === row.attempts || (attempts === null && row.attempts <= 1)) return undefined;
  const known = `what is known now: ${evidenceOf(row)}`;
  if (attempts === null) {
    const state = say`state ${{ setting: 'attempts' }} ${row.attempts}, or attempts in the file, if the verdict knows of all of them`;
    return say`it was sent ${row.attempts} times: ${state}; ${known}`;
  }
  const requests = `${countOfRequests(attempts)} then, ${row.attempts} now`;
  if (attempts > row.attempts) return `it was not sent so often: ${requests}; ${known}`;
  return `it was sent again since: ${requests}; ${known}`;
}

/** An object belongs to one row: the id of another row's object cannot be this row's too. */
function idProblem(
  { verdict, id }: GivenVerdict,
  batch: BatchRecord,
  creators: ReadonlyMap<string, RowOfBatch>,
): string | undefined {
  if (id === null) return undefined;
  if (!objectIdPattern.test(id)) return 'the id is no id: 1 to 255 characters without spaces';
  if (verdict !== 'created') return undefined;
  const creator = creators.get(id);
  if (creator === undefined) return undefined;
  const where = creator.batch === batch.id ? '' : ` of batch ${shortBatchId(creator.batch)}`;
  return `the object ${id} is that of row ${creator.row}${where} already`;
}

/** A verdict's entry in the run log: its resulting state, never its note. */
export function resolvedEvent(decided: DecidedVerdict) {
  const { row, idempotencyKey, attempts, to, objectId } = decided;
  const event = 'row.resolved' as const;
  return { event, row, key: idempotencyKey, attempt: attempts, verdict: to, id: objectId };
}

/**
 * The failure of verdicts of which some do not fit their rows; none of them is recorded.
 * @param file its name for people; null where the request itself has the verdicts
 */
export function refusedVerdicts(
  problems: FoundProblems,
  batch: BatchRecord,
  file: string | null,
): PaybatchError {
  const unlisted = problems.count - problems.texts.length;
  return new PaybatchError(
    'verdict_refused',
    say`${file ?? 'The verdict'} does not suit batch ${shortBatchId(batch.id)}: ${joined(problems.texts, '; ')}${unlisted > 0 ? `; and ${unlisted} more` : ''}. Nothing was changed.`,
    { action: 'reconcile', batch: shortBatchId(batch.id), environment: batch },
    { kind: file === null ? 'usage' : 'file_refused' },
  );
}
