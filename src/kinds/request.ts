/*
 * The request of a row: the ids of the objects to which it refers, its exact bytes, its natural key, and how its answer is
 * read.
 */

import { createHash, hash } from 'node:crypto';
import type { PipelineEvent } from '../disk/log/run-event.ts';
import type { Kind } from '../domain/batches/batch.ts';
import type { ClaimedRow, NormalisedRecord } from '../domain/rows/ledger-row.ts';
import type { Attempt, CreationReading } from '../domain/sending/outcome.ts';
import type { InEnvironment, LedgerVerbs } from '../ledger/verbs.ts';
import { readCreation } from './answer.ts';
import type {
  AnswerReading,
  InstitutionName,
  KnownObject,
  Reference,
  ResourceDefinition,
} from './definition.ts';
import { definitionNamed } from './registry.ts';

/**
 * The exact bytes to be sent for a record. They are written once. Every try sends these bytes, and never a new
 * serialisation.
 */
export function writeBody(definition: ResourceDefinition, record: NormalisedRecord): Buffer {
  return Buffer.from(JSON.stringify(definition.body(record)), 'utf8');
}

/** SHA-256 over the endpoint and the exact bytes of the body. Two requests are the same if and only if their hashes are. */
export function fingerprintOf(path: string, body: Buffer): Buffer {
  return hash('sha256', Buffer.concat([Buffer.from(`POST ${path}\n`), body]), 'buffer');
}

/** SHA-256 over the values that identify the object in the real world. */
export function naturalKeyOf(definition: ResourceDefinition, record: NormalisedRecord): Buffer {
  return Buffer.from(naturalKeyText(definition, record), 'latin1');
}

/**
 * The same hash as text; each character represents one byte. A Buffer for every row of a file would cost three times as
 * much.
 */
export function naturalKeyText(definition: ResourceDefinition, record: NormalisedRecord): string {
  return hash('sha256', jsonOf(definition.kind, definition.naturalKey(record)), 'binary');
}

const quote = 0x22;

const backslash = 0x5c;

const firstPlain = 0x20;

const lastPlain = 0x7e;

function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < firstPlain || code > lastPlain || code === quote || code === backslash) return false;
  }
  return true;
}

/**
 * The result of JSON.stringify for a list of texts. If no character has to be escaped, as in most lists, it is written
 * directly.
 */
function jsonOf(first: string, others: readonly string[]): string {
  for (const text of others) if (!isPlain(text)) return JSON.stringify([first, ...others]);
  return `["${first}","${others.join('","')}"]`;
}

/**
 * A SHA-256 that a row owns instead of its natural key, if a person sends it although another row owns that key. No row can
 * own it by chance, and later rows still find the other row's object.
 */
export function keyOfItsOwn(naturalKey: Buffer, idempotencyKey: string): Buffer {
  return createHash('sha256').update(naturalKey).update(idempotencyKey).digest();
}

/** A record with the ids of the objects to which it refers, if they exist. */
export interface RecordWithIds {
  readonly record: NormalisedRecord;
  /** The first reference whose object is not created yet. The row has to wait for this object. */
  readonly missing: Reference | undefined;
}

/**
 * Fills in the ids of the objects to which a group of records refers. It works in rounds, since a reference may depend on an
 * earlier one: an account is named by its label within its customer. There is one look-up for each round and kind, whatever
 * the size of the group is.
 */
export async function fillInIds(
  rows: readonly { readonly definition: ResourceDefinition; readonly record: NormalisedRecord }[],
  port: ReferencePort,
): Promise<RecordWithIds[]> {
  const resolved = rows.map(({ record }): RecordWithIds => ({ record, missing: undefined }));
  const rounds = Math.max(0, ...rows.map(({ definition }) => definition.references.length));
  for (let round = 0; round < rounds; round += 1) {
    const wanted = rows.map(({ definition }, index): WantedHandle | undefined => {
      const [reference, row] = [definition.references[round], resolved[index]];
      const handle = row === undefined ? undefined : reference?.handle(row.record);
      return reference === undefined || handle === undefined ? undefined : { reference, handle };
    });
    const found = await lookUp(wanted, port);
    wanted.forEach((want, index) => {
      const current = resolved[index];
      if (want === undefined || current === undefined) return;
      const id = found.get(want.reference.kind)?.get(want.handle)?.id;
      resolved[index] =
        typeof id === 'string'
          ? { record: { ...current.record, [want.reference.fills]: id }, missing: current.missing }
          : { record: current.record, missing: current.missing ?? want.reference };
    });
  }
  return resolved;
}

