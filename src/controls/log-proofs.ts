/* Holds the requests, objects and answers of a batch's rows against a run log that was kept. */

import { readRunLog } from '../disk/log/read-run-log.ts';
import { type LoggedRunEvent, otherCode } from '../disk/log/run-event.ts';
import type { BatchRecord } from '../domain/batches/batch.ts';
import type { KnownAnswer, LoggedEvidence } from '../ledger/audit/rows.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import type { Problems } from './row-problems.ts';

type LogVerbs = Pick<LedgerVerbs, 'readLoggedEvidence' | 'readKnownAnswers' | 'readKnownObjects'>;

/** This many events are compared at once. */
const eventsPerPage = 1_000;

/** What run logs prove, and what differs from them. */
export interface FoundInLogs {
  /** Rows whose present request is in a log. */
  readonly requests: RowSet;
  /** Rows whose objects are those that a log tells of. */
  readonly objects: RowSet;
  readonly problems: Problems;
}

/** Numbers of rows, in a bit each. */
export class RowSet {
  readonly #blocks = new Map<number, Uint8Array>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(row: number): void {
    if (!this.has(row)) this.#size += 1;
    const block = this.#blocks.get(row >> 13) ?? new Uint8Array(1_024);
    this.#blocks.set(row >> 13, block);
    const at = (row >> 3) & 1_023;
    block[at] = (block[at] ?? 0) | (1 << (row & 7));
  }

  has(row: number): boolean {
    return ((this.#blocks.get(row >> 13)?.[(row >> 3) & 1_023] ?? 0) & (1 << (row & 7))) !== 0;
  }
}

type StagedEvent = LoggedRunEvent & { readonly event: 'row.staged' };
type AnsweredEvent = LoggedRunEvent & { readonly event: 'row.answered' };

/** Holds the requests and objects of rows against a run log. */
export async function compareLog(
  verbs: LogVerbs,
  batch: BatchRecord,
  log: string,
  found: FoundInLogs,
): Promise<void> {
  let staged: StagedEvent[] = [];
  let answered: AnsweredEvent[] = [];
  const differing = new Map<string, KnownAnswer>();
  const flush = async (): Promise<void> => {
    const [ofStaged, ofAnswered] = [staged, answered];
    [staged, answered] = [[], []];
    await Promise.all([
      compareStaged(verbs, batch.id, ofStaged, found),
      compareAnswered(verbs, batch.id, ofAnswered, found),
      noteDiffering(verbs, batch.id, ofAnswered, differing),
    ]);
  };
  const events = new Set(['row.staged', 'row.answered'] as const);
  // A page is compared while the next one is read.
  let comparing: Promise<readonly PromiseSettledResult<void>[]> = Promise.resolve([]);
  for await (const event of readRunLog(log, { events, passesOverDamage: true })) {
    if (event.batch !== batch.id) continue;
    if (event.event === 'row.staged') staged.push(event);
    else if (event.event === 'row.answered') answered.push(event);
    if (staged.length + answered.length < eventsPerPage) continue;
    throwFailed(await comparing);
    comparing = Promise.allSettled([flush()]);
  }
  throwFailed(await comparing);
  await flush();
  if (differing.size === 0) return;
  // A run that took over from a lost one may have counted a request with the same number: one line that fits is enough.
  for await (const event of readRunLog(log, { events, passesOverDamage: true })) {
    if (event.event !== 'row.answered' || event.batch !== batch.id) continue;
    const known = differing.get(nameOf(event));
    if (known !== undefined && isAsLogged(known, event)) differing.delete(nameOf(event));
  }
  for (const { row } of differing.values()) found.problems.add('answer_not_logged', row);
}

function throwFailed(results: readonly PromiseSettledResult<void>[]): void {
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** Collects the answers that are not as an event about the same request says. */
async function noteDiffering(
  verbs: LogVerbs,
  batchId: string,
  answered: readonly AnsweredEvent[],
  differing: Map<string, KnownAnswer>,
): Promise<void> {
  if (answered.length === 0) return;
  const known = new Map<string, KnownAnswer>();
  for (const answer of await verbs.readKnownAnswers(batchId, [...new Set(answered.map(({ row }) => row))]))
    known.set(nameOf({ row: answer.row, attempt: answer.number, key: answer.idempotencyKey }), answer);
  for (const event of answered) {
    const answer = known.get(nameOf(event));
    if (answer !== undefined && !isAsLogged(answer, event)) differing.set(nameOf(event), answer);
  }
}

function nameOf({ row, attempt, key }: Pick<AnsweredEvent, 'row' | 'attempt' | 'key'>): string {
  return `${row} ${attempt} ${key}`;
}

/** The object is compared in another place. A code of the API that could be a sentence is not in a log. */
function isAsLogged({ outcome, reason, httpStatus }: KnownAnswer, event: AnsweredEvent): boolean {
  const isSameReason = reason === event.reason || event.reason === otherCode;
  return outcome === event.outcome && httpStatus === event.status && isSameReason;
}

/** A key whose request the ledger does not have was never used, or was lost before: it proves nothing. */
async function compareStaged(
  verbs: LogVerbs,
  batchId: string,
  staged: readonly StagedEvent[],
  { requests: logged, problems }: FoundInLogs,
): Promise<void> {
  if (staged.length === 0) return;
  const rows = [...new Set(staged.map(({ row }) => row))];
  const requests = new Map<string, LoggedEvidence>();
  for (const request of await verbs.readLoggedEvidence(batchId, rows))
    requests.set(`${request.row} ${request.generation}`, request);
  for (const { row, generation, key, request_hash } of staged) {
    const request = requests.get(`${row} ${generation}`);
    if (request === undefined) continue;
    const { requestHash, idempotencyKey, isPresent } = request;
    const isSame = requestHash === request_hash;
    if (idempotencyKey === key && !isSame) problems.add('request_not_logged', row);
    if (idempotencyKey === key && isSame && isPresent) logged.add(row);
  }
}

async function compareAnswered(
  verbs: LogVerbs,
  batchId: string,
  answered: readonly AnsweredEvent[],
  { objects, problems }: FoundInLogs,
): Promise<void> {
  const created = answered.filter(({ outcome }) => outcome === 'created');
  if (created.length === 0) return;
  const known = new Set<string>();
  const rows = [...new Set(created.map(({ row }) => row))];
  for (const { row, objectId } of await verbs.readKnownObjects(batchId, rows))
    known.add(`${row} ${objectId}`);
  for (const { row, id } of created) {
    if (known.has(`${row} ${id}`)) objects.add(row);
    else problems.add('object_missing', row);
  }
}
