/* A sandbox key in the place of the live one: what it created is taken back by one command, and sent again once. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { credentialFingerprint } from '../../../src/call/settings.ts';
import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import type { FaultName } from '../../../src/sandbox/faults.ts';
import { type Desk, type JsonEnd, openDesk } from '../../support/cli-desk.ts';
import { csvOf, customers, recipient } from '../../support/cli-files.ts';
import { proposePolicy, testRule } from '../../support/controls.ts';
import { createDurableDatabase } from '../../support/durable-database.ts';
import { executeByHand } from '../../support/ledger-rows.ts';
import { answerOnTerminal, hasPseudoTerminal } from '../../support/terminal.ts';
import { addTestUser, passphrase, type TestUser } from '../../support/user-key.ts';

type Env = Readonly<Record<string, string>>;

interface WrongDesk {
  readonly desk: Desk;
  /** The sandbox key as the live one, and the right key. */
  readonly wrong: Env;
  readonly right: Env;
  readonly fingerprint: string;
  readonly fault: (name?: FaultName) => void;
  readonly people: string;
  readonly payees: string;
  readonly import: (env: Env, ...files: readonly string[]) => Promise<JsonEnd>;
  readonly disown: (...words: readonly string[]) => Promise<JsonEnd>;
  /** Customers and recipients that were created live, then in the sandbox. */
  readonly created: () => readonly number[];
}

async function openWrongDesk(): Promise<WrongDesk> {
  let fault: FaultName | undefined;
  let requests = 0;
  const desk = await openDesk({
    ledger: 'durable',
    onRequest: ({ method }) => {
      if (method !== 'POST') return undefined;
      requests += 1;
      return requests > 1 ? fault : undefined;
    },
  });
  const { live, sandbox } = desk.sandbox.apiKeys;
  const wrong = { PAYBATCH_MODE: 'live', PAYBATCH_API_KEY: sandbox };
  const right = { PAYBATCH_MODE: 'live', PAYBATCH_API_KEY: live };
  const fingerprint = credentialFingerprint(sandbox);
  return {
    ...{ desk, wrong, right, fingerprint },
    fault: (name) => {
      fault = name;
      requests = 0;
    },
    people: await desk.write('people.csv', csvOf(customers(2))),
    payees: await desk.write('payees.csv', csvOf([recipient(1), recipient(2)])),
    import: (env, ...files) => desk.json(['import', ...files, '--yes'], { env }),
    disown: (...words) =>
      desk.json(['disown', fingerprint, '--note', 'the dashboard shows another', ...words], { env: right }),
    created: () =>
      Object.values(desk.sandbox.counts()).flatMap((of) =>
        'created' in of ? [of.created.customers, of.created.external_accounts] : [],
      ),
  };
}

const countsOf = ({ summary }: JsonEnd): unknown[] => summary.batches.map(({ counts }) => counts);
const refused = (end: JsonEnd): unknown[] => [end.exitCode, end.summary.error?.code];
const allCreated = [{ created: 2 }, { created: 2 }];
const allUnsent = [{ not_sent: 2 }, { not_sent: 2 }];

