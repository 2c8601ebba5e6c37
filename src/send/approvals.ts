/*
 * What approvers have signed. Holds the rows of a claim against it, before the first byte of any leaves: each row is of its
 * batch's kind, and has the content that enough approvers have signed. Says before that what the policy lets a batch do.
 */

import { existsSync } from 'node:fs';
import {
  type BatchRecord,
  type ClaimedRange,
  type Kind,
  type LeasedBatch,
  shortBatchId,
} from '../domain/batches/batch.ts';
import { type ApprovalStanding, ContentStop } from '../domain/batches/batch-facts.ts';
import { type Policy, policyInForceOf, takesConsole, unsoundControl } from '../domain/controls/policy.ts';
import {
  blockOf,
  chunkHashOf,
  leafOf,
  leavesIn,
  signedAt,
  verifyApprovals,
} from '../domain/controls/statement.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { ClaimedRow, NormalisedRecord } from '../domain/rows/ledger-row.ts';
import type { Conclusion } from '../domain/sending/outcome.ts';
import type { AnswerReading, ResourceDefinition } from '../kinds/definition.ts';
import { definitionNamed } from '../kinds/registry.ts';
import { fingerprintOf } from '../kinds/request.ts';
import {
  type ContentOfRequest,
  contentOfRequest,
  type FilledReference,
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
  /** Absent where the policy asks for no approval: then only the kind is checked. */
  readonly approved?: SignedContent | undefined;
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

/** What one approver has signed for the rows of a block. */
type LeavesOfApprover = { readonly by: string; readonly leaves: ReadonlyMap<number, string> };

/** The leaves that approvers have signed. Those of a few blocks are kept in memory: claims take neighbouring rows. */
class SignedLeaves {
  readonly #context: ContentContext;
  readonly #approved: SignedContent;
  #blocks: ReadonlyMap<number, readonly LeavesOfApprover[]> = new Map();
  #salt: string | null = null;

  constructor(context: ContentContext, approved: SignedContent) {
    this.#context = context;
    this.#approved = approved;
  }

  /** The rows whose request is not what enough approvers have signed. */
  async unapproved(rows: readonly RowToSend[]): Promise<readonly RowToSend[]> {
    const { ledger, batch } = this.#context;
    this.#salt ??= await ledger.readLeafSalt(batch.id);
    const needing = rows.filter(({ resource }) => needsRecord(definitionNamed(resource)));
    const numbers = needing.map(({ row }) => row);
    const [records] = await Promise.all([
      numbers.length === 0 ? new Map<number, NormalisedRecord>() : ledger.readRecords(batch.id, numbers),
      this.#readBlocks(rows),
    ]);
    const requests = rows.map((row) => readRequest(definitionNamed(row.resource), row, records));
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
 * Tells whether an id that stands in for a name is that of the object of this name: the row that created it was answered with
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

/*
 * Checks whether leased batches have the approvals that the policy requires, and whether the approvals' signatures are
 * valid.
 */

/** What the policy lets a batch do: its rows are claimed under an approval, or it waits for one. */
type Permission =
  | { readonly approvalId: string; readonly approved: SignedContent }
  | { readonly approvalId: null; readonly waiting: ApprovalStanding };

/** By batch. A batch of which the policy requires nothing has no entry. */
export type Permissions = ReadonlyMap<string, Permission>;

type ApprovalVerbs = Pick<
  LedgerVerbs,
  | 'readControls'
  | 'readApprovals'
  | 'readApprovalsBehind'
  | 'listUserKeys'
  | 'hasMovableRows'
  | 'databaseTime'
>;

/**
 * What the policy in force lets leased batches do. The ledger refuses a claim without an approval in any case; here the
 * signatures are verified as well, which a database cannot do. A batch with nothing to send needs no approval, unless
 * final rows are to be sent.
 * @throws PaybatchError (`approval_invalid`) when the signature of an approval, of the policy or of an approver's
 *   appointment is missing or does not match
 */
export async function readPermissions(
  verbs: ApprovalVerbs,
  held: readonly LeasedBatch[],
  sendsFinalRows = false,
): Promise<Permissions> {
  const policy = await requireSoundControls(verbs);
  const standings = await verbs.readApprovals(held.map(({ batch }) => batch.id));
  const permissions = new Map<string, Permission>();
  for (const { batch } of held) {
    const standing = standings.get(batch.id);
    if (standing === undefined) continue;
    const approved = standing.inForce === null ? null : await signedContent(verbs, batch, standing, policy);
    if (standing.inForce !== null && approved !== null) {
      permissions.set(batch.id, { approvalId: standing.inForce, approved });
    } else if (sendsFinalRows || (await verbs.hasMovableRows(batch.id))) {
      permissions.set(batch.id, { approvalId: null, waiting: standing });
    }
  }
  return permissions;
}

/** @returns the policy in force; null where there is none */
async function requireSoundControls(verbs: ApprovalVerbs): Promise<Policy | null> {
  const controls = await verbs.readControls();
  const unsound = controls.policyInForce === null ? null : unsoundControl(controls);
  if (unsound === null) return policyInForceOf(controls);
  const what =
    unsound.what === 'policy'
      ? `Policy ${unsound.version} was put into force`
      : `The user ${unsound.name} was made an approver`;
  throw new PaybatchError(
    'approval_invalid',
    `${what} without the signed approvals that it needed. Nothing was sent.`,
    'find out who changed the database; then lock the users who are not what they seem, and set the policy again',
  );
}

/**
 * The approvals that put one into force, with their signatures verified. How old they are is reckoned from what was signed.
 * @returns null where the time of too many of them is over
 */
async function signedContent(
  verbs: ApprovalVerbs,
  batch: BatchRecord,
  { inForce, needed }: ApprovalStanding,
  policy: Policy | null,
): Promise<SignedContent | null> {
  const stored = await verbs.readApprovalsBehind(batch.id, inForce ?? '');
  const { id, mode, origin, kind } = batch;
  const mayBeOfConsole = policy !== null && takesConsole(policy, mode, kind);
  const expected = { subject: 'batch', decision: 'approve', batch: id, environment: { mode, origin } };
  const [unsound] = verifyApprovals(
    stored,
    await verbs.listUserKeys(),
    ({ by }) => ({ ...expected, by }),
    mayBeOfConsole,
  );
  if (unsound !== undefined) {
    throw new PaybatchError(
      'approval_invalid',
      `The stored approval ${unsound.decision.id} of batch ${shortBatchId(id)} is not what its approver has signed (${unsound.problem}). Nothing of the batch was sent.`,
      'find out who changed the database; then have an approver reject the plan, and approve it again',
    );
  }
  const rule = policy?.rules.find((each) => each.mode === mode && each.kinds.includes(kind));
  const now = (await verbs.databaseTime()).getTime();
  const isInTime = ({ statement }: ApprovalBehind): boolean =>
    now - signedAt(statement).getTime() < (rule?.validForInMs ?? 0);
  const behind = stored.filter(isInTime);
  return new Set(behind.map(({ by }) => by)).size < needed ? null : { behind, needed };
}
