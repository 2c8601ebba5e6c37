/*
 * What approvers have signed. Holds the rows of a claim against it, before the first byte of any leaves: each row is of its
 * batch's kind, and has the content that enough approvers have signed.
 */

import { existsSync } from 'node:fs';
import type { Kind } from '../domain/batches/batch.ts';
import type { ClaimedRange } from '../domain/batches/run.ts';
import { blockOf, chunkHashOf, leafOf, leavesIn } from '../domain/controls/leaves.ts';
import type { ClaimedRow, NormalisedRecord } from '../domain/rows/ledger-row.ts';
import type { Conclusion } from '../domain/sending/outcome.ts';
import { ContentStop } from '../domain/sending/stops.ts';
import type { AnswerReading, ResourceDefinition } from '../kinds/definition.ts';
import { definitionNamed, definitionsOf } from '../kinds/registry.ts';
import { fingerprintOf } from '../kinds/request.ts';
import {
  type ContentOfRequest,
  contentOfRequest,
  type FilledReference,
  fieldsBesideRequest,
  needsRecord,
} from '../kinds/row-content.ts';
import type { ApprovalBehind, CreationEvidence } from '../ledger/before-sending/approvals.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { eventsOf } from '../recover/batch-logs.ts';

/** A row whose request is about to be sent. */
interface RowToSend {
  readonly row: number;
  readonly generation: number;
  readonly resource: string;
  readonly path: string;
  readonly body: Buffer;
  readonly idempotencyKey: string;
  /** Whether an earlier request under its key may have been carried out. */
  readonly wasUnknown: boolean;
}

/** Rows of a claim that must not be sent. */
interface ContentVerdict {
  /** Their content, or their kind, is not what was approved: the batch stops. */
  readonly changed: readonly number[];
  /** Rows in doubt of which neither an approval nor the run log knows: a person decides about each. */
  readonly unproven: ReadonlySet<number>;
}

export type ContentCheck = (rows: readonly RowToSend[]) => Promise<ContentVerdict>;

/** The signed approvals under which a batch is sent, and how many different approvers each of its rows needs. */
export interface SignedContent {
  readonly behind: readonly ApprovalBehind[];
  readonly needed: number;
}

/** The rows of a claim. */
export interface ClaimedGroup {
  readonly rows: readonly ClaimedRow[];
  /** Rows in doubt that are not sent, since nothing proves their request. */
  readonly held: readonly ClaimedRow[];
}

/** @param check none where nothing can differ @throws ContentStop when a row is not what was approved */
export async function approvedOf(
  check: ContentCheck | undefined,
  claimed: readonly ClaimedRow[],
): Promise<ClaimedGroup> {
  if (check === undefined) return { rows: claimed, held: [] };
  const { changed, unproven } = await check(claimed);
  if (changed.length > 0) throw new ContentStop([...changed].sort((one, other) => one - other));
  return {
    rows: claimed.filter(({ row }) => !unproven.has(row)),
    held: claimed.filter(({ row }) => unproven.has(row)),
  };
}

/** Of a row in doubt that somebody may have put into the ledger: nothing of it is sent before a person has looked. */
export const notProven: Conclusion = {
  state: 'held',
  objectId: null,
  code: 'content_not_approved',
  message:
    'It is in doubt, and neither an approval nor the run log knows its request: it was not sent again.',
  attempts: [],
};

interface ContentContext {
  readonly ledger: Pick<LedgerVerbs, 'readLeafSalt' | 'readLeaves' | 'readRecords' | 'readCreationEvidence'>;
  readonly batch: { readonly id: string; readonly kind: Kind };
  readonly readAnswer: (definition: ResourceDefinition, json: unknown) => AnswerReading;
  /** Path of the batch's run log. */
  readonly log: string;
  /** Undefined where the policy asks for no approval: then only the kind is checked. */
  readonly approved: SignedContent | undefined;
}

