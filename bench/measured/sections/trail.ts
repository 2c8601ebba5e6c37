import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { withApi } from '../api-program.ts';
import { startCommand } from '../command.ts';
import { writeCustomersFile } from '../customers-file.ts';
import { atMost, type Figures, interleave, median, type Report } from '../rounds.ts';
import { startSandboxProgram } from '../sandbox-program.ts';
import { runSection, type SectionOptions } from '../section.ts';
import { serverProcessorSeconds } from '../server-usage.ts';
import { watchProgram } from '../watched-program.ts';

const connections = 64;
/** The time of either one alone varies more from round to round than the trail takes. */
const ofBoth = 'processor time of both';

/** What one import has used. */
interface Used {
  /** Microseconds of the processor for a row. */
  readonly program: number;
  readonly server: number;
  /** Of the functions that write the trail, in the whole import. */
  readonly trail: TrailTime;
}

/** How often the functions of the trail were called, and how long they took without what they call. */
interface TrailTime {
  readonly calls: number;
  readonly inMs: number;
}

/** A whole import with the triggers that write the audit trail, and without them. */
async function trail({ databaseUrl, rounds, rows }: SectionOptions): Promise<Report[]> {
  const folder = await mkdtemp(join(tmpdir(), 'paybatch-bench-'));
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows: names } = await client.query('SELECT current_database() AS name');
  await client.query(`ALTER DATABASE ${names[0].name} SET track_functions = 'all'`);
  const used = new Map<string, Used[]>();
  try {
    return await withApi(startSandboxProgram, async (api) => {
      const side = (name: string, isOn: boolean) => ({
        name,
        measure: async () => {
          await switchTrail(client, isOn);
          const input = join(folder, 'customers.csv');
          // The same customers again would be the same objects.
          await writeCustomersFile(input, rows, `${randomUUID()}-`);
          await client.query('CHECKPOINT');
          const before = await serverProcessorSeconds(client);
          const trailBefore = await trailTime(client);
          const words = ['import', input, '--base-url', api.url.origin, '--concurrency', String(connections)];
          const { seconds, processorSeconds } = await watchProgram(
            startCommand(words, { folder, apiKey: api.apiKey, databaseUrl }),
          );
          const server = (await serverProcessorSeconds(client)) - before;
          const perRow = (inSeconds: number): number => (inSeconds / rows) * 1_000_000;
          const { calls, inMs } = await trailTime(client);
          const ofTrail = { calls: calls - trailBefore.calls, inMs: inMs - trailBefore.inMs };
          const now = { program: perRow(processorSeconds), server: perRow(server), trail: ofTrail };
          used.set(name, [...(used.get(name) ?? []), now]);
          return rows / seconds;
        },
      });
      // The first of them fills caches.
      const figures = await interleave(rounds, [side('without the trail', false), side('with it', true)], 1);
      const conditions = `${rows} customers, ${connections} requests at a time to the sandbox`;
      const of = (what: (used: Used) => number): Figures[] =>
        figures.map(({ name }) => ({ name, values: (used.get(name) ?? []).slice(1).map(what) }));
      const report = (what: string, unit: string, sides: readonly Figures[]): Report => {
        const [without, beside] = sides.map(({ values }) => median(values));
        const ratio = (beside ?? Number.NaN) / (without ?? Number.NaN);
        const ratios = what === ofBoth ? [atMost(1.05, 'with, over without', ratio)] : [];
        return { title: `import and its audit trail: ${what}`, unit, figures: sides, ratios, conditions };
      };
      return [
        report('from start to end', 'rows/s', figures),
        report(
          'processor time of the program',
          'µs a row',
          of(({ program }) => program),
        ),
        report(
          'processor time of the server',
          'µs a row',
          of(({ server }) => server),
        ),
        report(
          ofBoth,
          'µs a row',
          of(({ program, server }) => program + server),
        ),
        report(
          'calls of its functions',
          'calls',
          of(({ trail }) => trail.calls),
        ),
        report(
          'time in its functions',
          'ms',
          of(({ trail }) => trail.inMs),
        ),
      ];
    });
  } finally {
    await client.end();
    await rm(folder, { recursive: true, force: true });
  }
}

async function trailTime(client: pg.Client): Promise<TrailTime> {
  const { rows } = await client.query(
    `SELECT coalesce(sum(calls), 0)::int AS calls, coalesce(sum(self_time), 0)::float8 AS "inMs"
     FROM pg_stat_user_functions WHERE funcname LIKE 'audit\\_%'`,
  );
  return rows[0];
}

/** Switches the triggers that write events on or off: all that call a function of the trail. */
async function switchTrail(client: pg.Client, isOn: boolean): Promise<void> {
  const { rows } = await client.query(
    `SELECT format('ALTER TABLE %s ${isOn ? 'ENABLE' : 'DISABLE'} TRIGGER %I', t.tgrelid::regclass, t.tgname) AS sql
     FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
     WHERE p.proname LIKE 'audit\\_%' AND t.tgrelid NOT IN ('audit_events'::regclass, 'audit_inbox'::regclass)`,
  );
  if (rows.length === 0) throw new Error('the trail has no triggers');
  for (const { sql } of rows) await client.query(sql);
}

await runSection(trail);
