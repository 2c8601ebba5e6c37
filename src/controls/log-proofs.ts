/* Compares the requests, objects and answers of rows with the run logs that were kept. */

import { readRunLogLines } from '../disk/log/read-run-log.ts';
import { type LoggedRunEvent, otherCode } from '../disk/log/run-event.ts';
import type * as loggedVerbs from '../ledger/audit/logged-requests.ts';
import type { KnownAnswer, KnownRequest } from '../ledger/audit/logged-requests.ts';
import type { VerbsWith } from '../ledger/verbs.ts';

type LogVerbs = VerbsWith<typeof loggedVerbs>;

/** Number of events that are compared at once. */
const eventsPerPage = 1_000;

/** The rows that run logs prove, and the problems that they show. */
export interface FoundInLogs {
  /** Rows whose current request is in a log. */
  readonly requests: RowSet;
  /** Rows whose object is the one that a log names. */
  readonly objects: RowSet;
  readonly problems: Problems;
}

/** A set of row numbers, with one bit per row. */
class RowSet {
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

type HeadEvent = LoggedRunEvent & { readonly event: 'audit.head' };

/** Events of one batch that were read from a log and are not compared yet. */
interface Page {
  readonly staged: StagedEvent[];
  readonly answered: AnsweredEvent[];
}

/** What run logs prove about batches. Each log is read once, even if it has events of several batches. */
export class LogProofs {
  readonly #verbs: LogVerbs;
  readonly #isMeant: (batch: string) => boolean;
  /** By batch id; null for a batch that is not in the ledger, or is not compared. */
  readonly #found = new Map<string, FoundInLogs | null>();

  /**
   * Begins without any log.
   * @param isMeant whether the rows of a batch are to be compared
   */
  constructor(verbs: LogVerbs, isMeant: (batch: string) => boolean) {
    this.#verbs = verbs;
    this.#isMeant = isMeant;
  }

  /** What the logs that were read prove about a batch. */
  of(batch: string): FoundInLogs {
    return this.#found.get(batch) ?? nothingFound();
  }