interface WantedHandle {
  readonly reference: Reference;
  readonly handle: string;
}

async function lookUp(
  wanted: readonly (WantedHandle | undefined)[],
  port: ReferencePort,
): Promise<Map<Kind, ReadonlyMap<string, KnownObject>>> {
  const handles = new Map<Kind, Set<string>>();
  for (const want of wanted) {
    if (want === undefined) continue;
    const ofKind = handles.get(want.reference.kind) ?? new Set<string>();
    handles.set(want.reference.kind, ofKind.add(want.handle));
  }
  const found = new Map<Kind, ReadonlyMap<string, KnownObject>>();
  for (const [kind, ofKind] of handles) found.set(kind, await port.findByHandles(kind, [...ofKind]));
  return found;
}

/* A row with its stored request: the data that the run log records about it, and how its answer is read. */

/** A row with its stored request. */
type RowWithRequest = Pick<
  ClaimedRow,
  'row' | 'resource' | 'generation' | 'idempotencyKey' | 'path' | 'body' | 'attempts'
>;

/** How answers are read. */
export interface AnswerContext {
  readonly readAnswer: (definition: ResourceDefinition, json: unknown) => AnswerReading;
  /** If absent, the names of institutions in answers are not compared. */
  readonly institutionName?: InstitutionName;
}

/** Reads a 2xx answer to a row's request: its facts about the object, and its contradictions to the request. */
export function creationReader(
  { readAnswer, institutionName }: AnswerContext,
  { resource, body }: Pick<RowWithRequest, 'resource' | 'body'>,
): (json: unknown) => CreationReading {
  const definition = definitionNamed(resource);
  return (json) => readCreation(definition.echoes, body, readAnswer(definition, json), institutionName);
}

/** The event has to be on disk before the first byte of the request is sent. */
export function stagedEvent(row: RowWithRequest): PipelineEvent {
  return {
    event: 'row.staged',
    row: row.row,
    key: row.idempotencyKey,
    attempt: row.attempts,
    generation: row.generation,
    request_hash: fingerprintOf(row.path, row.body).toString('hex'),
  };
}

export function answeredEvent(
  row: Pick<RowWithRequest, 'row' | 'idempotencyKey'>,
  attempt: Attempt,
): PipelineEvent {
  return {
    event: 'row.answered',
    row: row.row,
    key: row.idempotencyKey,
    attempt: attempt.number,
    status: attempt.httpStatus,
    outcome: attempt.outcome,
    reason: attempt.reason,
    id: attempt.objectId,
    duration_ms: Math.round(attempt.durationInMs),
  };
}

/* The look-ups by which validation and preparation find other rows of one environment. */

/** The queries about other rows that validation and preparation send to the ledger, in one environment. */
export interface ReferencePort extends Pick<LedgerVerbs, 'findRivals'> {
  readonly findByHandles: (
    kind: Kind,
    handles: readonly string[],
  ) => Promise<ReadonlyMap<string, KnownObject>>;
  readonly findCustomersById: InEnvironment<'findCustomersById'>;
  /** The owners by natural key, in hex. */
  readonly findKeyOwners: InEnvironment<'findKeyOwners'>;
}

/**
 * Look-ups of other rows within one environment.
 * @param importBatches batches of this call; other rows may refer to their rows before these are created
 */
export function referencesIn(
  verbs: LedgerVerbs,
  environmentId: number,
  importBatches: readonly string[],
): ReferencePort {
  return {
    findByHandles: (kind, handles) => verbs.findByHandles(environmentId, kind, handles, importBatches),
    findCustomersById: (ids) => verbs.findCustomersById(environmentId, ids),
    findKeyOwners: (kind, keys) => verbs.findKeyOwners(environmentId, kind, keys),
    findRivals: verbs.findRivals,
  };
}
