import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { credentialFingerprint } from '../../../src/call/settings.ts';
import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import { startSandbox } from '../../../src/sandbox/server.ts';
import { type Desk, type JsonEnd, openDesk } from '../../support/cli-desk.ts';
import { csvOf, customers } from '../../support/cli-files.ts';
import { proposePolicy, testRule } from '../../support/controls.ts';
import { answerOnTerminal, hasPseudoTerminal } from '../../support/terminal.ts';
import { addTestUser } from '../../support/user-key.ts';

interface LiveDesk {
  readonly desk: Desk;
  readonly file: string;
  readonly live: Readonly<Record<string, string>>;
  readonly liveKey: string;
  readonly sandboxKey: string;
  /** Customers that the API has created, live and sandbox. */
  readonly created: () => readonly [live: number, sandbox: number];
  /** Puts a policy into force under which live batches wait for an approval. */
  readonly askForApprovals: (more?: { readonly sandboxKeys?: readonly string[] }) => Promise<void>;
  /** Imports in sandbox mode, with a key. */
  readonly inSandbox: (key: string, ...words: readonly string[]) => Promise<JsonEnd>;
}

async function openLiveDesk(): Promise<LiveDesk> {
  const desk = await openDesk({ ledger: 'durable' });
  const { live: liveKey, sandbox: sandboxKey } = desk.sandbox.apiKeys;
  const file = await desk.write('people.csv', csvOf(customers(2)));
  const { database, close } = openServerLedger(desk.databaseUrl ?? '');
  onTestFinished(close);
  return {
    desk,
    file,
    live: { PAYBATCH_MODE: 'live', PAYBATCH_API_KEY: liveKey },
    liveKey,
    sandboxKey,
    created: () => {
      const { live, sandbox } = desk.sandbox.counts();
      return [live.created.customers, sandbox.created.customers];
    },
    askForApprovals: async (more = {}) => {
      await addTestUser(database, 'ada');
      await proposePolicy(database, { approvers: ['ada'], rules: [testRule()], ...more });
    },
    inSandbox: (key, ...words) =>
      desk.json(['import', file, '--mode', 'sandbox', ...words], { env: { PAYBATCH_API_KEY: key } }),
  };
}

/** Answers that are no yes, as somebody types them, and the one that is. */
const answers = [
  ['no\r', false],
  ['y\r', false],
  ['\u0004', false],
  ['yes\r', true],
] as const;

/** Calls the real program on a terminal, and answers its one question. */
async function callOnTerminal(
  { desk }: LiveDesk,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  answer: string,
): Promise<{ readonly exitCode: number | null; readonly output: string }> {
  const end = await answerOnTerminal(words, { cwd: desk.folder, env: { ...desk.env, ...env } }, answer);
  return { ...end, output: end.output.replaceAll(/\s+/g, ' ') };
}

const refused = (end: JsonEnd): unknown[] => [end.exitCode, end.summary.error?.code];

