import { describe, expect, test } from 'vitest';
import { parseCommandLine } from '../../src/cli/program.ts';
import { Failure } from '../../src/domain/failure.ts';

async function refusalOf(words: readonly string[]): Promise<Failure> {
  try {
    await parseCommandLine(words, 100);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('the command line was not refused');
}

describe('a command line', () => {
  test.each([
    ['an unknown option', ['import', 'a.csv', '--colour', 'red'], 'colour'],
    ['an unknown command', ['frobnicate', 'a.csv'], 'frobnicate'],
    ['a command that is misspelt', ['imprt', 'a.csv'], 'import'],
    ['no file', ['import'], 'got 0'],
    ['no batch', ['results'], 'got 0'],
    ['one batch too many', ['results', 'abcd', 'efgh'], 'efgh'],
    ['a mode that there is not', ['import', 'a.csv', '--mode', 'production'], 'mode'],
    ['an option without its value', ['import', 'a.csv', '--out'], 'out'],
  ])('with %s is refused as a mistake of usage', async (_, words, named) => {
    const refusal = await refusalOf(words);
    expect({ exitCode: refusal.exitCode, code: refusal.code }).toEqual({ exitCode: 2, code: 'usage' });
    expect(refusal.message).toContain(named);
  });

  test('is answered with a version', async () => {
    expect(await parseCommandLine(['--version'], 100)).toEqual({
      text: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
  });

  test('gives options as they were typed, numbers and leading zeros included', async () => {
    const call = await parseCommandLine(
      ['import', '007', '--kind', 'customers', '--max-invalid', '010'],
      100,
    );
    expect('given' in call && call.given).toMatchObject({ file: ['007'], 'max-invalid': '010' });
  });

  test('takes - as the name of standard input', async () => {
    const call = await parseCommandLine(['import', '-', '--json'], 100);
    expect('given' in call && call.given).toMatchObject({ file: ['-'], json: true });
    const among = await parseCommandLine(['import', 'a.csv', '-', '--kind', 'customers'], 100);
    expect('given' in among && among.given).toMatchObject({ file: ['a.csv', '-'] });
  });
});
