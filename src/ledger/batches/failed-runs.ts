/* Runs that failed without a batch to tell it: noted, made good by later ones, and listed. */

import type { FailedRun, RunFailure } from '../../domain/batches/batch-facts.ts';
import { thisOwner } from '../connection/folder-lock.ts';
import { type Database, execute, int4, isoUtc, json, orNull, query, text, verb, word } from '../query/sql.ts';

/** A failure, and what tells it from others of its target. */
export interface FailureToNote extends RunFailure {
  readonly subject: string;
}

/** Failures of one run. */
export interface FailuresToNote {
  /** Mode and address of the API as the settings name them. */
  readonly target: string;
  readonly command: string;
  readonly actor: { readonly name: string; readonly door: string };
  readonly failures: readonly FailureToNote[];
}

/** A run names so many files at most, and a sentence has so many characters. */
const [mostFailures, mostCharacters] = [1_000, 4_000];

/** What nobody has tried again for so long is forgotten. */
const forgottenAfter = "interval '90 days'";

/** What PostgreSQL stores as text: names of files and titles in sentences come from outside. */
function storable(value: string): string {
  return value.replace(/[\0\p{Cs}]/gu, '\uFFFD');
}

const columns = `file, command, outcome, code, message, remedies, started_by AS "startedBy", door, owner_host AS host,
  ${isoUtc('first_at')} AS since, ${isoUtc('last_at')} AS "lastAt", times`;

const row = {
  file: orNull(text),
  command: text,
  outcome: word<FailedRun['outcome']>(),
  code: text,
  message: text,
  remedies: json<FailedRun['remedies']>(),
  startedBy: text,
  door: text,
  host: text,
  since: text,
  lastAt: text,
  times: int4,
};

/**
 * Notes what a run failed with. What failed before is the same matter once more.
 * @returns all of these, in no particular order, with since when they have failed
 */
export const noteFailedRun = verb(
  { pool: 'short', repeatable: false },
  async (database: Database, { target, command, actor, failures }: FailuresToNote): Promise<FailedRun[]> => {
    await execute(database, `DELETE FROM failed_runs WHERE last_at < now() - ${forgottenAfter}`, []);
    const noted = failures
      .slice(0, mostFailures)
      .map((failure) => ({ ...failure, message: failure.message.slice(0, mostCharacters) }));
    const document = JSON.stringify(noted, (_, value) =>
      typeof value === 'string' ? storable(value) : value,
    );
    return query<FailedRun>(
      database,
      row,
      `INSERT INTO failed_runs (target, subject, file, command, outcome, code, message, remedies, started_by, door, owner_host)
       SELECT DISTINCT ON (f->>'subject') ?, f->>'subject', f->>'file', ?, f->>'outcome', f->>'code', f->>'message',
         f->'remedies', ?, ?, ? FROM jsonb_array_elements(?::jsonb) f
       ON CONFLICT (target, subject) DO UPDATE SET file = excluded.file, command = excluded.command,
         outcome = excluded.outcome, code = excluded.code, message = excluded.message, remedies = excluded.remedies,
         started_by = excluded.started_by, door = excluded.door, owner_host = excluded.owner_host,
         last_at = now(), times = failed_runs.times + 1
       RETURNING ${columns}`,
      [target, command, actor.name, actor.door, thisOwner().host, document],
    );
  },
);

/** What a run has made good. */
export interface RunsMadeGood {
  /** Its own, and those of settings that name no API. */
  readonly targets: readonly string[];
  /** Files that were taken in, by their subjects. */
  readonly subjects: readonly string[];
  /** By what command the failures of whole runs came, where the run as a whole came to its end; empty otherwise. */
  readonly commands: readonly string[];
  /** Whether the API has taken the key. */
  readonly isKeyTaken: boolean;
}

/** Removes what a run has made good. */
export const settleFailedRuns = verb(
  { pool: 'short', repeatable: true },
  async (database: Database, { targets, subjects, commands, isKeyTaken }: RunsMadeGood): Promise<void> => {
    await execute(
      database,
      `DELETE FROM failed_runs WHERE target = ANY(?::text[]) AND (subject = ANY(?::text[])
         OR (file IS NULL AND command = ANY(?::text[]) AND (?::boolean OR outcome <> 'credentials_refused')))`,
      [targets, subjects.map(storable), commands, isKeyTaken],
    );
  },
);

/** Those that failed within the last days, the last ones first; at most `limit`. */
export const listFailedRuns = verb(
  { pool: 'short', repeatable: true },
  (database: Database, { days, limit }: { readonly days: number; readonly limit: number }) => {
    return query<FailedRun>(
      database,
      row,
      `SELECT ${columns} FROM failed_runs WHERE last_at > now() - ? * interval '1 day'
       ORDER BY failed_runs.last_at DESC, id DESC LIMIT ?`,
      [days, limit],
    );
  },
);
