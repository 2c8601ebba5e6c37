import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import { parseCommandLine } from '../../src/cli/program.ts';
import type { FaultName } from '../../src/sandbox/faults.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { programWords } from '../support/cli.ts';
import { csvOf, customers, readCsv, recipient } from '../support/cli-files.ts';
import { copyEmbeddedLedger, createDatabase, dropDatabase } from '../support/ledger.ts';
import { textRow, workbook } from '../support/workbook.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const script = join(root, 'deploy/cron/paybatch-nightly');

function deployed(path: string): Promise<string> {
  return readFile(join(root, 'deploy', path), 'utf8');
}

interface OpenedNight {
  readonly folder: string;
  /** Path of the settings. */
  readonly settings: string;
  readonly run: () => Night;
  readonly start: () => RunningNight;
}

/** A ledger of the test's own, on the server: to start an embedded one takes every command of a night some seconds. */
async function ownLedger(): Promise<{ readonly DATABASE_URL: string }> {
  const databaseUrl = await createDatabase();
  onTestFinished(() => dropDatabase(databaseUrl));
  return { DATABASE_URL: databaseUrl };
}

/** The built-in sandbox, and a ledger of its own. */
async function ownSandbox(): Promise<Record<string, string>> {
  return { PAYBATCH_LOCAL_SANDBOX: 'true', ...(await ownLedger()) };
}

/** A folder with the program in it, and the settings of a night. */
async function openNight(settings: Readonly<Record<string, string>>): Promise<OpenedNight> {
  const folder = await mkdtemp(join(inject('testFolder'), 'night-'));
  const [bin, incoming] = [join(folder, 'bin'), join(folder, 'incoming')];
  await mkdir(bin);
  await mkdir(incoming);
  const words = [process.execPath, ...programWords()].map((word) => `'${word}'`).join(' ');
  await writeFile(join(bin, 'paybatch'), `#!/bin/sh\nexec ${words} "$@"\n`);
  await chmod(join(bin, 'paybatch'), 0o755);
  const all = {
    PATH: `${bin}:/usr/bin:/bin`,
    NIGHTLY_FOLDER: folder,
    NIGHTLY_PAUSE_IN_SECONDS: '0',
    ...settings,
  };
  const path = join(folder, 'nightly.env');
  await writeFile(
    path,
    Object.entries(all)
      .map(([name, value]) => `${name}='${value}'\n`)
      .join(''),
  );
  return { folder, settings: path, run: () => nightOf(path), start: () => startNight(path) };
}

interface Night {
  readonly exitCode: number | null;
  readonly stderr: string;
}

/** With what cron gives a job, and no more. */
function environmentOf(settings: string): Record<string, string> {
  return { HOME: dirname(settings), LOGNAME: 'paybatch', SHELL: '/bin/sh', PATH: '/usr/bin:/bin' };
}

function nightOf(settings: string): Night {
  const env = environmentOf(settings);
  const { status, stderr } = spawnSync('/bin/sh', [script, settings], { env, cwd: '/', encoding: 'utf8' });
  return { exitCode: status, stderr };
}

interface RunningNight {
  /** The leader of a process group of its own. */
  readonly process: ChildProcess;
  readonly ended: Promise<Night>;
}

