/* Runs that failed without a batch to record the failure: they are stored, removed after a later success, and listed. */

import type { Knex } from 'knex';
import type { FailedRun, RunFailure } from '../../domain/batches/batch-facts.ts';
import { plainText } from '../../domain/settings/message.ts';
import { type ActorOfEvent, asActor } from '../audit/events.ts';
import { thisOwner } from '../connection/folder-lock.ts';
import * as sql from '../query/sql.ts';

/** A failure, with its identifier among the failures of its target. */
export interface FailureToNote extends RunFailure {
  readonly subject: string;
}

/** The failures of one run. */
interface FailuresToNote {
  /** The mode and address of the API, as in the settings. */
  readonly target: string;
  readonly command: string;
  readonly actor: ActorOfEvent;
  readonly failures: readonly FailureToNote[];
}

/** The maximum number of files that a run names, and of characters in a sentence. */
const [mostFailures, mostCharacters] = [1_000, 4_000];

/** A failure that has not occurred again for this long is deleted. */
const forgottenAfter = "interval '90 days'";

/** Text that PostgreSQL can store. File names and titles come from outside and may contain other characters. */
function storable(value: string): string {
  return value.replace(/[\0\p{Cs}]/gu, '\uFFFD');
}

const columns = `id, file, command, outcome, code, message, remedies, started_by AS "startedBy", channel, owner_host AS host,
  ${sql.isoUtc('first_at')} AS since, ${sql.isoUtc('last_at')} AS "lastAt", times`;

const row = {
  id: sql.int4,
  file: sql.orNull(sql.text),
  command: sql.text,
  outcome: sql.word<FailedRun['outcome']>(),
  code: sql.text,
  message: sql.json<FailedRun['message']>(),
  remedies: sql.json<FailedRun['remedies']>(),
  startedBy: sql.text,
  channel: sql.text,
  host: sql.text,
  since: sql.text,
  lastAt: sql.text,
  times: sql.int4,
};

/**
 * Stores the failures of a run. A failure that occurs again updates its earlier entry.
 * @returns all of these failures, in no particular order, with the time of their first occurrence
 */
export const noteFailedRun = sql.shortVerbOnce(
  async (
    database: sql.Database,
    { target, command, actor, failures }: FailuresToNote,
  ): Promise<FailedRun[]> => {
    await sql.execute(database, `DELETE FROM failed_runs WHERE last_at < now() - ${forgottenAfter}`, []);
    const noted = failures.slice(0, mostFailures).map(({ message, ...failure }) => {
      const text = plainText(message);
      const isShort = text.length <= mostCharacters;
      return { ...failure, message: isShort ? message : text.slice(0, mostCharacters) };
    });
    const document = JSON.stringify(noted, (_, value) =>
      typeof value === 'string' ? storable(value) : value,
    );
    return sql.query<FailedRun>(
      database,
      row,
      `INSERT INTO failed_runs (target, subject, file, command, outcome, code, message, remedies, started_by, channel, owner_host)
       SELECT DISTINCT ON (f->>'subject') ?, f->>'subject', f->>'file', ?, f->>'outcome', f->>'code', f->'message',
         f->'remedies', ?, ?, ? FROM jsonb_array_elements(?::jsonb) f
       ON CONFLICT (target, subject) DO UPDATE SET file = excluded.file, command = excluded.command,
         outcome = excluded.outcome, code = excluded.code, message = excluded.message, remedies = excluded.remedies,
         started_by = excluded.started_by, channel = excluded.channel, owner_host = excluded.owner_host,
         last_at = now(), times = failed_runs.times + 1, put_away_by = NULL, put_away_at = NULL
       RETURNING ${columns}`,
      [target, command, actor.name, actor.channel, thisOwner().host, document],
    );
  },
);

/** The failures that a run has made good. */
interface RunsMadeGood {
  /** The run's own target, and the target of settings without an API. */
  readonly targets: readonly string[];
  /** The imported files, by their subjects. */
  readonly subjects: readonly string[];
  /** The command whose failures of a whole run are removed, if the run as a whole completed; else empty. */
  readonly commands: readonly string[];
  /** Whether the API has accepted the key. */
  readonly isKeyTaken: boolean;
}

/** Removes the failures that a run has made good. */
export const settleFailedRuns = sql.shortVerb(
  (database: sql.Database, { targets, subjects, commands, isKeyTaken }: RunsMadeGood): Promise<void> =>
    sql.run(
      database,
      `DELETE FROM failed_runs WHERE target = ANY(?::text[]) AND (subject = ANY(?::text[])
         OR (file IS NULL AND command = ANY(?::text[]) AND (?::boolean OR outcome <> 'credentials_refused')))`,
      [targets, subjects.map(storable), commands, isKeyTaken],
    ),
);

/** A failure by its id, or the failure of an uploaded file by the file's name. */
export type FailureToPutAway = { readonly id: number } | { readonly upload: string };

/** Records that a person has seen a failure and has nothing left to do about it. @returns whether the failure was listed */
export const putAwayFailedRun = sql.shortVerb(
  (database: Knex, which: FailureToPutAway, by: ActorOfEvent): Promise<boolean> => {
    const { condition, binding } =
      'id' in which
        ? { condition: 'id = ?', binding: which.id }
        : { condition: "channel = 'console' AND file = ?", binding: storable(which.upload) };
    return asActor(database, by, (transaction) =>
      sql.changesAny(
        transaction,
        `UPDATE failed_runs SET put_away_by = ?, put_away_at = now() WHERE put_away_at IS NULL AND ${condition}`,
        [by.name, binding],
      ),
    );
  },
);

/** The failures of the last days that people have not put away, the latest first; at most `limit`. */
export const listFailedRuns = sql.shortVerb(
  (database: sql.Database, { days, limit }: { readonly days: number; readonly limit: number }) =>
    sql.query<FailedRun>(
      database,
      row,
      `SELECT ${columns} FROM failed_runs WHERE last_at > now() - ? * interval '1 day' AND put_away_at IS NULL
       ORDER BY failed_runs.last_at DESC, id DESC LIMIT ?`,
      [days, limit],
    ),
);
