import { describe, expect, it } from 'vitest';
import { openTerminal } from '../../../src/cli/terminal/terminal.ts';
import { openDesk } from '../../support/cli-desk.ts';
import { collectText } from '../../support/in-process.ts';

describe('a reader that leaves early', () => {
  it('neither stops the run nor changes its exit code', async () => {
    const desk = await openDesk();
    const file = await desk.write('people.csv', 'first_name,last_name\nAda,Lovelace\n');
    const running = desk.start(['import', file]);
    running.child.stdout?.destroy();
    running.child.stderr?.destroy();
    expect((await running.ended).exitCode).toBe(0);
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(1);
    const endings = (await desk.resultNames()).map((name) => name.split('.').slice(2).join('.'));
    expect(endings.sort()).toEqual(['objects.csv', 'report.html', 'results.csv', 'run.head', 'run.jsonl']);
  });
});

it.each([
  [{}, 'a result\n', 'a note\na complaint\n'],
  [{ json: true }, '', 'a note\na complaint\n'],
  [{ json: true, quiet: true }, '', 'a complaint\n'],
  [{ quiet: true }, 'a result\n', 'a complaint\n'],
])('with %j results and notes go where they belong', (given, printed, said) => {
  const streams = { stdout: collectText(), stderr: collectText() };
  const terminal = openTerminal({ json: false, quiet: false, verbose: false, ...given }, {}, streams);
  terminal.print('a result');
  terminal.say('a note');
  terminal.complain('a complaint');
  expect([streams.stdout.text(), streams.stderr.text()]).toEqual([printed, said]);
});