describe('a key that turns out to be a sandbox key', () => {
  it('is disowned, and its rows are sent again once, with what refers to them', async () => {
    const open = await openWrongDesk();
    const { desk, wrong, right, people, payees, fingerprint, created } = open;
    expect(countsOf(await open.import(wrong, people, payees))).toEqual(allCreated);
    expect(countsOf(await open.import(right, people, payees))).toEqual(allCreated);
    expect(created()).toEqual([2, 2, 0, 0]);

    const end = await open.disown('--yes');
    expect(end.exitCode).toBe(0);
    expect(end.summary).toMatchObject({
      disowned: { fingerprint, decided: 0, batches: [{ created: 2 }, { created: 2 }] },
    });
    expect(countsOf(end)).toEqual(allUnsent);
    expect(created()).toEqual([2, 2, 0, 0]);
    expect(refused(await open.import(wrong, people))).toEqual([2, 'api_key_of_other_mode']);

    expect(countsOf(await open.import(right, people, payees))).toEqual(allCreated);
    expect(created()).toEqual([2, 2, 2, 2]);
    expect((await open.import(right, people, payees)).exitCode).toBe(0);
    expect(created()).toEqual([2, 2, 2, 2]);
    // What the right key has created is not taken back, however often it is said.
    expect((await open.disown('--yes')).summary).toMatchObject({ disowned: { batches: [] } });
    expect(created()).toEqual([2, 2, 2, 2]);
    const verified = await desk.run(['audit', 'verify'], { env: right });
    expect([verified.exitCode, verified.stdout]).toEqual([0, expect.any(String)]);
  });

  it('leaves rows of the same batch that the right key has created', async () => {
    const open = await openWrongDesk();
    const { desk, wrong, right, people, created } = open;
    open.fault('401');
    expect(countsOf(await open.import(right, people))).toEqual([{ created: 1, not_sent: 1 }]);
    open.fault();
    const compared = { ...wrong, PAYBATCH_LIVE_KEY_FINGERPRINT: '' };
    expect(countsOf(await open.import(compared, people))).toEqual([{ created: 2 }]);
    expect(created()).toEqual([1, 0, 1, 0]);
    const end = await open.disown('--yes');
    expect(countsOf(end)).toEqual([{ created: 1, not_sent: 1 }]);
    expect(countsOf(await open.import(right, people))).toEqual([{ created: 2 }]);
    expect(created()).toEqual([1, 0, 2, 0]);
    expect((await desk.run(['audit', 'verify'], { env: right })).exitCode).toBe(0);
  });

  it('takes back rows of later files that were existing as its objects, and prepares unsent rows anew', async () => {
    const open = await openWrongDesk();
    const { desk, wrong, right, people, created } = open;
    await open.import(wrong, people);
    const later = await desk.write('later.csv', csvOf(customers(3)));
    open.fault('401');
    expect(countsOf(await open.import(right, later))).toEqual([{ created: 1, existing: 2 }]);
    open.fault();
    const end = await open.disown('--yes');
    expect(end.summary).toMatchObject({
      disowned: { batches: expect.arrayContaining([expect.objectContaining({ existing: 2, created: 0 })]) },
    });
    expect(countsOf(await open.import(right, later))).toEqual([{ created: 3 }]);
    expect(countsOf(await open.import(right, people))).toEqual([{ existing: 2 }]);
    expect(created()).toEqual([2, 0, 3, 0]);
    expect((await desk.run(['audit', 'verify'], { env: right })).exitCode).toBe(0);
  });

  it('is not disowned while its rows are in doubt, without a note, without a yes, or while it is in force', async () => {
    const open = await openWrongDesk();
    const { desk, wrong, right, people, fingerprint, created } = open;
    open.fault('reset_after');
    expect(countsOf(await open.import(wrong, people, '--max-attempts', '1'))).toEqual([
      { created: 1, unknown: 1 },
    ]);
    open.fault();
    expect(refused(await open.disown('--yes'))).toEqual([5, 'rows_in_doubt']);
    const batch = (await desk.json(['status'], { env: right })).summary.batches[0]?.batch ?? '';
    await desk.json(['resolve', batch, '--where', 'status=unknown', '--as', 'not-created', '--yes'], {
      env: right,
    });
    const words = ['disown', fingerprint, '--yes'];
    expect(refused(await desk.json(words, { env: right }))).toEqual([2, 'usage']);
    expect(refused(await desk.json([...words, '--note', 'x'], { env: wrong }))).toEqual([
      2,
      'key_not_disowned',
    ]);
    expect(refused(await open.disown())).toEqual([2, 'key_not_disowned']);
    const stated = { ...right, PAYBATCH_LIVE_KEY_FINGERPRINT: fingerprint };
    expect((await desk.json([...words, '--note', 'x'], { env: stated })).exitCode).toBe(2);
    const unknown = await desk.json(['disown', '0123456789abcdef', '--note', 'x', '--yes'], { env: right });
    expect(refused(unknown)).toEqual([2, 'key_not_disowned']);
    const resolved = await desk.json(['status', batch], { env: right });
    expect(resolved.stdout).toContain('"created":1');
    expect((await open.disown('--yes')).exitCode).toBe(0);
    expect(countsOf(await open.import(right, people))).toEqual([{ created: 2 }]);
    expect(created()).toEqual([2, 0, 2, 0]);
  });

  it.runIf(hasPseudoTerminal)('is asked about on a terminal, with batches, rows and sums', async () => {
    const open = await openWrongDesk();
    const { desk, wrong, right, people, fingerprint } = open;
    await open.import(wrong, people);
    const words = ['disown', fingerprint, '--note', 'checked'];
    for (const [answer, exitCode] of [
      ['no\r', 2],
      ['yes\r', 0],
    ] as const) {
      const end = await answerOnTerminal(words, { cwd: desk.folder, env: { ...desk.env, ...right } }, answer);
      expect([end.exitCode, end.output.includes('2 created rows')], end.output).toEqual([exitCode, true]);
    }
  });

  it('sends nothing more in live mode, whichever program claims rows', async () => {
    const open = await openWrongDesk();
    const { desk, wrong, people, fingerprint } = open;
    await open.import(wrong, people);
    await open.disown('--yes');
    const { database, close } = openServerLedger(desk.databaseUrl ?? '');
    onTestFinished(close);
    const claim = database.transaction(async (transaction) => {
      await transaction.raw('SELECT lock_batch(id) FROM batches');
      await transaction.raw(
        'INSERT INTO claims (batch_id, lease_token, run_id, credential) SELECT id, 77, gen_random_uuid(), ? FROM batches',
        [fingerprint],
      );
    });
    await expect(claim).rejects.toMatchObject({ code: '23001' });
  });

  it('needs somebody who may change the policy, and its rows need their approvals anew', async () => {
    const open = await openWrongDesk();
    const { desk, wrong, right, people, fingerprint, created } = open;
    const { database, close } = openServerLedger(desk.databaseUrl ?? '');
    onTestFinished(close);
    const ada = await addTestUser(database, 'ada');
    const mo = await addTestUser(database, 'mo', 'maker');
    await proposePolicy(database, { approvers: ['ada'], rules: [testRule()] });
    const as = (person: TestUser, env: Env, ...words: readonly string[]): Promise<JsonEnd> =>
      desk.json(words, {
        env: { ...env, PAYBATCH_USER_KEY_FILE: person.path, PAYBATCH_USER_PASSPHRASE: passphrase },
      });
    const waiting = await open.import(wrong, people);
    const batch = waiting.summary.batches[0]?.batch ?? '';
    const hash = /--plan-hash ([0-9a-f]{64})/.exec(waiting.summary.error?.next ?? '')?.[1] ?? '';
    expect((await as(ada, wrong, 'approve', batch, '--plan-hash', hash)).exitCode).toBe(0);
    expect(countsOf(await open.import(wrong, people))).toEqual([{ created: 2 }]);

    expect((await open.disown('--yes')).summary.error?.code).toBe('user_key_missing');
    const words = ['disown', fingerprint, '--note', 'checked', '--yes'];
    expect((await as(mo, right, ...words)).summary.error?.code).toBe('role_refused');
    expect((await as(ada, right, ...words)).exitCode).toBe(0);
    expect(refused(await open.import(right, people))).toEqual([8, 'approval_needed']);
    expect(created()).toEqual([2, 0, 0, 0]);
    // A live key that somebody has disowned is no way around the approvals.
    const crossed = await desk.json(['import', people, '--mode', 'sandbox'], {
      env: { PAYBATCH_API_KEY: wrong.PAYBATCH_API_KEY ?? '' },
    });
    expect(refused(crossed)).toEqual([2, 'mode_contradicts']);
    expect((await desk.run(['audit', 'verify'], { env: right })).exitCode).toBe(0);
  });

  it('is known to a ledger that is rebuilt from the run log: its rows do not count as created', async () => {
    const open = await openWrongDesk();
    const { desk, wrong, right, people, created } = open;
    await open.import(wrong, people);
    const end = await open.disown('--yes');
    const batch = end.summary.batches[0]?.batch ?? '';
    const log = `results/people.${batch.slice(0, 8)}.run.jsonl`;
    const rebuild = async (): Promise<readonly [Env, JsonEnd]> => {
      const env = { ...right, DATABASE_URL: await createDurableDatabase() };
      const recovered = await desk.json(['recover', '--log', log, people], { env });
      await desk.json(['policy', 'waive', '--note', 'there was none'], { env });
      return [env, recovered];
    };
    const [, unsent] = await rebuild();
    expect(countsOf(unsent)).toEqual([{ rejected: 2 }]);

    expect(countsOf(await open.import(right, people))).toEqual([{ created: 2 }]);
    const [env, sent] = await rebuild();
    expect(countsOf(sent)).toEqual([{ created: 2 }]);
    await desk.json(['retry', batch, '--yes'], { env });
    expect(created()).toEqual([2, 0, 2, 0]);
  });

  it('is named by audit verify if what was said of it is changed behind the triggers', async () => {
    const open = await openWrongDesk();
    const { desk, wrong, right, people, fingerprint } = open;
    await open.import(wrong, people);
    await open.disown('--yes');
    const { database, close } = openServerLedger(desk.databaseUrl ?? '');
    onTestFinished(close);
    await executeByHand(database, "UPDATE disowned_keys SET note = 'nothing'");
    const verified = await desk.run(['audit', 'verify'], { env: right });
    expect(verified.exitCode).toBe(5);
    expect(verified.stdout).toContain(`the disowned API key ${fingerprint}`);
  });

  it('of a closed batch sends nothing again', async () => {
    const open = await openWrongDesk();
    const { desk, wrong, right, people, created } = open;
    const batch = (await open.import(wrong, people)).summary.batches[0]?.batch ?? '';
    await desk.json(['close', batch, '--note', 'the month is over'], { env: right });
    expect(countsOf(await open.disown('--yes'))).toEqual([{ invalid: 2 }]);
    expect((await open.import(right, people)).exitCode).not.toBe(0);
    expect(created()).toEqual([2, 0, 0, 0]);
  });
});
