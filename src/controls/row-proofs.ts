/*
 * Which rows of a batch are proven, and by what: their requests are held against the leaves that approvers have signed, and
 * against the run logs that were kept; their objects against the answers. Page by page, so that a batch may be of any size.
 */

import { createHash, type Hash } from 'node:crypto';
import type { BatchRecord } from '../domain/batches/batch.ts';
import { chunkHashOf, leafOf, leavesIn, rowRanges } from '../domain/controls/statement.ts';
import type { AnswerReading, ResourceDefinition } from '../kinds/definition.ts';
import { allDefinitions } from '../kinds/registry.ts';
import { contentOfRequest, isRequestOfRecord } from '../kinds/row-content.ts';
import type { SignedApproval } from '../ledger/audit/events.ts';
import type { RowEvidence, StagedGroup } from '../ledger/audit/rows.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import type { FoundInLogs } from './log-proofs.ts';
import type { Problems, RowProblem } from './row-problems.ts';

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
  | 'readLeafSalt'
  | 'readLeaves'
  | 'readRowEvidence'
  | 'readStagedGroups'
  | 'readLoggedEvidence'
  | 'readKnownAnswers'
  | 'readKnownObjects'
>;

/** What a batch is held against. */
interface ProofSources {
  /** Approvals of the batch whose signatures were verified. */
  readonly approvals: readonly SignedApproval[];
  /** What its run logs prove, and the problems that they have shown. */
  readonly found: FoundInLogs;
  readonly readAnswer: (definition: ResourceDefinition, json: unknown) => AnswerReading;
}

const rowsPerPage = 1_000;

/** Holds all rows of a batch against what proves them. */
export async function proveRows(
  verbs: ProofVerbs,
  batch: BatchRecord,
  sources: ProofSources,
): Promise<RowProofs> {
  const { found } = sources;
  const { problems } = found;
  const leaves = new SignedLeaves(verbs, sources.approvals, await verbs.readLeafSalt(batch.id));
  const staged = new StagedHashes(await verbs.readStagedGroups(batch.id), problems);
  const unproven = rowRanges();
  const counts = { requests: 0, approved: 0, logged: 0 };
  const isContentNeeded =
    leaves.areSigned || found.requests.size < (batch.rowCount ?? Number.POSITIVE_INFINITY);
  const readPage = (after: number): Promise<RowEvidence[]> =>
    verbs.readRowEvidence(batch.id, after, rowsPerPage, isContentNeeded);
  for await (const page of readAhead(readPage, 0, (rows) => rows.at(-1)?.row)) {
    await leaves.read(page.map(({ row }) => row));
    for (const row of page) {
      staged.add(row);
      if (row.isOtherCode) problems.add('code_not_answered', row.row);
      if (row.isAnswerGone) problems.add('answer_missing', row.row);
      if (!found.objects.has(row.row)) compareObject(row, sources, problems);
      if (row.path === null) continue;
      counts.requests += 1;
      if (!row.isRequestAsNoted) problems.add('request_changed', row.row);
      const proof = leaves.prove(row);
      if (proof === 'differs') problems.add('row_not_approved', row.row);
      if (proof === 'same') counts.approved += 1;
      else if (found.requests.has(row.row)) counts.logged += 1;
      else {
        unproven.add(row.row);
        // Where an approval, a run log or a hash tells already that the row was changed, this tells nothing more.
        if (!problems.isAbout(row.row) && !isOfItsRecord(row)) problems.add('request_not_staged', row.row);
      }
    }
  }
  staged.end();
  return { ...counts, unproven: unproven.text(), problems: problems.found };
}

/**
 * Pages, of which the next one is read while one is looked through.
 * @param lastOf from where the next page is read; undefined for an empty one, which is the end
 */
async function* readAhead<Page>(
  read: (after: number) => Promise<Page>,
  after: number,
  lastOf: (page: Page) => number | undefined,
): AsyncGenerator<Page> {
  let next = Promise.allSettled([read(after)]);
  for (;;) {
    const [page] = await next;
    if (page.status === 'rejected') throw page.reason;
    const last = lastOf(page.value);
    if (last === undefined) return;
    next = Promise.allSettled([read(last)]);
    yield page.value;
  }
}

/** Holds rows against the hashes of the groups in which they were staged. Rows come in the order of their numbers. */
class StagedHashes {
  readonly #groups: readonly StagedGroup[];
  readonly #problems: Problems;
  #at = 0;
  #hash: Hash = createHash('sha256');
  /** Whether a row of the present group is known to differ: then the hash of the group says nothing more. */
  #isNamed = false;

  constructor(groups: readonly StagedGroup[], problems: Problems) {
    this.#groups = groups;
    this.#problems = problems;
  }

  add({ row, stagedHash, isAsStaged }: RowEvidence): void {
    while (row > (this.#groups[this.#at]?.lastRow ?? Number.POSITIVE_INFINITY)) this.#close();
    if (stagedHash !== null) this.#hash.update(stagedHash);
    const code = stagedHash === null ? 'record_lost' : isAsStaged ? null : 'row_not_staged';
    if (code === null) return;
    this.#isNamed = true;
    this.#problems.add(code, row);
  }

  end(): void {
    while (this.#at < this.#groups.length) this.#close();
  }

  #close(): void {
    const group = this.#groups[this.#at];
    if (group !== undefined && !this.#isNamed && !this.#hash.digest().equals(group.hash))
      this.#problems.add('rows_not_staged', group.firstRow);
    this.#at += 1;
    this.#hash = createHash('sha256');
    this.#isNamed = false;
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

/** What was staged makes the request, but for the ids of other objects: the trail has a hash of what was staged. */
function isOfItsRecord({ row, resource, record, path, body }: RowEvidence): boolean {
  const definition = definitionOf(resource);
  if (record === null || path === null || body === null) return true;
  return (
    definition !== undefined &&
    orUndefined(() => isRequestOfRecord(definition, { row, path, body }, record)) === true
  );
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

  /** Whether any approval is about rows. */
  get areSigned(): boolean {
    return this.#proofs.length > 0;
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