describe('sandbox mode at an address that the ledger knows as live', () => {
  it('sends no batch that waits for approval, in whatever spelling of the address', async () => {
    const { desk, file, live, liveKey, created, askForApprovals, inSandbox } = await openLiveDesk();
    await askForApprovals();
    const waiting = await desk.json(['import', file, '--yes'], { env: live });
    expect(refused(waiting)).toEqual([8, 'approval_needed']);
    const { port } = new URL(desk.sandbox.url);
    for (const address of [
      desk.sandbox.url,
      `http://localhost:${port}`,
      `http://LOCALHOST:${port}/v1`,
      `http://127.0.0.1.:${port}`,
      `http://127.1:${port}/`,
    ]) {
      const crossed = await inSandbox(liveKey, '--base-url', address, '--yes');
      expect([address, ...refused(crossed)]).toEqual([address, 2, 'mode_contradicts']);
      expect(crossed.summary.error?.next).toContain(credentialFingerprint(liveKey));
    }
    const validated = await desk.json(['doctor', '--mode', 'sandbox'], {
      env: { PAYBATCH_API_KEY: liveKey },
    });
    expect(validated.exitCode).toBe(2);
    expect(created()).toEqual([0, 0]);
  });

  it('takes a key that the API there has accepted in sandbox mode, and no key that another address has', async () => {
    const { desk, file, live, liveKey, sandboxKey, created, inSandbox } = await openLiveDesk();
    expect((await inSandbox(sandboxKey)).exitCode).toBe(0);
    expect((await desk.json(['plan', file], { env: live })).exitCode).toBe(0);
    // An API of one's own takes every key.
    const own = await startSandbox({
      dataDir: `${desk.folder}/own`,
      apiKeys: { sandbox: liveKey, live: 'sk_live_of_another' },
    });
    onTestFinished(() => own.close());
    expect((await inSandbox(liveKey, '--base-url', own.url)).exitCode).toBe(0);
    expect(refused(await inSandbox(liveKey, '--yes'))).toEqual([2, 'mode_contradicts']);
    const more = await desk.write('more.csv', csvOf(customers(3).slice(2)));
    const again = await desk.json(['import', more, '--mode', 'sandbox']);
    expect(again.exitCode).toBe(0);
    expect(created()).toEqual([0, 3]);
  });

  it('takes a key that the policy lists', async () => {
    const { desk, file, live, sandboxKey, liveKey, created, askForApprovals, inSandbox } =
      await openLiveDesk();
    await askForApprovals({ sandboxKeys: [credentialFingerprint(sandboxKey)] });
    expect((await desk.json(['plan', file], { env: live })).exitCode).toBe(0);
    expect(refused(await inSandbox(liveKey))).toEqual([2, 'mode_contradicts']);
    expect((await inSandbox(sandboxKey)).exitCode).toBe(0);
    expect(created()).toEqual([0, 2]);
  });

  it.runIf(hasPseudoTerminal)(
    'takes a key of which a person says on a terminal that it is the sandbox key',
    async () => {
      const open = await openLiveDesk();
      const { desk, file, live, sandboxKey, created, inSandbox } = open;
      expect((await desk.json(['plan', file], { env: live })).exitCode).toBe(0);
      // Without a terminal no person can confirm the key, whatever was agreed to beforehand.
      expect(refused(await inSandbox(sandboxKey, '--yes'))).toEqual([2, 'mode_contradicts']);
      for (const [answer, isAgreed] of answers) {
        const words = ['import', file, '--mode', 'sandbox'];
        const end = await callOnTerminal(open, words, { PAYBATCH_API_KEY: sandboxKey }, answer);
        expect(end.output).toContain(`${desk.sandbox.url} is known as live`);
        expect(end.output).toContain(
          `the API key with the fingerprint ${credentialFingerprint(sandboxKey)} is new here`,
        );
        expect([answer, end.exitCode, created()], end.output).toEqual([
          answer,
          isAgreed ? 0 : 2,
          [0, isAgreed ? 2 : 0],
        ]);
        expect(end.output.includes('nothing says that this API key is a sandbox key')).toBe(!isAgreed);
      }
      // The API has accepted the key since, so that nobody is asked again.
      expect((await inSandbox(sandboxKey)).exitCode).toBe(0);
    },
  );

  it.runIf(hasPseudoTerminal)(
    'asks nobody on a terminal while a policy says which keys are sandbox keys',
    async () => {
      const open = await openLiveDesk();
      const { desk, file, live, sandboxKey, created, askForApprovals } = open;
      await askForApprovals();
      expect((await desk.json(['plan', file], { env: live })).exitCode).toBe(0);
      const words = ['import', file, '--mode', 'sandbox'];
      const end = await callOnTerminal(open, words, { PAYBATCH_API_KEY: sandboxKey }, 'yes\r');
      expect(end.output).not.toContain('Type "yes"');
      expect([end.exitCode, created()]).toEqual([2, [0, 0]]);
    },
  );

  it('is not refused for a plan that was closed, or that has no address', async () => {
    const { desk, file, live, sandboxKey, created, inSandbox } = await openLiveDesk();
    expect((await desk.json(['plan', file], { env: { ...live, PAYBATCH_BASE_URL: '' } })).exitCode).toBe(0);
    const planned = await desk.json(['plan', file], { env: live });
    expect(refused(await inSandbox(sandboxKey))).toEqual([2, 'mode_contradicts']);
    const batch = planned.summary.batches[0]?.batch ?? '';
    expect((await desk.json(['close', batch, '--note', 'a trial'], { env: live })).exitCode).toBe(0);
    expect((await inSandbox(sandboxKey)).exitCode).toBe(0);
    expect(created()).toEqual([0, 2]);
  });
});

