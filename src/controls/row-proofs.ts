/*
 * Determines which rows of a batch are proven, and by what. Requests are compared with the leaves that approvers have
 * signed, and with the run logs that were kept. Objects are compared with the answers. Rows are read page by page, so a
 * batch may have any size.
 */

import { createHash, type Hash } from 'node:crypto';
import type { BatchRecord } from '../domain/batches/batch.ts';
import { chunkHashOf, leafOf, leavesIn } from '../domain/controls/leaves.ts';
import { rowRanges } from '../domain/controls/statement.ts';
import type { AnswerReading, ResourceDefinition } from '../kinds/definition.ts';
import { allDefinitions } from '../kinds/registry.ts';
import { contentOfRequest, isRequestOfRecord } from '../kinds/row-content.ts';
import type { SignedApproval } from '../ledger/audit/events.ts';
import type * as rowVerbs from '../ledger/audit/rows.ts';
import type { RowEvidence, StagedGroup } from '../ledger/audit/rows.ts';
import type { LedgerVerbs, VerbsWith } from '../ledger/verbs.ts';
import type { FoundInLogs, Problems, RowProblem } from './log-proofs.ts';

/** The proofs for the requests of a batch's rows. */
export interface RowProofs {
  /** Rows with a request. */
  readonly requests: number;
  /** Rows whose request has a leaf in an approval. */
  readonly approved: number;
  /** Further rows whose request is in a run log. */
  readonly logged: number;
  /** The rows with a request that is in neither; `{[2,5),[7,8)}` for rows 2, 3, 4 and 7. */
  readonly unproven: string;
  readonly problems: readonly RowProblem[];
}

type ProofVerbs = VerbsWith<typeof rowVerbs>;

/** The evidence that a batch is compared with. */
interface ProofSources {
  /** Approvals of the batch whose signatures were verified. */
  readonly approvals: readonly SignedApproval[];
  /** The rows that its run logs prove, and the problems that they show. */
  readonly found: FoundInLogs;
  readonly readAnswer: (definition: ResourceDefinition, json: unknown) => AnswerReading;
}

const rowsPerPage = 1_000;

const bytesOfHash = 32;

/** Compares all rows of a batch with the evidence. */
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
  const readPage = pagesOf(verbs, batch, { areSigned: leaves.areSigned, found });
  for await (const { firstRow, proven, stagedHashes, rows } of readAhead(readPage, 0)) {
    if (stagedHashes !== null) staged.addAsStaged(firstRow, stagedHashes);
    counts.requests += proven;
    counts.logged += proven;
    await leaves.read(rows.map(({ row }) => row));
    for (const row of rows) {
      if (stagedHashes === null) staged.add(row);
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
        // Not checked if an approval, a run log or a hash already shows that the row was changed.
        if (!problems.isAbout(row.row) && !isOfItsRecord(row)) problems.add('request_not_staged', row.row);
      }
    }
  }
  staged.end();
  return { ...counts, unproven: unproven.text(), problems: problems.found };
}

/** A page of neighbouring rows. */
interface PageOfRows {
  readonly firstRow: number;
  readonly lastRow: number;
  /** Number of rows that a run log proves, including their objects, and that are unchanged since they were recorded. */
  readonly proven: number;
  /** The hashes of all rows of the page, if all have the content that was staged; null if each row has to be checked. */
  readonly stagedHashes: Buffer | null;
  /** The other rows of the page, or all rows. */
  readonly rows: readonly RowEvidence[];
}

/**
 * Chooses how pages are read. If run logs prove most rows of a batch and no approval does, the ledger returns only
 * summaries of the proven rows.
 */
