import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import type { FaultName } from '../../src/sandbox/faults.ts';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';

interface ListedFailure {
  readonly file: string | null;
  readonly exit_code: number;
  readonly code: string;
  readonly command: string;
  readonly times: number;
}

async function failuresIn(desk: Desk): Promise<ListedFailure[]> {
  const { stdout } = await desk.json(['status']);
  return JSON.parse(stdout).failed_runs;
}

const nonsense = 'foo,bar\n1,2\n';

describe.each(inject('ledgers'))('a run that failed without a batch, on the %s ledger', (ledger) => {
  it('is listed with its file, why and since when, until a later run takes the file in', async () => {
    const desk = await openDesk({ ledger });
    const good = await desk.write('good.csv', csvOf(customers(2)));
    const bad = await desk.write('bad.csv', nonsense);
    const words = ['import', good, bad, '--skip-refused'];
    for (const _ of [1, 2]) expect((await desk.run(words)).exitCode).toBe(3);
    const [failure, ...others] = await failuresIn(desk);
    expect(others).toEqual([]);
    const file = join(desk.folder, bad);
    expect(failure).toMatchObject({ file, exit_code: 3, code: 'unknown_kind', command: 'import', times: 2 });
    const { stdout } = await desk.run(['status']);
    expect(stdout).toContain('1 run failed, and no later one made up for it:\n');
    expect(stdout).toContain(`exit 3: paybatch import ${file}`);
    expect(stdout).toMatch(
      /since 20\d\d-\d\d-\d\d \d\d:\d\d UTC, 2 times; the last time on .* UTC, by \S+ on \S+/,
    );
    expect(stdout).toContain('next: name it: --kind customers');
    // Another file of that night does not end it.
    await desk.run(['import', good]);
    expect(await failuresIn(desk)).toHaveLength(1);
    await desk.write('bad.csv', csvOf(customers(3)));
    expect((await desk.run(['plan', bad])).exitCode).toBe(0);
    expect(await failuresIn(desk)).toEqual([]);
  });
});

it('is not listed any more once its file is gone', async () => {
  const desk = await openDesk();
  await desk.run(['import', await desk.write('bad.csv', nonsense)]);
  expect(await failuresIn(desk)).toHaveLength(1);
  await rm(join(desk.folder, 'bad.csv'));
  expect(await failuresIn(desk)).toEqual([]);
});

it('as a whole is listed until a run with the same API completes; a refused key until a key is accepted', async () => {
  let fault: FaultName | undefined = '401';
  const desk = await openDesk({ onRequest: () => fault });
  const file = await desk.write('people.csv', csvOf(customers(3)));
  const noKey = { env: { PAYBATCH_API_KEY: '' } };
  expect((await desk.run(['import', file], noKey)).exitCode).toBe(2);
  expect((await desk.run(['import', file])).exitCode).toBe(6);
  const codes = (await failuresIn(desk)).map(({ code, file: about, exit_code: exit }) => [code, about, exit]);
  expect(codes).toEqual([
    ['credentials', null, 6],
    ['api_key_missing', null, 2],
  ]);
  // A plan asks the API for nothing here.
  await desk.run(['plan', await desk.write('other.csv', csvOf(customers(1, 9)))]);
  expect(await failuresIn(desk)).toHaveLength(2);
  fault = undefined;
  expect((await desk.run(['resume'])).exitCode).toBe(0);
  expect(await failuresIn(desk)).toEqual([]);
});

it('is not listed if a person stopped it, if its batch reports the cause, or if another run is at work', async () => {
  const desk = await openDesk({ onRequest: () => '422' });
  const file = await desk.write('people.csv', csvOf(customers(120)));
  expect((await desk.run(['import', file])).exitCode).toBe(5);
  expect(await failuresIn(desk)).toEqual([]);
});

it('leaves no trace where there is no ledger, and makes none', async () => {
  const desk = await openDesk({ ledger: 'embedded' });
  const folder = { env: { PAYBATCH_LEDGER_DIR: join(desk.folder, 'none') } };
  expect((await desk.run(['import', await desk.write('bad.csv', nonsense)], folder)).exitCode).toBe(3);
  expect(existsSync(join(desk.folder, 'none'))).toBe(false);
  const { stdout } = await desk.json(['status'], folder);
  expect(JSON.parse(stdout)).toEqual({ exit_code: 0, batches: [], failed_runs: [], error: null });
});

