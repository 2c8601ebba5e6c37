import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../src/call/context.ts';
import { readSettings } from '../../../src/call/settings.ts';
import { answerOn } from '../../../src/cli/terminal/questions.ts';
import type { Terminal } from '../../../src/cli/terminal/terminal.ts';
import type { PlannedBatch } from '../../../src/send/batches/planning.ts';
import { confirmLive } from '../../../src/send/batches/preflight.ts';
import { type Desk, openDesk } from '../../support/cli-desk.ts';
import { csvOf, customers } from '../../support/cli-files.ts';
import { administer, createDurableDatabase } from '../../support/durable-database.ts';
import { answerOnTerminal, hasPseudoTerminal } from '../../support/terminal.ts';

interface LiveDesk {
  readonly desk: Desk;
  readonly env: Readonly<Record<string, string>>;
  readonly databaseUrl: string;
}

async function openLiveDesk(): Promise<LiveDesk> {
  const desk = await openDesk();
  const databaseUrl = await createDurableDatabase();
  const env = {
    PAYBATCH_MODE: 'live',
    PAYBATCH_API_KEY: desk.sandbox.apiKeys.live,
    DATABASE_URL: databaseUrl,
  };
  await desk.write('people.csv', csvOf(customers(2)));
  return { desk, env, databaseUrl };
}

function liveCustomers(desk: Desk): number {
  return desk.sandbox.counts().live.created.customers;
}

describe('a live run without a terminal', () => {
  it('needs --yes or --plan-hash, and writes the files all the same', async () => {
    const { desk, env } = await openLiveDesk();
    const { exitCode, summary } = await desk.json(['import', 'people.csv'], { env });
    expect(exitCode).toBe(2);
    expect(summary.error).toMatchObject({ code: 'live_not_confirmed' });
    expect((await desk.results()).map((row) => row['result_status'])).toEqual(['not_sent', 'not_sent']);
    expect(liveCustomers(desk)).toBe(0);
  });

  it('goes ahead with the hash of the plan', async () => {
    const { desk, env } = await openLiveDesk();
    const planned = await desk.json(['plan', 'people.csv'], { env });
    const hash = planned.summary.batches[0]?.plan_hash ?? '';
    const refused = await desk.run(['import', 'people.csv', '--plan-hash', '0'.repeat(64)], { env });
    expect([refused.exitCode, liveCustomers(desk)]).toEqual([3, 0]);
    const sent = await desk.run(['import', 'people.csv', '--plan-hash', hash], { env });
    expect([sent.exitCode, liveCustomers(desk)]).toEqual([0, 2]);
  });
});

describe('a live run', () => {
  it('refuses a database with fsync off', async () => {
    const { desk, env } = await openLiveDesk();
    const used = { ...env, DATABASE_URL: desk.databaseUrl ?? '' };
    const { exitCode, summary } = await desk.json(['import', 'people.csv', '--yes'], { env: used });
    expect(exitCode).toBe(2);
    expect(summary.error).toMatchObject({ code: 'database_not_durable' });
    expect(summary.error?.message).toContain('fsync');
    expect(liveCustomers(desk)).toBe(0);
  });

  it('turns synchronous_commit on for itself where a database has it off', async () => {
    const { desk, env, databaseUrl } = await openLiveDesk();
    const name = new URL(databaseUrl).pathname.slice(1);
    await administer(databaseUrl, `ALTER DATABASE ${name} SET synchronous_commit = off`);
    const { exitCode } = await desk.json(['import', 'people.csv', '--yes'], { env });
    expect([exitCode, liveCustomers(desk)]).toEqual([0, 2]);
  });

  it('refuses an API that is not encrypted', async () => {
    const { desk, env } = await openLiveDesk();
    const insecure = { ...env, PAYBATCH_BASE_URL: 'http://api.example.test' };
    const { exitCode, stderr } = await desk.run(['import', 'people.csv', '--yes'], { env: insecure });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('not encrypted');
  });
});

describe('the question before a live run', () => {
  const plan = { planHash: 'abc', rows: '{}', totals: { send: [group('KES', 2, '5100.00')], skip: [] } };
  const planned = [
    { own: { batch: { fileName: 'payees.csv', origin: 'https://api.example.test' } }, plan },
  ] as unknown as readonly PlannedBatch[];

  function group(currency: string, rows: number, amount: string) {
    return { resource: 'recipients/sepa', institution: null, currency, rows, rowsWithAmount: rows, amount };
  }

  /** Somebody sits at its terminal, and gives this answer. */
  function answering(answer: string, said: string[]): CallContext {
    const terminal = { useColour: false, complain: (text: string) => said.push(text) } as unknown as Terminal;
    const ask = answerOn(terminal, () => async () => answer);
    return { settings: readSettings({ mode: 'live' }), ask } as unknown as CallContext;
  }

  it.each(['yes', ' YES '])('is answered by %j, after the totals of the plan', async (answer) => {
    const said: string[] = [];
    await confirmLive(answering(answer, said), planned);
    expect(said.join('\n')).toContain('LIVE: about to send 2 rows of payees.csv to https://api.example.test');
    expect(said.join('\n')).toMatch(/sepa +KES +2 +5,100\.00\n +all +KES +2 +5,100\.00/);
    expect(said.join('\n')).toContain('plan hash  abc');
  });

  it('says that nothing proves that its key is a live one', async () => {
    const said: string[] = [];
    await confirmLive(answering('yes', said), planned, undefined, async () => '0123456789abcdef');
    expect(said.join('\n')).toContain('LIVE if its key is: about to send 2 rows');
  });

  it.each(['', 'y', 'no', 'yes please'])('reads %j as a no', async (answer) => {
    const asked = confirmLive(answering(answer, []), planned);
    await expect(asked).rejects.toMatchObject({ kind: 'usage', code: 'live_not_confirmed' });
  });

  it('is not asked when there is nothing to send', async () => {
    const nothing = planned.map((batch) => ({ ...batch, plan: { ...plan, totals: { send: [], skip: [] } } }));
    await confirmLive(answering('no', []), nothing);
  });

  it.runIf(hasPseudoTerminal)('is asked on a real terminal', async () => {
    const { desk, env } = await openLiveDesk();
    const place = { cwd: desk.folder, env: { ...desk.env, ...env } };
    for (const [answer, exitCode, created] of [
      ['no', 2, 0],
      ['\u0004', 2, 0],
      ['yes', 0, 2],
    ] as const) {
      const end = await answerOnTerminal(['import', 'people.csv'], place, `${answer}\r`);
      expect(end.output).toContain('about to send 2 rows of people.csv');
      expect([end.exitCode, liveCustomers(desk)], end.output).toEqual([exitCode, created]);
    }
  });
});
