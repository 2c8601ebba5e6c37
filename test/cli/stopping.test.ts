import { describe, expect, it } from 'vitest';
import type { FaultName } from '../../src/sandbox/faults.ts';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';
import { statusObject } from '../support/json-shapes/status.ts';
import { quickPauses } from '../support/quick-pauses.ts';

quickPauses();

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

describe('an API that is down', () => {
  const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');

  it('is named with its cause and since when, by the run, its log and status, and no row counts as done', async () => {
    const desk = await openDesk();
    const file = await desk.write('people.csv', csvOf(customers(2)));
    await desk.sandbox.close();
    const cause = `The API gave no answer for 2 rows: connection refused at ${desk.sandbox.url}, since `;
    const first = await desk.run(['import', file, '--max-attempts', '1']);
    expect(first.exitCode).toBe(4);
    expect(flat(first.stdout)).toContain(cause);
    // What a log has of the progress.
    expect(first.stderr).toContain('0 of 2 rows (0%)');
    expect(first.stderr).not.toContain('2 of 2 rows');
    const { stdout } = await desk.json(['status']);
    const [batch] = statusObject.parse(JSON.parse(stdout)).batches;
    expect(batch?.unanswered).toMatchObject({ code: 'connection_refused', rows: 2, http_status: null });
    await desk.run(['import', file, '--max-attempts', '1']);
    for (const words of [['status'], ['status', batch?.batch ?? '']]) {
      expect(flat((await desk.run(words)).stdout)).toContain(cause);
    }
    const again = statusObject.parse(JSON.parse((await desk.json(['status'])).stdout)).batches[0];
    expect(again?.unanswered).toEqual(batch?.unanswered);
  });

  it('and answers with a fault of its own is named as well, until it answers again', async () => {
    let fault: FaultName | undefined = '503';
    const desk = await openDesk({ onRequest: () => fault });
    const file = await desk.write('people.csv', csvOf(customers(30)));
    const stopped = await desk.run(['import', file, '--max-attempts', '1']);
    expect(stopped.exitCode).toBe(4);
    expect(flat(stopped.stdout)).toContain('fault of the API itself (HTTP 503) at http://127');
    expect(flat(stopped.stderr)).toContain('the last with: fault of the API itself (HTTP 503)');
    fault = undefined;
    const resumed = await desk.run(['resume']);
    expect([resumed.exitCode, resumed.stdout]).toEqual([0, expect.not.stringContaining('no answer')]);
  });
});