it.runIf(hasPseudoTerminal)(
  'a live key at an address where it was never used sends nothing unless a person agrees',
  async () => {
    const open = await openLiveDesk();
    const { desk, file, live, liveKey } = open;
    expect((await desk.json(['import', file, '--yes'], { env: live })).exitCode).toBe(0);
    const moved = await startSandbox({
      dataDir: `${desk.folder}/moved`,
      apiKeys: { sandbox: 'sk_sandbox_moved', live: liveKey },
    });
    onTestFinished(() => moved.close());
    const end = await desk.json(['import', file, '--yes', '--base-url', moved.url], { env: live });
    expect(refused(end)).toEqual([2, 'key_at_new_address']);
    expect(moved.counts().live.created.customers).toBe(0);
    for (const [answer, isAgreed] of answers) {
      const asked = await callOnTerminal(
        open,
        ['import', file, '--yes', '--base-url', moved.url],
        live,
        answer,
      );
      expect(asked.output).toContain(
        `was used in live mode at ${desk.sandbox.url}, and never at ${moved.url}`,
      );
      const { customers: created } = moved.counts().live.created;
      expect([answer, asked.exitCode, created], asked.output).toEqual([
        answer,
        isAgreed ? 0 : 2,
        isAgreed ? 2 : 0,
      ]);
    }
    const known = await desk.json(['import', file, '--yes', '--base-url', moved.url], { env: live });
    expect(known.exitCode).toBe(0);
  },
);

describe('a sandbox key in the place of the live key', () => {
  it('is reported in the first lines of doctor, run and report, until its fingerprint is stated', async () => {
    const { desk, file, live, sandboxKey, liveKey, created } = await openLiveDesk();
    const wrong = { ...live, PAYBATCH_API_KEY: sandboxKey };
    const fingerprint = credentialFingerprint(sandboxKey);
    const looked = await desk.run(['doctor'], { env: wrong });
    expect(looked.stdout.split('\n').slice(0, 2).join(' ')).toContain(fingerprint);
    expect(looked.stdout).toContain(`PAYBATCH_LIVE_KEY_FINGERPRINT=${fingerprint}`);

    const stated = { ...wrong, PAYBATCH_LIVE_KEY_FINGERPRINT: credentialFingerprint(liveKey) };
    const differing = await desk.json(['import', file, '--yes'], { env: stated });
    expect(refused(differing)).toEqual([2, 'live_key_differs']);
    expect(created()).toEqual([0, 0]);

    const run = await desk.run(['import', file, '--yes', '--notice', 'notice.txt'], { env: wrong });
    expect(run.exitCode).toBe(0);
    expect(run.stderr.split('\n').slice(0, 3).join(' ')).toContain(fingerprint);
    expect(run.stdout).not.toMatch(/ LIVE ·/);
    expect(await desk.resultText('.report.html')).not.toContain('LIVE · REAL MONEY');
    expect(await desk.resultText('.report.html')).toContain(fingerprint);
    expect(created()).toEqual([0, 2]);

    // Every other channel words it in the same way.
    const notice = await readFile(join(desk.folder, 'notice.txt'), 'utf8');
    expect(notice).toContain(`LIVE if its key is, ${desk.sandbox.url}`);
    expect(notice).toContain(fingerprint);
    const batch = /batch ([0-9a-f]{8})/.exec(run.stdout)?.[1] ?? '';
    for (const looked of [
      ['status', batch],
      ['status', batch, '--row', '2'],
    ]) {
      const { stdout } = await desk.run(looked, { env: wrong });
      expect(stdout).toContain(' LIVE if its key is ·');
    }
  });

  it.runIf(hasPseudoTerminal)(
    'is reported in the question before its first use, and before the batch continues',
    async () => {
      const open = await openLiveDesk();
      const { file, live, sandboxKey, liveKey, created } = open;
      const wrong = { ...live, PAYBATCH_API_KEY: sandboxKey };
      const asked = await callOnTerminal(open, ['import', file], wrong, 'no\r');
      expect(asked.output).toContain('LIVE if its key is: about to send 2 rows');
      expect(asked.output).toContain('to send this LIVE if its key is: ');
      const compared = { ...live, PAYBATCH_LIVE_KEY_FINGERPRINT: credentialFingerprint(liveKey) };
      const sure = await callOnTerminal(open, ['import', file], compared, 'no\r');
      expect(sure.output).toContain('LIVE: about to send 2 rows');
      expect(created()).toEqual([0, 0]);
    },
  );

  it('that is the live one is called so without a doubt', async () => {
    const { desk, file, live, liveKey, created } = await openLiveDesk();
    const env = { ...live, PAYBATCH_LIVE_KEY_FINGERPRINT: credentialFingerprint(liveKey) };
    const run = await desk.run(['import', file, '--yes'], { env });
    expect([run.exitCode, run.stderr.includes('dashboard')]).toEqual([0, false]);
    expect(await desk.resultText('.report.html')).toContain('LIVE · REAL MONEY');
    const crossed = await desk.json(['import', file, '--mode', 'sandbox'], {
      env: { ...env, PAYBATCH_MODE: '' },
    });
    expect(refused(crossed)).toEqual([2, 'api_key_of_other_mode']);
    expect(created()).toEqual([2, 0]);
  });
});