function pagesOf(
  verbs: Pick<ProofVerbs, 'lookAtRows' | 'readRowEvidence'>,
  { id, rowCount }: Pick<BatchRecord, 'id' | 'rowCount'>,
  { areSigned, found }: { readonly areSigned: boolean; readonly found: FoundInLogs },
): (afterRow: number) => Promise<PageOfRows | undefined> {
  const areMostLogged = !areSigned && found.requests.size * 2 > (rowCount ?? Number.POSITIVE_INFINITY);
  const readWhole = async (afterRow: number): Promise<PageOfRows | undefined> => {
    const wanted = { afterRow, limit: rowsPerPage };
    const rows = await verbs.readRowEvidence(id, wanted, true);
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    return { firstRow: first.row, lastRow: last.row, proven: 0, stagedHashes: null, rows };
  };
  if (!areMostLogged) return readWhole;
  return async (afterRow) => {
    const look = await verbs.lookAtRows(id, afterRow, rowsPerPage);
    if (look === undefined) return undefined;
    const { firstRow, lastRow, count, areAsStaged, stagedHashes } = look;
    // Row numbers are missing only if a file left rows out, or if somebody has deleted rows.
    if (!areAsStaged || count !== lastRow - firstRow + 1) return readWhole(afterRow);
    const others = new Set(look.others);
    for (let row = firstRow; row <= lastRow; row += 1)
      if (!found.requests.has(row) || !found.objects.has(row)) others.add(row);
    const wanted = { rows: [...others].sort((one, other) => one - other) };
    const rows = others.size === 0 ? [] : await verbs.readRowEvidence(id, wanted, true);
    return { firstRow, lastRow, proven: count - others.size, stagedHashes, rows };
  };
}

/** Reads pages. The next page is read while the current one is processed. @param read returns undefined at the end */
async function* readAhead<Page extends { readonly lastRow: number }>(
  read: (after: number) => Promise<Page | undefined>,
  after: number,
): AsyncGenerator<Page> {
  let next = Promise.allSettled([read(after)]);
  for (;;) {
    const [page] = await next;
    if (page.status === 'rejected') throw page.reason;
    if (page.value === undefined) return;
    next = Promise.allSettled([read(page.value.lastRow)]);
    yield page.value;
  }
}

/**
 * Compares rows with the hashes of the groups in which they were staged. Rows must be added in the order of their numbers.
 */
class StagedHashes {
  readonly #groups: readonly StagedGroup[];
  readonly #problems: Problems;
  #at = 0;
  #hash: Hash = createHash('sha256');
  /** Whether a row of the current group is known to differ. The hash of the group is then not compared. */
  #isNamed = false;

  constructor(groups: readonly StagedGroup[], problems: Problems) {
    this.#groups = groups;
    this.#problems = problems;
  }

  add({ row, stagedHash, isAsStaged }: RowEvidence): void {
    while (row > this.#lastOfGroup) this.#close();
    if (stagedHash !== null) this.#hash.update(stagedHash);
    const code = stagedHash === null ? 'record_lost' : isAsStaged ? null : 'row_not_staged';
    if (code === null) return;
    this.#isNamed = true;
    this.#problems.add(code, row);
  }

  /**
   * Takes neighbouring rows that have the content that was staged. @param hashes the hashes of all these rows, one after
   * the other
   */
  addAsStaged(firstRow: number, hashes: Buffer): void {
    for (let taken = 0; taken < hashes.length; ) {
      const row = firstRow + taken / bytesOfHash;
      while (row > this.#lastOfGroup) this.#close();
      const end = Math.min(hashes.length, taken + (this.#lastOfGroup - row + 1) * bytesOfHash);
      this.#hash.update(hashes.subarray(taken, end));
      taken = end;
    }
  }

  /** The last row of the current group; infinite after the last group. */
  get #lastOfGroup(): number {
    return this.#groups[this.#at]?.lastRow ?? Number.POSITIVE_INFINITY;
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

/**
 * Compares the object of a row with the one that its answer names. A person, or an answer of a lost run, may name it
 * instead.
 */
function compareObject(row: RowEvidence, { readAnswer }: ProofSources, problems: Problems): void {
  const { objectId, answeredId, answer, isStated } = row;
  if (isStated) return;
  if (objectId === null) {
    if (answeredId !== null) problems.add('object_missing', row.row);
    return;
  }
  const definition = definitionOf(row.resource);
  const idIn = (text: string): string | undefined =>
    definition && orUndefined(() => readAnswer(definition, JSON.parse(text)).id);
  const isAnswered = answeredId === objectId && (answer === null || idIn(answer) === objectId);
  if (!isAnswered) problems.add('object_not_answered', row.row);
}

/**
 * Whether a request follows from the staged record, except for the ids of other objects. The audit trail has a hash of the
 * staged record.
 */
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

/** @returns undefined for bytes that are not JSON */
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

  /** Whether any approval covers rows. */
  get areSigned(): boolean {
    return this.#proofs.length > 0;
  }

  /** Reads the leaves of these rows, and forgets the leaves of other rows. */
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

  /** @returns `none` if no approval covers the row */
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