function startNight(settings: string): RunningNight {
  const options = { env: environmentOf(settings), cwd: '/', detached: true } as const;
  const started = spawn('/bin/sh', [script, settings], { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  started.stderr.on('data', (text: Buffer) => {
    stderr += text.toString();
  });
  const ended = once(started, 'close').then(([code]) => ({ exitCode: code, stderr }));
  return { process: started, ended };
}

/** Puts a file of this age into the folder of incoming files. */
async function putFile(
  { folder }: { readonly folder: string },
  name: string,
  content: string | Buffer,
  ageInSeconds = 3_600,
): Promise<string> {
  const path = join(folder, 'incoming', name);
  await writeFile(path, content);
  await utimes(path, new Date(), new Date(Date.now() - ageInSeconds * 1_000));
  return path;
}

/** Of the formats in docs/formats.md, as people and programs write them. */
const endings = ['csv', 'TSV', 'tab', 'txt', 'csv.gz', 'xlsx', 'XLSM', 'xlsb', 'xls', 'ods'];

/** A file of each format, with a row each, and others. @returns the names of the others */
async function fillIncoming(night: { readonly folder: string }): Promise<string[]> {
  for (const [at, ending] of endings.entries()) {
    const text = csvOf(customers(1, at + 1));
    // The content decides the format, so one workbook serves for all.
    const rows = text
      .trim()
      .split(/\r?\n/)
      .map((line, row) => textRow(row + 1, line.split(',')));
    const book = workbook({ sheets: [{ name: 'customers', rows: rows.join('') }] });
    const content = ending.endsWith('gz') ? gzipSync(text) : /^(xl|od)/i.test(ending) ? book : text;
    await putFile(night, `people of june ${at}.${ending}`, content);
  }
  const others = ['read me.pdf', '~$people.xlsx'];
  for (const name of others) await putFile(night, name, 'nothing to import');
  return others;
}

/** How many rows the results of a night have, all of which have to be created. */
async function createdIn(folder: string): Promise<number> {
  const results = (await readdir(join(folder, 'results'))).filter((name) => name.endsWith('.results.csv'));
  const rows = await Promise.all(
    results.map(async (name) => readCsv(await readFile(join(folder, 'results', name), 'utf8'))),
  );
  expect(rows.flat().every((row) => row['result_status'] === 'created')).toBe(true);
  return rows.flat().length;
}

async function logOf(folder: string): Promise<string> {
  const [name = '', ...others] = (await readdir(join(folder, 'logs'))).filter(
    (file) => !file.startsWith('.'),
  );
  expect(others).toEqual([]);
  return readFile(join(folder, 'logs', name), 'utf8');
}

/** A night is a whole program, several times, and an embedded ledger for each. */
const wholeNights = 300_000;

describe('the script for cron', { timeout: wholeNights }, () => {
  it('imports what came in, and says nothing where all is well; a night without files is one', async () => {
    const { folder, run } = await openNight({
      PAYBATCH_LOCAL_SANDBOX: 'true',
      PAYBATCH_LEDGER_DIR: await copyEmbeddedLedger(),
    });
    expect(run()).toEqual({ exitCode: 0, stderr: '' });
    await putFile({ folder }, 'people.csv', csvOf(customers(2)));
    expect(run()).toEqual({ exitCode: 0, stderr: '' });
    const log = await logOf(folder);
    expect(log).toContain('No file matches');
    expect(log).toContain('All 2 rows created');
    expect(log.match(/exit 0$/gm)).toHaveLength(2);
    expect((await readdir(join(folder, 'results'))).length).toBeGreaterThan(2);
  });

  it('repeats what was stopped, ends as the import ended, and has one line for a person', async () => {
    const { folder, run } = await openNight({
      PAYBATCH_BASE_URL: 'http://127.0.0.1:9',
      PAYBATCH_API_KEY: 'deploy-key',
      NIGHTLY_TRIES: '2',
      ...(await ownLedger()),
      PAYBATCH_MAX_ATTEMPTS: '1',
    });
    await putFile({ folder }, 'people.csv', csvOf(customers(1)));
    const { exitCode, stderr } = run();
    expect(exitCode).toBe(4);
    const lines = stderr.trimEnd().split('\n');
    expect(lines[0]).toBe('paybatch import: exit 4, stopped before its end');
    expect(stderr).toMatch(/people\.csv \(customers, batch [0-9a-f]{8}\): 0 of 1 row created; 1 not sent\n/);
    expect(lines.at(-1)).toMatch(
      /^paybatch-nightly: exit 4 after try 2 of 2; see .*\.log, and: cd .* && paybatch status$/,
    );
    expect((await logOf(folder)).match(/try \d of 2$/gm)).toHaveLength(2);
    // The reader of the mail does not have the settings of the script.
    const [, command = ''] = /, and: (.*)\n$/.exec(stderr) ?? [];
    const read = spawnSync('/bin/sh', ['-c', command], {
      env: { PATH: '/usr/bin:/bin', HOME: folder },
      cwd: '/',
      encoding: 'utf8',
    });
    expect(read).toMatchObject({ status: 0, stdout: expect.stringContaining('people.csv') });
  });

  it('takes every format that import reads, whatever the case of its ending, and names what it leaves', async () => {
    const { folder, run } = await openNight(await ownSandbox());
    const left = await fillIncoming({ folder });
    const { exitCode, stderr } = run();
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: `paybatch-nightly: left in ${folder}/incoming, since import reads no such files: ${left.map((name) => `'${name}'`).join(' ')}\n`,
    });
    expect(await createdIn(folder)).toBe(endings.length);
  });

  describe('takes only files that are whole', () => {
    /** A night whose program only notes which files it takes. */
    async function openRecordedNight(tries: number) {
      const night = await openNight({ NIGHTLY_TRIES: String(tries) });
      const { folder } = night;
      const program =
        '#!/bin/sh\nfor word in "$@"; do case $word in /*) basename "$word" >>taken ;; esac; done\n';
      await writeFile(join(folder, 'bin', 'paybatch'), program);
      const taken = async () => {
        const text = await readFile(join(folder, 'taken'), 'utf8').catch(() => '');
        await rm(join(folder, 'taken'), { force: true });
        return text.split('\n').filter((name) => name !== '');
      };
      return { ...night, taken };
    }

    it('leaves one that changed within two minutes or still grows, ends with 4, and takes it once it is whole', async () => {
      const night = await openRecordedNight(1);
      await putFile(night, 'whole.csv', 'a,b\n1,2\n', 130);
      // Cut off at the end of a line, so that its content does not show that it is incomplete.
      await putFile(night, "mother's.csv", 'a,b\n1,2\n', 0);
      await putFile(night, 'of tomorrow.csv', 'a,b\n1,2\n', -86_400);
      // As a program that gives a copy the time of its original while it still writes.
      const growing = await putFile(night, 'growing.csv', 'a,b\n');
      const writing = 'while sleep 0.2; do echo 1,2 >>"$0"; touch -d "1 hour ago" "$0"; done';
      const writer = spawn('/bin/sh', ['-c', writing, growing], { stdio: 'ignore' });
      try {
        const { exitCode, stderr } = night.run();
        expect(stderr.split('\n')[0]).toBe(
          `paybatch-nightly: left for the next night, since they changed within two minutes: 'growing.csv' 'mother'\\''s.csv' 'of tomorrow.csv'`,
        );
        expect(exitCode).toBe(4);
        expect(await night.taken()).toEqual(['whole.csv']);
      } finally {
        writer.kill();
      }
      for (const name of ["mother's.csv", 'of tomorrow.csv', 'growing.csv'])
        await putFile(night, name, 'a,b\n1,2\n3,4\n', 130);
      expect(night.run()).toEqual({ exitCode: 0, stderr: '' });
      expect(await night.taken()).toEqual(['growing.csv', "mother's.csv", 'of tomorrow.csv', 'whole.csv']);
    });

    it('tries again, and imports nothing, while there are no others', async () => {
      const night = await openRecordedNight(2);
      await putFile(night, 'people.csv', csvOf(customers(2)), 0);
      expect(night.run().exitCode).toBe(4);
      expect(await night.taken()).toEqual([]);
      expect((await logOf(night.folder)).match(/left for a later try, .*'people.csv'$/gm)).toHaveLength(2);
    });
  });

  describe('while a file is still written', () => {
    it.each([
      [1, 2],
      [3, 2],
      [5, 2],
      [8, 2],
      [2, 1],
      [6, 1],
    ])('tries again although the others have ended with %i, unless no try can help', async (code, tries) => {
      const night = await openNight({ NIGHTLY_TRIES: '2' });
      await writeFile(join(night.folder, 'bin', 'paybatch'), `#!/bin/sh\nexit ${code}\n`);
      await putFile(night, 'whole.csv', 'a,b\n1,2\n', 130);
      await putFile(night, 'people.csv', csvOf(customers(2)), 0);
      const { exitCode } = night.run();
      expect(exitCode).toBe(tries === 2 ? 4 : code);
      expect((await logOf(night.folder)).match(/try \d of 2$/gm)).toHaveLength(tries);
    });
  });

  it('ends with 2 where its settings are not there, or its folder cannot be written, and says so', async () => {
    const nowhere = nightOf('/nowhere/nightly.env');
    expect(nowhere).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('nothing was imported') });
    const { folder, run } = await openNight({});
    await writeFile(join(folder, 'logs'), 'a file where the folder should be');
    expect(run()).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`${folder} cannot be written by`),
    });
  });

  it('holds changed payees, and mails how many, since when, who decides, and how', async () => {
    const { folder, run } = await openNight(await ownSandbox());
    await putFile({ folder }, 'people.csv', csvOf(customers(3)));
    const payees = [1, 2, 3].map((number) => recipient(number, { amount: '2500.00' }));
    await putFile({ folder }, 'june.csv', csvOf(payees));
    expect(run()).toEqual({ exitCode: 0, stderr: '' });
    const changed = payees.map((row, at) => ({ ...row, account_number: `98765432${10 + at}` }));
    await putFile({ folder }, 'july.csv', csvOf(changed));
    const { exitCode, stderr } = run();
    expect(exitCode).toBe(5);
    expect(stderr).toMatch(/^paybatch import: exit 5, finished, and a person has to decide about rows\n/);
    expect(stderr).toContain('  3 rows pay known payees at another account.\n');
    expect(stderr).toMatch(/\n {2}3 held since \d{4}-\d\d-\d\d \d\d:\d\d UTC: [\d,.]+ KES\n/);
    expect(stderr).toContain(
      '    why: payee details changed (3)\n    to do: a person with the right to do so',
    );
    expect(stderr).toMatch(/\n {4}paybatch reconcile [0-9a-f]{8}/);
    expect(stderr).not.toMatch(/june\.csv|98765432/);
  });

  it('mails a refused file each night, since when; what it cannot even begin; and a refused key', async () => {
    const none = join(await mkdtemp(join(inject('testFolder'), 'night-')), 'ledger');
    const { folder, run, settings } = await openNight({
      PAYBATCH_LOCAL_SANDBOX: 'true',
      PAYBATCH_LEDGER_DIR: none,
    });
    const file = await putFile({ folder }, 'bad.csv', 'foo,bar\n1,2\n');
    // Without a ledger the time of the first failure is unknown.
    expect(run().stderr).not.toContain('when:');
    await putFile({ folder }, 'people.csv', csvOf(customers(1)));
    run();
    const third = run();
    expect(third.exitCode).toBe(3);
    expect(third.stderr).toContain(`REFUSED  ${file}: nothing of it was sent\n`);
    expect(third.stderr).toMatch(/when: since \d{4}-.* UTC, 2 times; the last time on/);
    const more = (text: string): Promise<void> => writeFile(settings, text, { flag: 'a' });
    await more('PAYBATCH_CONCURRENCY=many\n');
    const unusable = run();
    expect(unusable.exitCode).toBe(2);
    expect(unusable.stderr).toContain('without a notice; the last that it said:\n');
    expect(unusable.stderr).toContain('--concurrency');
    await more("PAYBATCH_CONCURRENCY=\nPAYBATCH_SANDBOX_FAULTS='401=1'\n");
    await putFile({ folder }, 'more.csv', csvOf(customers(1, 7)));
    await rm(file);
    const refused = run();
    expect(refused.exitCode).toBe(6);
    expect(refused.stderr).toContain('exit 6, the API refused the key\n');
    expect(refused.stderr).toContain('to do: the administrator of this job checks the API key\n');
  });

  it.each([false, true])(
    'stops with what is in flight on SIGTERM, sent to it alone or to all: %j',
    async (isToAll) => {
      const { folder, start } = await openNight({
        ...(await ownSandbox()),
        PAYBATCH_SANDBOX_FAULTS: 'latency_ms=300',
        PAYBATCH_CONCURRENCY: '2',
      });
      await putFile({ folder }, 'people.csv', csvOf(customers(200)));
      const night = start();
      const isAnswered = async (): Promise<boolean> => {
        const names = await readdir(join(folder, 'results')).catch(() => []);
        const log = names.find((name) => name.endsWith('.run.jsonl'));
        return (
          log !== undefined && (await readFile(join(folder, 'results', log), 'utf8')).includes('row.answered')
        );
      };
      await vi.waitUntil(isAnswered, { timeout: 120_000, interval: 100 });
      // A host that goes down sends it to every process, the script's own included.
      if (isToAll) process.kill(-(night.process.pid ?? 0), 'SIGTERM');
      else night.process.kill('SIGTERM');
      const { exitCode, stderr } = await night.ended;
      expect(exitCode).toBe(4);
      expect(stderr).toContain('paybatch import: exit 4, stopped by a signal\n');
      const [, created, unsent] = /: (\d+) of 200 rows created; (\d+) not sent\n/.exec(stderr) ?? [];
      expect(Number(created)).toBeGreaterThan(0);
      expect(Number(created) + Number(unsent)).toBe(200);
      expect(stderr).toMatch(/exit 4 after try 1 of 30, stopped by SIGTERM; see /);
      // Its notice is removed.
      expect(await readdir(join(folder, 'logs'))).toHaveLength(1);
    },
  );

  it('goes on at night with a correction that is in doubt, and creates its row once', async () => {
    const answers: (FaultName | undefined)[] = ['422'];
    const dataDir = await mkdtemp(join(inject('testFolder'), 'api-'));
    const onRequest = ({ method }: { readonly method: string }) =>
      method === 'POST' ? answers.shift() : undefined;
    const sandbox = await startSandbox({ dataDir, onRequest });
    onTestFinished(() => sandbox.close());
    const { folder, start } = await openNight({
      ...(await ownLedger()),
      PAYBATCH_BASE_URL: sandbox.url,
      PAYBATCH_API_KEY: sandbox.apiKeys.sandbox,
      PAYBATCH_MAX_ATTEMPTS: '1',
      NIGHTLY_TRIES: '1',
    });
    const night = () => start().ended;
    const created = () => sandbox.counts().sandbox.created.customers;

    await putFile({ folder }, 'june.csv', csvOf(customers(2)));
    const first = await night();
    expect([first.exitCode, created()]).toEqual([1, 1]);
    expect(first.stderr).toContain('failed.csv');

    // The partner corrects the failed file, and it comes in beside the first one. Its answer is lost.
    const names = await readdir(join(folder, 'results'));
    const name = names.find((each) => each.endsWith('.failed.csv')) ?? '';
    const failed = readCsv(await readFile(join(folder, 'results', name), 'utf8'));
    const corrected = failed.map((row) => ({ ...row, external_id: 'corrected' }));
    await putFile({ folder }, 'june-corrected.csv', csvOf(corrected));
    answers.push('reset_after');
    const second = await night();
    expect([second.exitCode, created()]).toEqual([5, 2]);
    expect(second.stderr).toContain('in doubt');

    expect(await night()).toEqual({ exitCode: 0, stderr: '' });
    expect(created()).toBe(2);
    // A night later nothing is left to do.
    expect(await night()).toEqual({ exitCode: 0, stderr: '' });
    expect(created()).toBe(2);
  });

  it('mails the end of what paybatch said where it was killed', async () => {
    const { folder, run } = await openNight(await ownSandbox());
    await writeFile(join(folder, 'bin/paybatch'), '#!/bin/sh\necho in the middle\nkill -9 $$\n');
    const { exitCode, stderr } = run();
    expect(exitCode).toBe(137);
    expect(stderr).toContain(
      'paybatch ended with exit 137 without a notice; the last that it said:\nin the middle\n',
    );
  });

  it('is what the crontab starts, with settings that are options of the program', async () => {
    expect(await deployed('cron/crontab')).toMatch(
      /^15 2 \* \* \* {2}paybatch {2}\/usr\/local\/bin\/paybatch-nightly$/m,
    );
    expect(await deployed('cron/nightly.env')).toContain('PAYBATCH_BASE_URL=');
  });

  it('repeats while rows in doubt may be sent again without a stated lifetime of keys', async () => {
    const text = await readFile(script, 'utf8');
    expect(text).toContain('NIGHTLY_PAUSE_IN_SECONDS:-120}');
    expect(await deployed('systemd/paybatch.service')).toContain('RestartSec=2min');
  });
});