  /** Reads a log, and compares the requests, objects and answers of rows with it. @returns the heads that it names */
  async *read(log: string): AsyncGenerator<HeadEvent> {
    const differing = new Map<string, Differing>();
    const pages = new Map<string, Page>();
    // A page is compared while the next one is read.
    let comparing: Promise<readonly PromiseSettledResult<void>[]> = Promise.resolve([]);
    const compareNext = async (batch: string, page: Page): Promise<void> => {
      throwFailed(await comparing);
      comparing = Promise.allSettled([this.#compare(batch, page, differing)]);
    };
    const events = new Set(['audit.head', ...rowEvents] as const);
    for await (const { event } of readRunLogLines(log, { events, passesOverDamage: true })) {
      if (event.event === 'audit.head') yield event;
      if (event.event !== 'row.staged' && event.event !== 'row.answered') continue;
      const page = pages.get(event.batch) ?? { staged: [], answered: [] };
      pages.set(event.batch, page);
      if (event.event === 'row.staged') page.staged.push(event);
      else page.answered.push(event);
      if (page.staged.length + page.answered.length < eventsPerPage) continue;
      pages.delete(event.batch);
      await compareNext(event.batch, page);
    }
    for (const [batch, page] of pages) await compareNext(batch, page);
    throwFailed(await comparing);
    if (differing.size > 0) await this.#lookForOtherLines(log, differing);
  }

  async #compare(batch: string, page: Page, differing: Map<string, Differing>): Promise<void> {
    const found = await this.#foundFor(batch);
    if (found === null) return;
    await Promise.all([
      compareStaged(this.#verbs, batch, page.staged, found),
      compareAnswered(this.#verbs, batch, page.answered, { found, differing }),
    ]);
  }

  async #foundFor(batch: string): Promise<FoundInLogs | null> {
    const known = this.#found.get(batch);
    if (known !== undefined) return known;
    const isThere = this.#isMeant(batch) && (await this.#verbs.findBatch(batch)) !== undefined;
    const found = isThere ? nothingFound() : null;
    this.#found.set(batch, found);
    return found;
  }

  /**
   * Drops differing answers for which another line of the log matches. A run that took over from a lost run may have used
   * the same attempt number, so one matching line is sufficient.
   */
  async #lookForOtherLines(log: string, differing: Map<string, Differing>): Promise<void> {
    for await (const { event } of readRunLogLines(log, { events: rowEvents, passesOverDamage: true })) {
      if (event.event !== 'row.answered') continue;
      const known = differing.get(nameOf(event));
      if (known !== undefined && isAsLogged(known.answer, event)) differing.delete(nameOf(event));
    }
    for (const { batch, answer } of differing.values())
      this.of(batch).problems.add('answer_not_logged', answer.row);
  }
}

const rowEvents = new Set(['row.staged', 'row.answered'] as const);

function nothingFound(): FoundInLogs {
  return { requests: new RowSet(), objects: new RowSet(), problems: new Problems() };
}

/** An answer that differs from a line of a log. */
interface Differing {
  readonly batch: string;
  readonly answer: KnownAnswer;
}

function throwFailed(results: readonly PromiseSettledResult<void>[]): void {
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

function nameOf({ row, attempt, key }: Pick<AnsweredEvent, 'row' | 'attempt' | 'key'>): string {
  return `${row} ${attempt} ${key}`;
}

/**
 * Whether an answer is the same as in a log. Its object is compared elsewhere. Codes of the API that could be sentences are
 * not in logs.
 */
function isAsLogged({ outcome, reason, httpStatus }: KnownAnswer, event: AnsweredEvent): boolean {
  const isSameReason = reason === event.reason || event.reason === otherCode;
  return outcome === event.outcome && httpStatus === event.status && isSameReason;
}

/** The events at these positions. All others are the same in the ledger and in the log, so their data is not fetched. */
function unlikeOf<Event>(events: readonly Event[], places: readonly number[]): ReadonlySet<Event> {
  return new Set(places.flatMap((place) => events[place] ?? []));
}

function rowsOf(events: Iterable<{ readonly row: number }>): readonly number[] {
  return [...new Set(Array.from(events, ({ row }) => row))];
}

/**
 * Compares requests. If the ledger does not have a key, its request was never used or was lost earlier, so the line proves
 * nothing.
 */
async function compareStaged(
  verbs: LogVerbs,
  batchId: string,
  staged: readonly StagedEvent[],
  { requests: logged, problems }: FoundInLogs,
): Promise<void> {
  if (staged.length === 0) return;
  const unlike = unlikeOf(staged, await verbs.findOtherRequests(batchId, staged));
  for (const event of staged) if (!unlike.has(event)) logged.add(event.row);
  if (unlike.size === 0) return;
  const rows = rowsOf(unlike);
  const requests = new Map<string, KnownRequest>();
  for (const request of await verbs.readKnownRequests(batchId, rows))
    requests.set(`${request.row} ${request.generation}`, request);
  for (const { row, generation, key, request_hash } of unlike) {
    const request = requests.get(`${row} ${generation}`);
    if (request === undefined) continue;
    const { requestHash, idempotencyKey, isPresent } = request;
    const isSame = requestHash === request_hash;
    if (idempotencyKey === key && !isSame) problems.add('request_not_logged', row);
    if (idempotencyKey === key && isSame && isPresent) logged.add(row);
  }
}

/** Collects the answers that differ from a line about the same request, and compares the objects that were created. */
async function compareAnswered(
  verbs: LogVerbs,
  batch: string,
  answered: readonly AnsweredEvent[],
  { found, differing }: { readonly found: FoundInLogs; readonly differing: Map<string, Differing> },
): Promise<void> {
  if (answered.length === 0) return;
  const unlike = unlikeOf(answered, await verbs.findOtherAnswers(batch, answered));
  for (const event of answered)
    if (event.outcome === 'created' && !unlike.has(event)) found.objects.add(event.row);
  if (unlike.size === 0) return;
  const rows = rowsOf(unlike);
  const known = new Map<string, KnownAnswer>();
  for (const answer of await verbs.readKnownAnswers(batch, rows))
    known.set(nameOf({ row: answer.row, attempt: answer.number, key: answer.idempotencyKey }), answer);
  const others: AnsweredEvent[] = [];
  for (const event of unlike) {
    const answer = known.get(nameOf(event));
    if (answer !== undefined && !isAsLogged(answer, event)) differing.set(nameOf(event), { batch, answer });
    if (event.outcome !== 'created') continue;
    if (answer !== undefined && answer.rowsObject === event.id) found.objects.add(event.row);
    else others.push(event);
  }
  await compareObjects(verbs, batch, others, found);
}

/** Compares logged objects that are not the current objects of their rows. */
async function compareObjects(
  verbs: LogVerbs,
  batch: string,
  created: readonly AnsweredEvent[],
  { objects, problems }: FoundInLogs,
): Promise<void> {
  if (created.length === 0) return;
  const known = new Set<string>();
  for (const { row, objectId } of await verbs.readKnownObjects(batch, rowsOf(created)))
    known.add(`${row} ${objectId}`);
  for (const { row, id } of created) {
    if (known.has(`${row} ${id}`)) objects.add(row);
    else problems.add('object_missing', row);
  }
}

/* The problems of a batch's rows, as `audit verify` names them. */

/** A row that differs from what an approver has signed, or from a run log or an answer. */
export interface RowProblem {
  readonly code: /** Its request, record or type is not what approvers have signed. */
    | 'row_not_approved'
    /** Its request does not match the hash that was recorded when it was written. */
    | 'request_changed'
    /** Its request does not follow from its record, and neither an approval nor a run log has it. */
    | 'request_not_staged'
    /** Its request is not the one in a run log. */
    | 'request_not_logged'
    /** An answer, or a run log, names an object that the ledger does not have for the row. */
    | 'object_missing'
    /** Neither an answer, nor a person, nor a run log names its object. */
    | 'object_not_answered'
    /** Its record is missing. */
    | 'record_lost'
    /** Its cells, record, findings or notes differ from those that were staged. */
    | 'row_not_staged'
    /** The hash of a group of staged rows differs; `row` is the first row of the group. */
    | 'rows_not_staged'
    /** An answer about it differs from the one in a run log. */
    | 'answer_not_logged'
    /** Its code differs from that of the answer that refused it. */
    | 'code_not_answered'
    /** The ledger has fewer answers than the row counts requests, and the row has no object. */
    | 'answer_missing';
  readonly row: number;
}

/** Maximum of rows that are listed for each code. */
const mostNamed = 20;

/** Collects problems. Each row is listed once for each code. */
export class Problems {
  readonly found: RowProblem[] = [];
  readonly #counts = new Map<RowProblem['code'], number>();

  /** Whether a row is listed with any code. */
  isAbout(row: number): boolean {
    return this.found.some((each) => each.row === row);
  }

  add(code: RowProblem['code'], row: number): void {
    const count = this.#counts.get(code) ?? 0;
    const isKnown = this.found.some((each) => each.code === code && each.row === row);
    if (count >= mostNamed || isKnown) return;
    this.#counts.set(code, count + 1);
    this.found.push({ code, row });
  }
}
