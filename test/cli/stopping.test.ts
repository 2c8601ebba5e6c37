import { describe, expect, it } from 'vitest';
import type { FaultName } from '../../src/sandbox/server.ts';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';

describe('a run that cannot go on', () => {
  it.each<[FaultName, string, 'unknown' | 'not_sent']>([
    ['html', 'not_the_api', 'unknown'],
    ['redirect', 'redirect', 'unknown'],
    ['404', 'wrong_path', 'not_sent'],
  ])('because of %s stops after a few requests, and what was sent is %s, %s', async (fault, code, status) => {
    let isBroken = true;
    let requests = 0;
    const desk = await openDesk({
      onRequest: () => {
        requests += 1;
        return isBroken ? fault : undefined;
      },
    });
    const file = await desk.write('people.csv', csvOf(customers(120)));
    const stopped = await desk.json(['import', file]);
    expect(stopped.summary).toMatchObject({ exit_code: 4, error: { code } });
    expect(requests).toBeLessThan(40);
    const sent = (await desk.results()).filter((row) => row['result_attempts'] !== '0');
    expect(sent).toHaveLength(requests);
    expect(new Set(sent.map((row) => row['result_status']))).toEqual(new Set([status]));
    const others = status === 'unknown' ? { unknown: requests, not_sent: 120 - requests } : { not_sent: 120 };
    expect(stopped.summary.batches[0]?.counts).toEqual(others);
    isBroken = false;
    const resumed = await desk.json(['resume']);
    expect(resumed.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 120 } }] });
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(120);
  });

  it('because the API is down stops after some tens of requests, not hundreds', async () => {
    let isDown = true;
    let requests = 0;
    const desk = await openDesk({
      onRequest: () => {
        requests += 1;
        return isDown ? '500_before' : undefined;
      },
    });
    const file = await desk.write('people.csv', csvOf(customers(300)));
    const stopped = await desk.json(['import', file]);
    expect(stopped.summary).toMatchObject({ exit_code: 4, error: { code: 'unavailable' } });
    expect(requests).toBeLessThan(100);
    const [batch] = stopped.summary.batches;
    expect(batch?.counts.not_sent ?? 0).toBeGreaterThan(200);
    isDown = false;
    const again = await desk.json(['import', file]);
    expect(again.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 300 } }] });
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(300);
  });

  it('because nothing listens there leaves every row as it was', async () => {
    const desk = await openDesk();
    const file = await desk.write('people.csv', csvOf(customers(50)));
    await desk.sandbox.close();
    const { summary } = await desk.json(['import', file]);
    expect(summary).toMatchObject({
      exit_code: 4,
      batches: [{ counts: { not_sent: 50 } }],
      error: { code: 'unavailable' },
    });
    expect((await desk.results())[49]).toMatchObject({ result_status: 'not_sent', result_row: '51' });
  });
});
