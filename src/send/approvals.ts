/*
 * Compares the rows of a claim with what approvers have signed, before the first byte of any row is sent. Each row must be
 * of its batch's kind, and must have the content that enough approvers have signed.
 */

import type { Kind } from '../domain/batches/batch.ts';
import { blockOf, chunkHashOf, leafOf, leavesIn } from '../domain/controls/leaves.ts';
import type { ClaimedRow, NormalisedRecord } from '../domain/rows/ledger-row.ts';
import type { Conclusion } from '../domain/sending/outcome.ts';
import { ContentStop } from '../domain/sending/stops.ts';
import type { AnswerReading, ResourceDefinition } from '../kinds/definition.ts';
import { definitionNamed, definitionsOf } from '../kinds/registry.ts';
import {
  type ContentOfRequest,
  contentOfRequest,
  type FilledReference,
  fieldsBesideRequest,
  needsRecord,
} from '../kinds/row-content.ts';
import type { ApprovalBehind, CreationEvidence } from '../ledger/before-sending/approvals.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { sentRowsInLog } from './claim-log.ts';

/** A row whose request is about to be sent. */
type RowToSend = Pick<
  ClaimedRow,
  'row' | 'generation' | 'resource' | 'path' | 'body' | 'idempotencyKey' | 'wasUnknown'
>;

/** Rows of a claim that must not be sent. */
interface ContentVerdict {
  /** Their content, or their kind, is not what was approved: the batch stops. */
  readonly changed: readonly number[];
  /** Rows in doubt that neither an approval nor the run log proves. A person decides about each of them. */
  readonly unproven: ReadonlySet<number>;
}

export type ContentCheck = (rows: readonly RowToSend[]) => Promise<ContentVerdict>;

/** The signed approvals under which a batch is sent, and how many different approvers each of its rows needs. */
export interface SignedContent {
  readonly behind: readonly ApprovalBehind[];
  readonly needed: number;
}

/** The rows of a claim that may be sent. */
export interface ClaimedGroup {
  readonly rows: readonly ClaimedRow[];
  /** Rows in doubt that are not sent, since nothing proves their request. */
  readonly held: readonly ClaimedRow[];
}

/**
 * Separates the rows of a claim that may be sent from those that may not.
 * @param check undefined where the rows cannot differ from what was approved
 * @throws ContentStop when a row is not what was approved
 */
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

/**
 * The conclusion of a row in doubt that somebody may have inserted into the ledger. A person has to look at the row before
 * it is sent.
 */
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

/**
 * Makes the check of a run's claims. It reads a few chunks of leaves. It also reads the records of a claim if the requests
 * do not contain all signed content.
 */
export function contentCheck(context: ContentContext): ContentCheck {
  const { approved, batch, log } = context;
  const leaves = approved === undefined ? null : new SignedLeaves(context, approved);
  return async (rows) => {
    const strange = rows.filter((row) => !isOfKind(context, row)).map(({ row }) => row);
    if (leaves === null || strange.length > 0 || rows.length === 0)
      return { changed: strange, unproven: new Set() };
    const failed = await leaves.unapproved(rows);
    const inDoubt = failed.filter(({ wasUnknown }) => wasUnknown);
    const logged = await sentRowsInLog(log, batch.id, inDoubt);
    return {
      changed: failed.filter(({ wasUnknown }) => !wasUnknown).map(({ row }) => row),
      unproven: new Set(inDoubt.filter((row) => !logged.has(row.row)).map(({ row }) => row)),
    };
  };
}

/** Whether a row is of its batch's kind. A policy rule for one kind must not let rows of another kind pass. */
function isOfKind({ batch }: ContentContext, { resource, path }: RowToSend): boolean {
  const definition = definitionNamed(resource);
  return definition.kind === batch.kind && definition.path === path;
}

/** The number of blocks whose records are read at once. Rows in doubt may be anywhere in a batch. */
const mostBlocksRead = 2;

/** What one approver has signed for the rows of a block. */
type LeavesOfApprover = { readonly by: string; readonly leaves: ReadonlyMap<number, string> };

/**
 * The leaves that approvers have signed. The leaves of a few blocks are kept in memory, since successive claims take
 * neighbouring rows.
 */
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
   * Reads the records of a claim, and those of the other rows in its blocks, since the next claims take these rows. A
   * record is not sent. The leaf covers its relevant fields, and each claim compares the leaf with the bytes that it is
   * about to send.
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

  /** Reads, in one query, the chunks of all needed blocks that are not in memory, and forgets all other blocks. */
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

/** @returns null for a row whose record is needed and missing, or whose bytes are not a valid request */
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
 * Returns a check whether an id that replaces a name belongs to the object with this name. The check passes if the row that
 * created the object was answered with this id, and the request of that row contains the name.
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

/**
 * The name of a created object, from the request of the row that created it. Undefined if no evidence shows that the object
 * has this id.
 */
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
