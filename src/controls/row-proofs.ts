/*
 * Which rows of a batch are proven, and by what: their requests are held against the leaves that approvers have signed, and
 * against the run logs that were kept; their objects against the answers. Page by page, so that a batch may be of any size.
 */

import { readRunLog } from '../disk/log/read-run-log.ts';
import type { LoggedRunEvent } from '../disk/log/run-event.ts';
import type { BatchRecord } from '../domain/batches/batch.ts';
import { chunkHashOf, leafOf, leavesIn, rowRanges } from '../domain/controls/statement.ts';
import type { AnswerReading, ResourceDefinition } from '../kinds/definition.ts';
import { allDefinitions } from '../kinds/registry.ts';
import { fingerprintOf } from '../kinds/request.ts';
import { contentOfRequest } from '../kinds/row-content.ts';
import type { LoggedEvidence, RowEvidence, SignedApproval } from '../ledger/audit/events.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';

/** A row that is not what an approver, a run log or an answer says. */
export interface RowProblem {
  readonly code: /** Its request, record or type is not what approvers have signed. */
    | 'row_not_approved'
    /** Its request is not the one whose hash was noted when it was written. */
    | 'request_changed'
    /** Its request is not the one in a run log. */
    | 'request_not_logged'
    /** An answer, or a run log, tells of an object that the ledger does not have for it. */
    | 'object_missing'
    /** No answer, no person and no run log names its object. */
    | 'object_not_answered'
    /** Its record is missing. */
    | 'record_lost';
  readonly row: number;
}

/** What proves the requests of a batch's rows. */
export interface RowProofs {
  /** Rows with a request. */
  readonly requests: number;
  /** Those of them whose request has a leaf in an approval. */
  readonly approved: number;
  /** Those of them, besides, whose request is in a run log. */
  readonly logged: number;
  /** The rows with a request of which neither tells: `{[2,5),[7,8)}` for 2, 3, 4 and 7. */
  readonly unproven: string;
  readonly problems: readonly RowProblem[];
}

type ProofVerbs = Pick<
  LedgerVerbs,
  'readLeafSalt' | 'readLeaves' | 'readRowEvidence' | 'readLoggedEvidence' | 'readKnownObjects'
>;

/** What a batch is held against. */
interface ProofSources {
  /** Approvals of the batch whose signatures were verified. */
  readonly approvals: readonly SignedApproval[];
  /** Paths of run logs. Events of other batches in them are passed over. */
  readonly logs: readonly string[];
  readonly readAnswer: (definition: ResourceDefinition, json: unknown) => AnswerReading;
}

const rowsPerPage = 1_000;

/** At most this many rows are named with each code. */
const mostNamed = 20;

/** Holds all rows of a batch against what proves them. */
export async function proveRows(
  verbs: ProofVerbs,
  batch: BatchRecord,
  sources: ProofSources,
): Promise<RowProofs> {
  const problems = new Problems();
  const found: FoundInLogs = { requests: new RowSet(), objects: new RowSet(), problems };
  for (const log of sources.logs) await compareLog(verbs, batch, log, found);
  const leaves = new SignedLeaves(verbs, sources.approvals, await verbs.readLeafSalt(batch.id));
  const unproven = rowRanges();
  const counts = { requests: 0, approved: 0, logged: 0 };
  for (let after = 0; ; ) {
    const page = await verbs.readRowEvidence(batch.id, after, rowsPerPage);
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.row;
    await leaves.read(page.map(({ row }) => row));
    for (const row of page) {
      if (row.record === null) problems.add('record_lost', row.row);
      if (!found.objects.has(row.row)) compareObject(row, sources, problems);
      if (row.path === null || row.body === null) continue;
      counts.requests += 1;
      if (row.fingerprint?.equals(fingerprintOf(row.path, row.body)) !== true)
        problems.add('request_changed', row.row);
      const proof = leaves.prove(row);
      if (proof === 'differs') problems.add('row_not_approved', row.row);
      if (proof === 'same') counts.approved += 1;
      else if (found.requests.has(row.row)) counts.logged += 1;
      else unproven.add(row.row);
    }
  }
  return { ...counts, unproven: unproven.text(), problems: problems.found };
}

/** What run logs prove, and what differs from them. */
interface FoundInLogs {
  /** Rows whose present request is in a log. */
  readonly requests: RowSet;
  /** Rows whose objects are those that a log tells of. */
  readonly objects: RowSet;
  readonly problems: Problems;
}

/** Numbers of rows, in a bit each. */
class RowSet {
  readonly #blocks = new Map<number, Uint8Array>();

  add(row: number): void {
    const block = this.#blocks.get(row >> 13) ?? new Uint8Array(1_024);
    this.#blocks.set(row >> 13, block);
    const at = (row >> 3) & 1_023;
    block[at] = (block[at] ?? 0) | (1 << (row & 7));
  }

