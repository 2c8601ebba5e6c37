import { describe, expect, it } from 'vitest';
import { commands, optionsOf } from '../../src/cli/definitions/commands.ts';
import { parseCommandLine } from '../../src/cli/program.ts';
import { PaybatchError } from '../../src/domain/failures/paybatch-error.ts';
import { nextTyped } from '../support/words.ts';

async function refusalOf(words: readonly string[]): Promise<PaybatchError> {
  try {
    await parseCommandLine(words, 100);
  } catch (error) {
    if (error instanceof PaybatchError) return error;
    throw error;
  }
  throw new Error('the command line was not refused');
}

describe('a command line', () => {
  it.each([
    ['an unknown option', ['import', 'a.csv', '--colour', 'red'], 'There is no option --colour of import.'],
    ['an option that is misspelt', ['import', 'a.csv', '--bas-url=x'], 'Did you mean --base-url?'],
    [
      'a misspelt flag that takes the file for its value',
      ['import', '--jsno', 'a.csv'],
      'Did you mean --json?',
    ],
    ['an option with one hyphen', ['import', 'a.csv', '-kind', 'customers'], 'Did you mean --kind?'],
    [
      'a part of an option that has none',
      ['import', 'a.csv', '--out.x=1'],
      'There is no option --out.x of import.',
    ],
    ['an unknown letter', ['import', 'a.csv', '-x'], 'There is no option -x of import.'],
    ['an unknown command', ['frobnicate', 'a.csv'], 'There is no command "frobnicate".'],
    ['a command that is misspelt', ['--json', 'improt', 'a.csv'], 'Did you mean import?'],
    ['options and no command', ['--json'], 'Which command?'],
    ['no file', ['import'], 'paybatch import needs FILE...'],
    ['no batch', ['results'], 'paybatch results needs BATCH'],
    ['no log', ['recover', 'a.csv'], 'paybatch recover needs --log'],
    ['an argument that no command takes', ['doctor', 'now'], 'takes no argument: now.'],
    ['one batch too many', ['results', 'abcd', 'efgh'], 'takes BATCH and no more: efgh.'],
    [
      'a mode that there is not',
      ['import', 'a.csv', '--mode', 'lives'],
      'has to be sandbox or live. Did you mean live?',
    ],
    ['a shell that there is not', ['completion', 'bsh'], 'Did you mean bash?'],
    ['a payee type that there is not', ['template', 'recipients', '--payee-type', 'mobile'], 'mobile_money'],
    ['an option without its value', ['import', 'a.csv', '--out'], '--out needs a value.'],
    ['an option in the place of a value', ['import', 'a.csv', '--out', '--json'], 'written --out=--json.'],
  ])('with %s is refused as a mistake of usage', async (_, words, sentence) => {
    const refusal = await refusalOf(words);
    expect({ kind: refusal.kind, code: refusal.code }).toEqual({ kind: 'usage', code: 'usage' });
    expect(refusal.message).toContain(sentence);
    expect(await parseCommandLine(nextTyped(refusal)?.split(' ').slice(1) ?? [], 100)).toHaveProperty('text');
  });

  it('may have the options of its command before it', async () => {
    const call = await parseCommandLine(['--row', '12', '--out', 'import', 'status', 'abcd'], 100);
    expect('options' in call && call.options).toMatchObject({ row: '12', out: 'import', batch: 'abcd' });
  });

  it('is answered with a version', async () => {
    expect(await parseCommandLine(['--version'], 100)).toEqual({
      text: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
  });

  it('gives options as they were typed, numbers and leading zeros included', async () => {
    const call = await parseCommandLine(
      ['import', '007', '--kind', 'customers', '--max-invalid', '010'],
      100,
    );
    expect('options' in call && call.options).toMatchObject({ file: ['007'], 'max-invalid': '010' });
  });

  it('takes - as the name of standard input', async () => {
    const call = await parseCommandLine(['import', '-', '--json'], 100);
    expect('options' in call && call.options).toMatchObject({ file: ['-'], json: true });
    const among = await parseCommandLine(['import', 'a.csv', '-', '--kind', 'customers'], 100);
    expect('options' in among && among.options).toMatchObject({ file: ['a.csv', '-'] });
    const one = await parseCommandLine(['mapping', '-'], 100);
    expect('options' in one && one.options).toMatchObject({ file: '-' });
  });

  it('takes every word behind -- as an argument', async () => {
    const call = await parseCommandLine(['import', '--json', '--', '-a.csv', '--help-all'], 100);
    expect('options' in call && call.options).toMatchObject({ file: ['-a.csv', '--help-all'], json: true });
  });

  it('may have a flag of its command before it, which does not take the command for its value', async () => {
    const call = await parseCommandLine(['--replay', 'reconcile', 'abcd'], 100);
    expect('options' in call && call.options).toMatchObject({ replay: true, batch: 'abcd' });
    const kinds = new Map<string, string>();
    for (const { name, type } of commands.flatMap(({ options }) => [...options, ...optionsOf(null)])) {
      const isFlag = type === 'boolean' ? 'flag' : 'value';
      expect({ name, isFlag: kinds.get(name) ?? isFlag }).toEqual({ name, isFlag });
      kinds.set(name, isFlag);
    }
  });
});
