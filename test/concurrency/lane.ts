import { hostname } from 'node:os';
import pg from 'pg';
import { thisOwner } from '../../src/ledger/connection/folder-lock.ts';
import { createRandom, type Random } from '../simulation/random.ts';
import { type BatchPlan, banks } from './batch-plan.ts';
import { setClock } from './fast-time.ts';
import { openSeat, Program, type Seat } from './program.ts';
import { Progress } from './progress.ts';
import { TruthApi } from './truth-api.ts';
import type { World } from './world.ts';
import type { WorldServer } from './world-server.ts';

/** One database with places for programs, on which one schedule after the other happens. */
export interface Lane {
  readonly databaseUrl: string;
  readonly administer: (sql: string, values?: readonly unknown[]) => Promise<pg.QueryResult>;
  /** Starts a program on a place of its own. */
  readonly openProgram: (name: string, random: Random) => Promise<Program>;
  /** Frees all places for the next schedule. */
  readonly clear: () => void;
  /** Kills whatever may still live there. */
  readonly abandon: () => void;
  readonly close: () => Promise<void>;
}

export async function openLane(world: WorldServer): Promise<Lane> {
  const databaseUrl = await world.createDatabase();
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 3 });
  pool.on('error', () => {});
  const seats: Seat[] = [];
  const programs: Program[] = [];
  let taken = 0;
  const administer: Lane['administer'] = (sql, values = []) => pool.query(sql, [...values]);
  return {
    databaseUrl,
    administer,
    openProgram: async (name, random) => {
      const at = taken;
      taken += 1;
      seats[at] ??= await openSeat(databaseUrl, async (sql) => {
        // A server that is away carries nothing out.
        await administer(sql).catch(() => {});
      });
      const program = new Program(name, random, seats[at]);
      programs.push(program);
      return program;
    },
    clear: () => {
      taken = 0;
      programs.splice(0);
    },
    abandon: () => {
      for (const program of programs) program.kill();
    },
    close: async () => {
      for (const seat of seats) await seat.close();
      await pool.end();
    },
  };
}

export interface WorldOptions {
  /** Decides all chance of this world. */
  readonly seed: number;
  readonly plan: BatchPlan;
  /** Whether all programs are of one host, so that one sees of another that it is gone; else leases decide. */
  readonly isOneHost?: boolean;
  readonly keyLifetimeInMs?: number;
  readonly rowsPerPreparation?: number;
  readonly rowsPerClaim?: number;
}

const dayInMs = 86_400_000;

export function createWorld(lane: Lane, options: WorldOptions): World {
  const began = performance.now();
  const trace: string[] = [];
  const seeds = createRandom(options.seed);
  return {
    api: new TruthApi(banks),
    progress: new Progress(),
    plan: options.plan,
    log: [],
    files: null,
    ends: [],
    goneRuns: [],
    violations: [],
    trace,
    apiFaultOf: () => null,
    note: (text) => trace.push(`${(performance.now() - began).toFixed(0).padStart(6)} ms  ${text}`),
    markProcessGone: async (runId) => {
      if (options.isOneHost === false) return;
      // Where the server is away, that is done again before anybody relies on it.
      await lane
        .administer('UPDATE runs SET owner_process = $1 WHERE id = $2', [goneProcess(), runId])
        .catch(() => {});
    },
    newRandom: () => createRandom(seeds.whole(1, 4_000_000_000)),
    keyLifetimeInMs: options.keyLifetimeInMs ?? dayInMs,
    rowsPerPreparation: options.rowsPerPreparation ?? 1_000,
    rowsPerClaim: options.rowsPerClaim ?? 1_000,
  };
}

/** A process of this host that does not exist: no process id is as large. */
function goneProcess(): string {
  const { host, process: own } = thisOwner();
  if (host !== hostname()) throw new Error('this program is on another host');
  return own.replace(/^\d+/, '9999999');
}

/** Sets the database's clock off the true one, in milliseconds of the world's time. */
export async function moveClock(lane: Lane, shiftInMs: number): Promise<void> {
  await lane.administer(setClock(shiftInMs));
}

/** As if the database were gone for good, and a new one in its place. */
export async function loseLedger(lane: Lane): Promise<void> {
  await lane.administer(`DO $$ BEGIN SET LOCAL session_replication_role = replica; EXECUTE (
    SELECT 'TRUNCATE ' || string_agg(quote_ident(tablename), ', ') FROM pg_tables
    WHERE schemaname = 'public' AND tablename NOT LIKE 'knex%' AND tablename <> 'clock_shift'); END $$`);
}