  has(row: number): boolean {
    return ((this.#blocks.get(row >> 13)?.[(row >> 3) & 1_023] ?? 0) & (1 << (row & 7))) !== 0;
  }
}

/** Problems, each row once with each code. */
class Problems {
  readonly found: RowProblem[] = [];
  readonly #counts = new Map<RowProblem['code'], number>();

  add(code: RowProblem['code'], row: number): void {
    const count = this.#counts.get(code) ?? 0;
    const isKnown = this.found.some((each) => each.code === code && each.row === row);
    if (count >= mostNamed || isKnown) return;
    this.#counts.set(code, count + 1);
    this.found.push({ code, row });
  }
}

/** The object of a row is the one that its answer names, and a person or a lost run's answer may name it instead. */
function compareObject(row: RowEvidence, { readAnswer }: ProofSources, problems: Problems): void {
  const { objectId, answeredId, answer, isStated } = row;
  if (isStated) return;
  if (objectId === null) {
    if (answeredId !== null) problems.add('object_missing', row.row);
    return;
  }
  const isAnswered =
    answeredId === objectId && (answer === null || idIn(row, answer, readAnswer) === objectId);
  if (!isAnswered) problems.add('object_not_answered', row.row);
}

function idIn(
  { resource }: RowEvidence,
  answer: string,
  readAnswer: ProofSources['readAnswer'],
): string | undefined {
  const definition = definitionOf(resource);
  return definition && orUndefined(() => readAnswer(definition, JSON.parse(answer)).id);
}

function definitionOf(resource: string | null): ResourceDefinition | undefined {
  return allDefinitions.find(({ name }) => name === resource);
}

/** @returns undefined for bytes that are no JSON */
function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The leaves that approvers have signed, for pages of neighbouring rows. */
class SignedLeaves {
  readonly #verbs: Pick<LedgerVerbs, 'readLeaves'>;
  readonly #proofs: readonly Buffer[];
  readonly #salt: string;
  #chunks: ReadonlyMap<string, ReadonlyMap<number, string>> = new Map();

  constructor(verbs: Pick<LedgerVerbs, 'readLeaves'>, approvals: readonly SignedApproval[], salt: string) {
    this.#verbs = verbs;
    this.#proofs = approvals.flatMap(({ proof }) => (proof === null ? [] : [proof]));
    this.#salt = salt;
  }

  /** Reads the leaves of these rows, and forgets those of others. */
  async read(rows: readonly number[]): Promise<void> {
    const wanted = new Set(
      this.#proofs.flatMap((proof) =>
        rows.flatMap((row) => {
          const hash = chunkHashOf(proof, row);
          return hash === undefined ? [] : [hash];
        }),
      ),
    );
    const chunks = wanted.size === 0 ? [] : await this.#verbs.readLeaves([...wanted]);
    this.#chunks = new Map(
      chunks.map((chunk) => [chunk.hash.toString('hex'), leavesIn(chunk) ?? new Map<number, string>()]),
    );
  }

  /** @returns `none` where no approval is about the row */
  prove({ row, resource, record, path, body }: RowEvidence): 'same' | 'differs' | 'none' {
    const signed = this.#proofs.flatMap((proof) => {
      const hash = chunkHashOf(proof, row);
      const leaf = hash === undefined ? undefined : this.#chunks.get(hash)?.get(row);
      return leaf === undefined ? [] : [leaf];
    });
    if (signed.length === 0) return 'none';
    const definition = definitionOf(resource);
    if (definition === undefined || record === null || path === null || body === null) return 'differs';
    const request = orUndefined(() => contentOfRequest(definition, { row, path, body }, record));
    return request !== undefined && signed.includes(leafOf(this.#salt, request.content)) ? 'same' : 'differs';
  }
}

type StagedEvent = LoggedRunEvent & { readonly event: 'row.staged' };
type AnsweredEvent = LoggedRunEvent & { readonly event: 'row.answered' };

/** Holds the requests and objects of rows against a run log. */
async function compareLog(
  verbs: ProofVerbs,
  batch: BatchRecord,
  log: string,
  found: FoundInLogs,
): Promise<void> {
  let staged: StagedEvent[] = [];
  let answered: AnsweredEvent[] = [];
  const flush = async (): Promise<void> => {
    await compareStaged(verbs, batch.id, staged, found);
    await compareAnswered(verbs, batch.id, answered, found);
    [staged, answered] = [[], []];
  };
  const events = new Set(['row.staged', 'row.answered'] as const);
  for await (const event of readRunLog(log, { events, passesOverDamage: true })) {
    if (event.batch !== batch.id) continue;
    if (event.event === 'row.staged') staged.push(event);
    else if (event.event === 'row.answered' && event.id !== null) answered.push(event);
    if (staged.length + answered.length >= rowsPerPage) await flush();
  }
  await flush();
}

/** A key whose request the ledger does not have was never used, or was lost before: it proves nothing. */
async function compareStaged(
  verbs: ProofVerbs,
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
    const { path, body, idempotencyKey, isPresent } = request;
    const isSame = fingerprintOf(path, body).toString('hex') === request_hash;
    if (idempotencyKey === key && !isSame) problems.add('request_not_logged', row);
    if (idempotencyKey === key && isSame && isPresent) logged.add(row);
  }
}

async function compareAnswered(
  verbs: ProofVerbs,
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
