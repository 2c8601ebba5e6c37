import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { completionScript } from '../../../src/cli/definitions/completion.ts';

/** What bash offers at the end of a line. */
async function offered(line: string): Promise<string[]> {
  const words = line.split(' ');
  const script = [
    await completionScript('bash'),
    `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`,
    // Only a completion under way may change its options.
    `compopt() { :; }; _paybatch; printf "%s\\n" "$\{COMPREPLY[@]}"`,
  ].join('\n');
  const { stdout, stderr, status } = spawnSync('bash', ['-c', script], {
    encoding: 'utf8',
    cwd: import.meta.dirname,
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return stdout.split('\n').filter((word) => word !== '');
}

function hasShell(shell: string): boolean {
  return spawnSync(shell, ['--version']).status === 0;
}

describe('the completion of bash', () => {
  it.each([
    ['paybatch res', ['resume', 'resolve', 'results']],
    ['paybatch --help', ['--help', '--help-all']],
    ['paybatch status --ro', ['--row']],
    ['paybatch import --kind c', ['customers', 'collections']],
    ['paybatch resolve 961a --as ', ['created', 'not-created', 'existing', 'send']],
    ['paybatch template x --payee-type mo', ['mobile_money']],
    ['paybatch completion ', ['bash', 'zsh', 'fish']],
    ['paybatch import compl', ['completion.test.ts']],
    ['paybatch results --row', []],
    ['paybatch --out status import --plan', ['--plan-hash']],
  ])('offers for %s what suits there', async (line, words) => {
    expect(await offered(line)).toEqual(words);
  });
});

describe('the completion script', () => {
  it.each(['bash', 'zsh', 'fish'])('of %s is one that this shell can read', async (shell) => {
    const script = await completionScript(shell);
    expect(script).toContain('plan-hash');
    if (!hasShell(shell)) return;
    const path = join(mkdtempSync(join(inject('testFolder'), 'completion-')), 'script');
    writeFileSync(path, script);
    const { stderr, status } = spawnSync(shell, ['-n', path], { encoding: 'utf8' });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  });
});
