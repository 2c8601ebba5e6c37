import { describe, expect, it } from 'vitest';
import { startCli } from '../support/cli.ts';
import { describeExitCodes } from './exit-codes.ts';

/** Of real processes in exit-codes-of-processes.test.ts, which takes longer. */
describe('the exit code', () => describeExitCodes('in_process'));

it('is that of the process', async () => {
  const options = { cwd: process.cwd() };
  const words = ['import', 'people.csv', '--colour', 'red'];
  expect((await startCli(words, options).ended).exitCode).toBe(2);
  expect((await startCli(['--version'], options).ended).exitCode).toBe(0);
});
