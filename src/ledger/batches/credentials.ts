import type { Mode } from '../../domain/batches/environment.ts';
import { type Database, execute, query } from '../query/sql.ts';

/** The mode in which an API key was first used with this ledger; undefined when it was not yet. */
export async function findCredentialMode(database: Database, fingerprint: string): Promise<Mode | undefined> {
  const [known] = await query<{ mode: Mode }>(
    database,
    'SELECT mode FROM credentials WHERE fingerprint = ?',
    [fingerprint],
  );
  return known?.mode;
}

/** Notes that the API took a key in this mode; the first mode that is noted stays. */
export async function noteCredential(database: Database, fingerprint: string, mode: Mode): Promise<void> {
  await execute(
    database,
    'INSERT INTO credentials (fingerprint, mode) VALUES (?, ?) ON CONFLICT DO NOTHING',
    [fingerprint, mode],
  );
}
