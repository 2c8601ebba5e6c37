import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';

/** What a terminal would act on, beside the ends of our own lines. */
const actsOnTerminal = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u;
const name = 'a\u001b[2J\u009b31m\npaybatch: all is well\u202e.csv';

describe('names that would act on a terminal', () => {
  it.each([
    ['a file that is not there', ['import', name]],
    ['an option', ['status', `--${name}`]],
    ['a batch', ['status', name]],
    ['a config file', ['status', '--config', name]],
    ['a key in a config file', ['status', '--config', 'config.json']],
  ])('are shown as text: %s', async (_what, words) => {
    const desk = await openDesk();
    await desk.write('config.json', JSON.stringify({ [name]: 1 }));
    const { stderr, stdout } = await desk.run(words);
    expect(stderr).toMatch(/^paybatch: .*a\uFFFD\[2J/);
    expect(stderr + stdout).not.toMatch(actsOnTerminal);
    expect(stderr).not.toMatch(/^paybatch: all is well/m);
  });

  it('are shown as text where all goes well, and in JSON keep their meaning', async () => {
    const desk = await openDesk();
    await desk.write(name, csvOf([...customers(1), { ...customers(1, 2)[0], email: 'none' }]));
    for (const command of ['validate', 'plan', 'import']) {
      const { stderr, stdout } = await desk.run([command, name]);
      expect(stdout).toContain('all is well');
      expect(stderr + stdout).not.toMatch(actsOnTerminal);
      expect(stderr + stdout).not.toMatch(/^paybatch: all is well/m);
    }
    const { stdout } = await desk.run(['results', await batchOf(desk), '--json']);
    expect(stdout).not.toMatch(actsOnTerminal);
    expect(JSON.parse(stdout).batches[0].file).toBe(name);
  });
});

async function batchOf(desk: Awaited<ReturnType<typeof openDesk>>): Promise<string> {
  return (await desk.results())[0]?.['result_batch'] ?? '';
}

const prlimit = '/usr/bin/prlimit';

it.runIf(existsSync(prlimit))('a ledger that cannot be made is explained in words', async () => {
  const desk = await openDesk({ ledger: 'embedded' });
  const running = desk.start(['migrate', '--ledger-dir', 'fresh']);
  execFileSync(prlimit, ['--pid', String(running.child.pid), '--fsize=100000']);
  const { stderr, exitCode } = await running.ended;
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain('fresh');
  expect(stderr).not.toContain('[object Object]');
  expect(stderr).not.toContain('DATABASE_URL');
});
