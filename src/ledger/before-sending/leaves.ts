/* The leaves of approved plans, and what the rows of a claim are held against them with. */

import type { Kind } from '../../domain/batches/batch.ts';
import type { LeafChunk } from '../../domain/controls/statement.ts';
import type { NormalisedRecord } from '../../domain/rows/ledger-row.ts';
import { asFence, inputOf, requestOf } from '../query/planner.ts';
import {
  bool,
  bytes,
  bytesLiteral,
  type Database,
  execute,
  int4,
  json,
  numbersLiteral,
  orNull,
  query,
  text,
  uuid,
  verb,
} from '../query/sql.ts';

/** The salt of the leaves of a batch. */
export const readLeafSalt = verb(
  { pool: 'short', repeatable: true },
  async (database: Database, batchId: string): Promise<string> => {
    const [found] = await query(
      database,
      { salt: uuid },
      'SELECT leaf_salt AS salt FROM batches WHERE id = ?',
      [batchId],
    );
    if (found === undefined) throw new Error('a batch that is planned or sent is not there');
    return found.salt;
  },
);

/** Stores chunks of leaves; those that are there already stay. */
export async function storeLeaves(database: Database, chunks: readonly LeafChunk[]): Promise<void> {
  if (chunks.length === 0) return;
  await execute(
    database,
    `INSERT INTO plan_leaves (hash, content) SELECT * FROM unnest(?::bytea[], ?::bytea[])
     ON CONFLICT DO NOTHING`,
    [bytesLiteral(chunks.map(({ hash }) => hash)), bytesLiteral(chunks.map(({ content }) => content))],
  );
}

/** The same while a plan is made: its leaves do not stay in memory. */
export const writeLeaves = verb(
  { pool: 'long', repeatable: true },
  (database: Database, chunks: readonly LeafChunk[]): Promise<void> => storeLeaves(database, chunks),
);

/** The stored chunks of leaves with these hashes, in hex. */
export const readLeaves = verb(
  { pool: 'short', repeatable: true },
  (database: Database, hashes: readonly string[]): Promise<LeafChunk[]> => {
    return query<LeafChunk>(
      database,
      { hash: bytes, content: bytes },
      'SELECT hash, content FROM plan_leaves WHERE hash = ANY(?::bytea[])',
      [bytesLiteral(hashes.map((hash) => Buffer.from(hash, 'hex')))],
    );
  },
);

/** The records of rows, by row. */
export const readRecords = verb(
  { pool: 'short', repeatable: true },
  async (
    database: Database,
    batchId: string,
    rows: readonly number[],
  ): Promise<ReadonlyMap<number, NormalisedRecord>> => {
    const found = await query(
      database,
      { row: int4, record: json<NormalisedRecord>() },
      `SELECT g.row_number AS row, i.record FROM unnest(?::int[]) AS g (row_number)
       CROSS JOIN LATERAL (SELECT record FROM row_inputs
         WHERE batch_id = ? AND row_number = g.row_number ${asFence}) i`,
      [numbersLiteral(rows), batchId],
    );
    return new Map(found.map(({ row, record }) => [row, record]));
  },
);

/** What the ledger has of an object that a row created. */
export interface CreationEvidence {
  readonly objectId: string;
  /** Null where the payee type of its row is not known. */
  readonly resource: string | null;
  readonly record: NormalisedRecord;
  /** The request of its row; null where it has none. */
  readonly body: Buffer | null;
  /** The API's answer that names the object; null where it was not kept. */
  readonly answer: string | null;
  /** Whether an answer, a person or a run log names this object for the row. */
  readonly isRecorded: boolean;
}

/** What shows that rows of a batch's environment created objects with these ids. */
export const readCreationEvidence = verb(
  { pool: 'short', repeatable: true },
  (
    database: Database,
    batchId: string,
    kind: Kind,
    objectIds: readonly string[],
  ): Promise<CreationEvidence[]> => {
    return query<CreationEvidence>(
      database,
      {
        objectId: text,
        resource: orNull(text),
        record: json(),
        body: orNull(bytes),
        answer: orNull(text),
        isRecorded: bool,
      },
      `SELECT r.object_id AS "objectId", r.resource, i.record, q.body, a.answer,
         a.is_there IS TRUE
           OR EXISTS (SELECT FROM verdicts WHERE batch_id = r.batch_id AND row_number = r.row_number
             AND object_id = r.object_id)
           OR EXISTS (SELECT FROM late_creations WHERE batch_id = r.batch_id AND row_number = r.row_number
             AND object_id = r.object_id) AS "isRecorded"
       FROM (SELECT environment_id FROM batches WHERE id = ?) b
       CROSS JOIN LATERAL (SELECT f.batch_id, f.row_number, f.object_id, s.resource, s.generation
         FROM created_objects f JOIN row_states s USING (batch_id, row_number)
         WHERE f.environment_id = b.environment_id AND f.kind = ? AND f.object_id = ANY(?::text[]) ${asFence}) r
       ${inputOf('r')} ${requestOf('r')}
       LEFT JOIN LATERAL (SELECT true AS is_there, answer FROM attempts
         WHERE batch_id = r.batch_id AND row_number = r.row_number AND outcome = 'created' AND object_id = r.object_id
         ORDER BY answer IS NULL, number DESC LIMIT 1) a ON true`,
      [batchId, kind, objectIds],
    );
  },
);
