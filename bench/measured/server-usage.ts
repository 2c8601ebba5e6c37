import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

const ticksPerSecond = 100;

/** What `/proc/PID/stat` says of a process (on Linux only). */
interface ProcessTimes {
  readonly parent: number;
  /** In user and system mode, in ticks. */
  readonly own: number;
  /** The same of its children that have ended. */
  readonly ofEnded: number;
}

async function timesOf(pid: string): Promise<ProcessTimes | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return { parent: fields[1] ?? 0, own: user + system, ofEnded: endedUser + endedSystem };
  } catch {
    return null;
  }
}

/** The processor time that a program has used so far. */
export async function processorSecondsOf(pid: number | undefined): Promise<number> {
  return ((await timesOf(String(pid)))?.own ?? Number.NaN) / ticksPerSecond;
}

/**
 * The processor time that a PostgreSQL server on this machine has used so far, in all of its processes, once no other
 * client is connected: what a backend has used is known for sure when it has ended.
 * @param client an open connection to it
 */
export async function serverProcessorSeconds(client: pg.Client): Promise<number> {
  for (;;) {
    const { rows } = await client.query(
      `SELECT count(*)::int AS others FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    );
    if (rows[0].others === 0) break;
    await sleep(50);
  }
  return serverProcessorSecondsNow(client);
}

/** The same at once, while others are connected: a backend that ends meanwhile may be missed. */
export async function serverProcessorSecondsNow(client: pg.Client): Promise<number> {
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const server = (await timesOf(String(rows[0].pid)))?.parent;
  if (server === undefined) throw new Error('the server is not on this machine');
  let ticks = 0;
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const times = await timesOf(name);
    if (times === null) continue;
    if (Number(name) === server) ticks += times.own + times.ofEnded;
    else if (times.parent === server) ticks += times.own;
  }
  return ticks / ticksPerSecond;
}