describe('the units for systemd', { timeout: wholeNights }, () => {
  it('start a command line of this program', async () => {
    const unit = await deployed('systemd/paybatch.service');
    const [, line = ''] = /^ExecStart=.*\/paybatch (.*)'$/m.exec(unit) ?? [];
    expect(await parseCommandLine(line.split(' '), 100)).toHaveProperty('work');
    expect(unit).toContain('RestartPreventExitStatus=1 2 3 5 6 8 70');
  });

  it('wait until what came in was left alone for two minutes', async () => {
    const { folder } = await openNight({});
    const unit = await deployed('systemd/paybatch.service');
    const [, line = ''] = /^ExecStartPre=\/bin\/sh -c '(.*)'$/m.exec(unit) ?? [];
    const wait = line.replaceAll('$$', '$').replaceAll('/srv/paybatch', folder);
    const waitedInMs = () => {
      const begun = performance.now();
      expect(spawnSync('/bin/sh', ['-c', wait], { env: { PATH: '/usr/bin:/bin' } }).status).toBe(0);
      return performance.now() - begun;
    };
    expect(waitedInMs()).toBeLessThan(4_500);
    await putFile({ folder }, 'old.csv', csvOf(customers(1)), 121);
    expect(waitedInMs()).toBeLessThan(4_500);
    const path = await putFile({ folder }, 'fresh.csv', csvOf(customers(1)), 114);
    expect(waitedInMs()).toBeGreaterThan(4_500);
    expect(Date.now() - (await stat(path)).mtimeMs).toBeGreaterThan(120_000);
  });

  it('take every format that import reads, name what they leave, and end with a command that has the settings', async () => {
    const ledger = await ownSandbox();
    const { folder } = await openNight(ledger);
    const left = await fillIncoming({ folder });
    const unit = await deployed('systemd/paybatch.service');
    const settings = join(folder, 'nightly.env');
    /** As systemd starts it, but for the places. */
    const start = (name: string, more: Readonly<Record<string, string>>): Night & { stdout: string } => {
      const [, line = ''] = new RegExp(`^${name}=/bin/sh -c '(.*)'$`, 'm').exec(unit) ?? [];
      const script = line
        .replaceAll('$$', '$')
        .replaceAll('/usr/local/bin/paybatch', join(folder, 'bin/paybatch'))
        .replaceAll('/run/paybatch', folder)
        .replaceAll('/srv/paybatch', folder)
        .replaceAll('/etc/paybatch/nightly.env', settings);
      const env = { PATH: '/usr/bin:/bin', HOME: folder, ...more };
      const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', script], {
        env,
        cwd: folder,
        encoding: 'utf8',
      });
      return { exitCode: status, stdout, stderr };
    };
    const own = { ...ledger, CREDENTIALS_DIRECTORY: folder };
    const { exitCode, stdout } = start('ExecStart', own);
    expect(exitCode).toBe(0);
    expect(stdout.split('\n').slice(0, left.length)).toEqual(
      left.map((name) => `paybatch: left, since import reads no such files: ${folder}/incoming/${name}`),
    );
    expect(await createdIn(folder)).toBe(endings.length);
    expect(start('ExecStopPost', { EXIT_STATUS: '0' })).toMatchObject({ exitCode: 0, stdout: '' });
    await writeFile(join(folder, 'notice'), 'what a person has to do\n');
    const [, command = ''] =
      /^what a person has to do\npaybatch: exit 4; as .*: (cd .*)\n$/.exec(
        start('ExecStopPost', { EXIT_STATUS: '4' }).stdout,
      ) ?? [];
    const read = spawnSync('/bin/sh', ['-c', command], {
      env: { PATH: '/usr/bin:/bin', HOME: folder },
      cwd: '/',
      encoding: 'utf8',
    });
    expect(read.status).toBe(0);
  });

  it('are units that systemd takes, where it is there', async () => {
    if (spawnSync('systemd-analyze', ['--version']).status !== 0) return;
    const folder = await mkdtemp(join(inject('testFolder'), 'units-'));
    for (const name of ['paybatch.service', 'paybatch.timer', 'paybatch-mail.service']) {
      const unit = await deployed(`systemd/${name}`);
      // The program and its user are the other machine's.
      await writeFile(join(folder, name), unit.replace(/^User=.*$/m, ''));
    }
    const { status, stderr } = spawnSync(
      'systemd-analyze',
      ['verify', '--man=no', ...['paybatch.service', 'paybatch.timer'].map((name) => join(folder, name))],
      { encoding: 'utf8' },
    );
    expect({ status, stderr: stderr.split('\n').filter((line) => line.includes(folder)) }).toEqual({
      status: 0,
      stderr: [],
    });
  });
});