/** @returns the check of a run's claims; it reads a few chunks of leaves and, where the requests do not tell all, the records of a claim */
export function contentCheck(context: ContentContext): ContentCheck {
  const { approved } = context;
  const leaves = approved === undefined ? null : new SignedLeaves(context, approved);
  return async (rows) => {
    const strange = rows.filter((row) => !isOfKind(context, row)).map(({ row }) => row);
    if (leaves === null || strange.length > 0 || rows.length === 0)
      return { changed: strange, unproven: new Set() };
    const failed = await leaves.unapproved(rows);
    const inDoubt = failed.filter(({ wasUnknown }) => wasUnknown);
    const logged = await keysInLog(context, inDoubt);
    return {
      changed: failed.filter(({ wasUnknown }) => !wasUnknown).map(({ row }) => row),
      unproven: new Set(inDoubt.filter((row) => !logged.has(row.row)).map(({ row }) => row)),
    };
  };
}

/** Whether a row is of its batch's kind: the rule of a policy for one kind must not let rows of another one pass. */
function isOfKind({ batch }: ContentContext, { resource, path }: RowToSend): boolean {
  const definition = definitionNamed(resource);
  return definition.kind === batch.kind && definition.path === path;
}

/** The number of blocks whose records are read at once. Rows in doubt may be anywhere in a batch. */
const mostBlocksRead = 2;

/** What one approver has signed for the rows of a block. */
type LeavesOfApprover = { readonly by: string; readonly leaves: ReadonlyMap<number, string> };

/** The leaves that approvers have signed. Those of a few blocks are kept in memory: claims take neighbouring rows. */
class SignedLeaves {
  readonly #context: ContentContext;
  readonly #approved: SignedContent;
  #blocks: ReadonlyMap<number, readonly LeavesOfApprover[]> = new Map();
  #records: ReadonlyMap<number, NormalisedRecord> = new Map();
  #salt: string | null = null;

  constructor(context: ContentContext, approved: SignedContent) {
    this.#context = context;
    this.#approved = approved;
  }

