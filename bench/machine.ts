import { cpus, loadavg } from 'node:os';
import pg from 'pg';

/** What the figures depend on, in a few lines, with a warning when others use the machine as well. */
export async function describeMachine(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(
    `SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync,
       current_setting('synchronous_commit') AS commit, current_setting('full_page_writes') AS pages`,
  );
  await client.end();
  const { version, fsync, commit, pages } = rows[0];
  const cores = cpus().length;
  const [load = 0] = loadavg();
  const lines = [
    `${cores} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}, PostgreSQL ${version}`,
    `fsync ${fsync}, synchronous_commit ${commit}, full_page_writes ${pages}; load average ${load.toFixed(1)}`,
  ];
  if (load > cores / 2) {
    lines.push('WARNING: others use this machine now. Absolute figures mean nothing, and ratios are noisy.');
  }
  return lines.join('\n');
}