it('the shipped settings hold changed payees, wherever they are used', async () => {
  expect(await deployed('cron/nightly.env')).toMatch(/^PAYBATCH_CHANGES=hold$/m);
  expect(await deployed('systemd/paybatch.service')).toMatch(/^Environment=PAYBATCH_CHANGES=hold$/m);
  const job = parse(await deployed('kubernetes/job.yaml'));
  expect(job.spec.template.spec.containers[0].env).toEqual([
    { name: 'PAYBATCH_LIVE_KEY_FINGERPRINT', value: '0'.repeat(16) },
    { name: 'PAYBATCH_LEDGER_ID', value: '00000000-0000-0000-0000-000000000000' },
    { name: 'PAYBATCH_POLICY_HASH', value: '0'.repeat(64) },
    { name: 'PAYBATCH_CHANGES', value: 'hold' },
    { name: 'PAYBATCH_NOTICE', value: '/dev/termination-log' },
  ]);
});

it('the mail of the units for systemd has what a person has to do', async () => {
  const folder = await mkdtemp(join(inject('testFolder'), 'mail-'));
  await writeFile(join(folder, 'notice'), 'what a person has to do\n');
  await writeFile(join(folder, 'sendmail'), '#!/bin/sh\ncat\n', { mode: 0o755 });
  const unit = await deployed('systemd/paybatch-mail.service');
  const [, line = ''] = /^ExecStart=\/bin\/sh -c '(.*)'$/m.exec(unit) ?? [];
  // As systemd reads it, but for the places.
  const text = line.replaceAll('$$', '$').replaceAll('%%', '%').replaceAll('\\\\', '\\');
  const places = text.replaceAll('/run/paybatch', folder).replaceAll('/usr/sbin', folder);
  const env = { PATH: '/usr/bin:/bin', MAILTO: 'ops@example.com' };
  const { stdout } = spawnSync('/bin/sh', ['-c', places], { env, encoding: 'utf8' });
  expect(stdout).toMatch(
    /^To: ops@example\.com\nSubject: paybatch on .* needs a person\n\nwhat a person has to do\nMore: /,
  );
});

