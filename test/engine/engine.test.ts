import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { type CallEvent, Engine } from '../../src/index.ts';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';
import { configOfDesk, openEngine } from '../support/engine.ts';

async function fileOf(desk: Desk, name: string, rows: number): Promise<string> {
  const own = customers(rows).map((row, at) => ({ ...row, external_id: `${name}-${at}` }));
  return join(desk.folder, await desk.write(`${name}.csv`, csvOf(own)));
}

describe.each(inject('ledgers'))('an engine on the %s ledger', (ledger) => {
  it('serves many calls at a time, each with its own events and settings', async () => {
    const desk = await openDesk({ ledger });
    const engine = await openEngine(configOfDesk(desk));
    const names = ['one', 'two', 'three', 'four'];
    const events = new Map<string, CallEvent[]>();
    const imports = names.map(async (name, at) => {
      const file = await fileOf(desk, name, 5 + at);
      const own: CallEvent[] = [];
      events.set(name, own);
      const request = { files: [file], output: { out: join(desk.folder, name) } };
      return engine.import(request, { report: (event) => own.push(event) }).result;
    });
    const looks = names.map(() => engine.status({}).result);
    const ended = await Promise.all(imports);
    await Promise.all(looks);
    expect(ended.map(({ batches }) => batches[0]?.counts.created)).toEqual([5, 6, 7, 8]);
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(26);
    for (const [at, name] of names.entries()) {
      const subjects = (events.get(name) ?? []).flatMap((event) =>
        event.kind === 'step.started' ? [event.about ?? ''] : [],
      );
      expect(subjects.join(), name).toContain(`${name}.csv`);
      expect(
        subjects.filter((about) => names.some((other) => other !== name && about.includes(`${other}.csv`))),
      ).toEqual([]);
      expect(existsSync(join(desk.folder, name)), String(at)).toBe(true);
    }
    expect((await engine.status({}).result).batches).toHaveLength(4);
  });

  it('creates every row once when the same file is imported by several calls at a time', async () => {
    const desk = await openDesk({ ledger });
    const engine = await openEngine(configOfDesk(desk));
    const files = [await fileOf(desk, 'same', 40)];
    const ends = await Promise.allSettled([1, 2, 3].map(() => engine.import({ files }).result));
    expect(ends.some(({ status }) => status === 'fulfilled')).toBe(true);
    for (const end of ends) {
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'batch_held' });
    }
    expect((await engine.import({ files }).result).outcome).toBe('done');
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(40);
  });

  it('stops its calls when it is closed, and refuses later ones', async () => {
    const desk = await openDesk({ ledger });
    const engine = await openEngine({ ...configOfDesk(desk), sending: { rate: 20 } });
    const run = engine.import({ files: [await fileOf(desk, 'long', 400)] });
    for await (const event of run.events) {
      if (event.kind === 'step.advanced' && event.outcomes !== undefined) break;
    }
    await engine.close();
    const { outcome, batches } = await run.result;
    expect(outcome).toBe('stopped');
    expect(batches[0]?.counts.unknown ?? 0).toBe(0);
    await expect(engine.status({}).result).rejects.toMatchObject({ code: 'engine_closed' });
    const next = await openEngine(configOfDesk(desk));
    expect((await next.resume({}).result).outcome).toBe('done');
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(400);
  });

  it('records who asked', async () => {
    const desk = await openDesk({ ledger });
    const engine = await openEngine(configOfDesk(desk));
    const { batches } = await engine.import({ files: [await fileOf(desk, 'asked', 2)] }).result;
    const batch = batches[0]?.id ?? '';
    const actor = { name: 'amina@example.test', channel: 'console' };
    const request = { batch, against: [], rules: {}, replay: false };
    await engine.reconcile(request, { actor }).result;
    const written = await engine.results({ batch }).result;
    const report = await readFile(written.batches[0]?.files.report ?? '', 'utf8');
    expect(report).toContain('made by amina@example.test');
  });
});

it('opens its ledger at once if there is one, and says what is wrong with it', async () => {
  const desk = await openDesk({ ledger: 'embedded' });
  const first = await openEngine(configOfDesk(desk));
  await first.import({ files: [await fileOf(desk, 'first', 1)] }).result;
  await expect(Engine.open(configOfDesk(desk))).rejects.toMatchObject({ code: 'ledger_locked' });
});

it('continues once the embedded ledger can be opened again', async () => {
  const desk = await openDesk({ ledger: 'embedded' });
  const ledgerDir = desk.env['PAYBATCH_LEDGER_DIR'] ?? '';
  await rm(ledgerDir, { recursive: true, force: true });
  await writeFile(ledgerDir, 'in the way');
  const engine = await openEngine(configOfDesk(desk));
  const files = [await fileOf(desk, 'later', 1)];
  await expect(engine.import({ files }).result).rejects.toMatchObject({ code: 'ledger_unreadable' });
  await rm(ledgerDir);
  await mkdir(ledgerDir);
  expect((await engine.import({ files }).result).outcome).toBe('done');
});

it('accepts no other API or ledger for one call', async () => {
  const desk = await openDesk();
  const engine = await openEngine(configOfDesk(desk));
  const request = { batch: undefined, api: { mode: 'live' } };
  await expect(engine.status(request).result).rejects.toMatchObject({ code: 'option_invalid' });
});