describe('the notice of a run', () => {
  const noticed = async (desk: Desk, ...words: readonly string[]): Promise<[number | null, string]> => {
    const { exitCode } = await desk.run([...words, '--notice', 'notice.txt']);
    return [exitCode, await readFile(join(desk.folder, 'notice.txt'), 'utf8')];
  };

  it('is empty where all is done, and otherwise says what happened, since when, and who does what', async () => {
    const desk = await openDesk();
    const good = await desk.write('good.csv', csvOf(customers(2)));
    expect(await noticed(desk, 'import', good)).toEqual([0, '']);
    const people = customers(3, 5).map((row, at) => (at === 1 ? { ...row, email: 'nobody' } : row));
    const some = await desk.write('some.csv', csvOf(people));
    const bad = await desk.write('bad.csv', nonsense);
    await desk.run(['import', bad]);
    const [exitCode, text] = await noticed(desk, 'import', good, some, bad, '--skip-refused');
    expect(exitCode).toBe(3);
    expect(text).toMatch(
      /^paybatch import: exit 3, a file was refused\nsandbox, http:.*; by \S+ on \S+, .* UTC\n/,
    );
    expect(text).toContain(
      `REFUSED  ${join(desk.folder, bad)}: nothing of it was sent\n  why: bad.csv: its header`,
    );
    expect(text).toMatch(/ {2}when: since .* UTC, 2 times; the last time on/);
    expect(text).toContain('  to do: the sender corrects the file');
    expect(text).toMatch(/some\.csv \(customers, batch [0-9a-f]{8}\): 2 of 3 rows created; 1 invalid\n/);
    expect(text).toMatch(
      / {2}1 invalid since .* UTC\n {4}why: invalid email \(1\)\n {4}to do: the sender of the file/,
    );
    expect(text).toMatch(/paybatch import \S+some\.[0-9a-f]{8}\.failed\.csv/);
    // Not of what is done, and no value of a row.
    expect(text).not.toMatch(/good\.csv|nobody|people\.example/);
    // The file of an earlier run does not stay.
    expect(await noticed(desk, 'import', good)).toEqual([0, '']);
  });

  it('reports a refused key, settings that cannot be used, and an API that is down', async () => {
    const desk = await openDesk({ onRequest: () => '401' });
    const file = await desk.write('people.csv', csvOf(customers(2)));
    const [refused, ofKey] = await noticed(desk, 'import', file);
    expect(refused).toBe(6);
    expect(ofKey).toContain('exit 6, the API refused the key\n');
    expect(ofKey).toContain('to do: the administrator of this job checks the API key');
    expect(ofKey).toContain('  2 not sent\n    to do: first what is said of the run as a whole; then the');
    const away = ['--base-url', 'http://127.0.0.1:9', '--max-attempts', '1'];
    const [stopped, ofApi] = await noticed(desk, 'import', file, ...away);
    expect(stopped).toBe(4);
    expect(ofApi).toContain('exit 4, stopped before its end\n');
    expect(ofApi).toMatch(
      /The API gave no answer for 2 rows: connection refused at http:\/\/127\.0\.0\.1:9, since/,
    );
    expect(ofApi).toContain('to do: nothing yet, the next run sends them; if the API stays away, the');
    const none = { env: { PAYBATCH_API_KEY: '' } };
    await desk.run(['import', file, '--notice', 'notice.txt'], none);
    expect(await readFile(join(desk.folder, 'notice.txt'), 'utf8')).toContain(
      'exit 2, the settings cannot be used, and nothing was sent\n',
    );
  });

  it('changes nothing of how a run ends where it cannot be written', async () => {
    const desk = await openDesk();
    const file = await desk.write('people.csv', csvOf(customers(1)));
    const { exitCode, stderr } = await desk.run(['import', file, '--notice', 'nowhere/notice.txt']);
    expect(exitCode).toBe(0);
    expect(stderr).toContain('The notice could not be written to nowhere/notice.txt: ENOENT.');
  });
});
