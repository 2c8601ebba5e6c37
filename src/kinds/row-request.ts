/* A row with the request that is stored for it: what the run log says of it, and how its answer is read. */

import type { PipelineEvent } from '../disk/log/run-event.ts';
import type { ClaimedRow } from '../domain/rows/ledger-row.ts';
import type { Attempt, CreationReading } from '../domain/sending/outcome.ts';
import { readCreation } from './answer.ts';
import type { AnswerReading, InstitutionName, ResourceDefinition } from './definition.ts';
import { fingerprintOf } from './request.ts';

/** A row with the request that is stored for it. */
type RowWithRequest = Pick<
  ClaimedRow,
  'row' | 'resource' | 'generation' | 'idempotencyKey' | 'path' | 'body' | 'attempts'
>;

/** How answers are read. */
export interface AnswerContext {
  readonly definitionNamed: (resource: string) => ResourceDefinition;
  readonly readAnswer: (definition: ResourceDefinition, json: unknown) => AnswerReading;
  /** Without it, the names of institutions in answers are not compared. */
  readonly institutionName?: InstitutionName;
}

/** Reads what a 2xx answer to a row's request says of the object, and in what it contradicts the request. */
export function creationReader(
  { definitionNamed, readAnswer, institutionName }: AnswerContext,
  { resource, body }: Pick<RowWithRequest, 'resource' | 'body'>,
): (json: unknown) => CreationReading {
  const definition = definitionNamed(resource);
  return (json) => readCreation(definition.echoes, body, readAnswer(definition, json), institutionName);
}

/** Has to be on disk before the first byte of the request leaves. */
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