  /** The rows whose request is not what enough approvers have signed. */
  async unapproved(rows: readonly RowToSend[]): Promise<readonly RowToSend[]> {
    this.#salt ??= await this.#context.ledger.readLeafSalt(this.#context.batch.id);
    await this.#readBlocks(rows);
    await this.#readRecords(rows);
    const requests = rows.map((row) => readRequest(definitionNamed(row.resource), row, this.#records));
    const proven = await provenIds(
      this.#context,
      requests.flatMap((request) => request?.filled ?? []),
    );
    return rows.filter((row, at) => {
      const request = requests[at] ?? null;
      return request === null || !this.#isSigned(row, request) || !request.filled.every(proven);
    });
  }

  #isSigned({ row }: RowToSend, { content }: ContentOfRequest): boolean {
    const leaf = leafOf(this.#salt ?? '', content);
    const signers = new Set<string>();
    for (const { by, leaves } of this.#blocks.get(blockOf(row)) ?? [])
      if (leaves.get(row) === leaf) signers.add(by);
    return signers.size >= this.#approved.needed;
  }

  /**
   * Reads the records of a claim, and of the other rows of its blocks, which the next claims take. A record is not sent: what
   * counts of it is in the leaf, and each claim compares the leaf with the bytes that it is about to send.
   */
  async #readRecords(rows: readonly RowToSend[]): Promise<void> {
    const isMissing = ({ row, resource }: RowToSend): boolean =>
      !this.#records.has(row) && needsRecord(definitionNamed(resource));
    if (!rows.some(isMissing)) return;
    const { ledger, batch } = this.#context;
    const signed = [...this.#blocks.values()].flat().flatMap(({ leaves }) => [...leaves.keys()]);
    const asked = this.#blocks.size > mostBlocksRead ? [] : signed;
    const wanted = [...new Set([...rows.map(({ row }) => row), ...asked])];
    const fields = new Set(definitionsOf(batch.kind).flatMap(fieldsBesideRequest));
    const known = this.#records;
    const missing = wanted.filter((row) => !known.has(row));
    const read = await ledger.readRecords(batch.id, missing, [...fields]);
    this.#records = new Map(
      wanted.flatMap((row) => {
        const record = known.get(row) ?? read.get(row);
        return record === undefined ? [] : [[row, record] as const];
      }),
    );
  }

  /** Reads the chunks of all blocks with rows that are not in memory, at once, and forgets the others. */
  async #readBlocks(rows: readonly RowToSend[]): Promise<void> {
    const rowOf = new Map(rows.map(({ row }) => [blockOf(row), row]));
    const read = [...rowOf].filter(([block]) => !this.#blocks.has(block));
    const wanted = new Set(
      read.flatMap(([, row]) => this.#approved.behind.flatMap(({ proof }) => chunkHashOf(proof, row) ?? [])),
    );
    const leavesOf = new Map<string, ReadonlyMap<number, string>>();
    for (const chunk of wanted.size === 0 ? [] : await this.#context.ledger.readLeaves([...wanted])) {
      const leaves = leavesIn(chunk);
      if (leaves !== undefined) leavesOf.set(chunk.hash.toString('hex'), leaves);
    }
    const blocks = new Map([...this.#blocks].filter(([block]) => rowOf.has(block)));
    for (const [block, row] of read) {
      blocks.set(
        block,
        this.#approved.behind.flatMap(({ by, proof }) => {
          const leaves = leavesOf.get(chunkHashOf(proof, row) ?? '');
          return leaves === undefined ? [] : [{ by, leaves }];
        }),
      );
    }
    this.#blocks = blocks;
  }
}

/** @returns null for a row whose record is missing and needed, or whose bytes are no request */
function readRequest(
  definition: ResourceDefinition,
  row: RowToSend,
  records: ReadonlyMap<number, NormalisedRecord>,
): ContentOfRequest | null {
  const record = needsRecord(definition) ? records.get(row.row) : {};
  if (record === undefined) return null;
  try {
    return contentOfRequest(definition, row, record);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * Tells whether an id that replaces a name is that of the object of this name: the row that created it was answered with
 * this id, and its own request has the name.
 */
async function provenIds(
  context: ContentContext,
  filled: readonly FilledReference[],
): Promise<(filled: FilledReference) => boolean> {
  const byKind = new Map<Kind, Set<string>>();
  for (const { reference, id } of filled)
    byKind.set(reference.kind, (byKind.get(reference.kind) ?? new Set<string>()).add(id));
  const handles = new Map<string, Set<string | undefined>>();
  for (const [kind, ids] of byKind) {
    for (const evidence of await context.ledger.readCreationEvidence(context.batch.id, kind, [...ids])) {
      const name = `${kind} ${evidence.objectId}`;
      const known = handles.get(name) ?? new Set<string | undefined>();
      handles.set(name, known.add(handleOf(context, evidence)));
    }
  }
  return ({ reference, id, handle }) => handles.get(`${reference.kind} ${id}`)?.has(handle) === true;
}

/** The name of a created object, as its row's request has it; undefined where nothing shows that it has this id. */
function handleOf(
  { readAnswer }: ContentContext,
  { objectId, resource, record, body, answer, isRecorded }: CreationEvidence,
): string | undefined {
  if (!isRecorded || resource === null) return undefined;
  const definition = definitionNamed(resource);
  if (answer !== null && idIn(definition, answer, readAnswer) !== objectId) return undefined;
  return definition.handle(body === null ? record : JSON.parse(body.toString('utf8')));
}

function idIn(
  definition: ResourceDefinition,
  answer: string,
  readAnswer: ContentContext['readAnswer'],
): string | undefined {
  try {
    return readAnswer(definition, JSON.parse(answer)).id;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * The rows in doubt whose key and request stand in the run log on disk, and whose claim does: a run has sent them. A log that
 * was completed from the ledger has keys of which only the ledger knew, and no claims.
 */
async function keysInLog(
  { log, batch }: ContentContext,
  rows: readonly RowToSend[],
): Promise<ReadonlySet<number>> {
  if (rows.length === 0 || !existsSync(log)) return new Set();
  const byKey = new Map(rows.map((row) => [row.idempotencyKey, row]));
  const claimed = new Set<RowToSend>();
  const staged = new Set<RowToSend>();
  for await (const event of eventsOf(log, ['claim.made', 'row.staged'])) {
    if (event.batch !== batch.id) continue;
    if (event.event === 'claim.made') {
      for (const row of rows) if (event.rows?.some((range) => isIn(range, row))) claimed.add(row);
    }
    if (event.event !== 'row.staged') continue;
    const row = byKey.get(event.key);
    const isSame =
      row?.row === event.row && fingerprintOf(row.path, row.body).toString('hex') === event.request_hash;
    if (isSame) staged.add(row);
  }
  return new Set(rows.filter((row) => claimed.has(row) && staged.has(row)).map(({ row }) => row));
}

function isIn([first, last, generation = 1]: ClaimedRange, row: RowToSend): boolean {
  return row.row >= first && row.row <= last && row.generation === generation;
}