describe('the Job for Kubernetes', () => {
  it('runs a command line of this program, and is repeated for 4 and 7 only', async () => {
    const job = parse(await deployed('kubernetes/job.yaml'));
    expect(job).toMatchObject({ apiVersion: 'batch/v1', kind: 'Job' });
    const { spec } = job;
    const [container] = spec.template.spec.containers;
    expect(await parseCommandLine(container.args, 100)).toHaveProperty('work');
    const [{ onExitCodes }] = spec.podFailurePolicy.rules;
    expect(onExitCodes).toEqual({
      containerName: container.name,
      operator: 'In',
      values: [1, 2, 3, 5, 6, 8, 70],
    });
  });
});

it('the image has a supported long-term version of Node, which the package takes and the tests run on', async () => {
  const images = Array.from(
    (await readFile(join(root, 'Dockerfile'), 'utf8')).matchAll(/^FROM node:(\d+)/gm),
    ([, major = '']) => major,
  );
  const { engines } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const [, asked] = /^>=(\d+)\./.exec(engines.node) ?? [];
  const [, tested = ''] =
    /node: \[([\d, ]+)\]/.exec(await readFile(join(root, '.github/workflows/ci.yml'), 'utf8')) ?? [];
  const [build, run] = images;
  expect(images).toEqual([build, build]);
  expect(tested.split(', ')).toContain(run);
  expect(Number(run)).toBeGreaterThanOrEqual(Number(asked));
  // Long-term versions have even numbers.
  expect(Number(run) % 2).toBe(0);
});
