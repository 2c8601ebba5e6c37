import { describe, expect, it } from 'vitest';
import { openDesk } from '../../support/cli-desk.ts';

describe('a reader that leaves early', () => {
  it('neither stops the run nor changes its exit code', async () => {
    const desk = await openDesk();
    const file = await desk.write('people.csv', 'first_name,last_name\nAda,Lovelace\n');
    const running = desk.start(['import', file]);
    running.child.stdout?.destroy();
    running.child.stderr?.destroy();
    expect((await running.ended).exitCode).toBe(0);
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(1);
    expect(await desk.resultNames()).toHaveLength(4);
  });
});
