import { describe, expect, it } from 'vitest';
import { type Desk, type DeskOptions, openDesk } from '../support/cli-desk.ts';
import { csvOf, customer, customers } from '../support/cli-files.ts';
import { quickPauses } from '../support/quick-pauses.ts';

quickPauses();

/** Customers of which those from one number to another always get HTTP 500. */
function customersWithBad(count: number, firstBad: number, bad: number): Record<string, string>[] {
  return customers(count).map((each, index) =>
    index + 1 >= firstBad && index + 1 < firstBad + bad
      ? customer(index + 1, { last_name: 'Error Always' })
      : each,
  );
}

/** A desk that counts requests to the API. */
async function openCountingDesk(
  options: DeskOptions = {},
): Promise<{ readonly desk: Desk; readonly requests: () => number }> {
  let requests = 0;
  const desk = await openDesk({
    ...options,
    onRequest: (info) => {
      requests += 1;
      return options.onRequest?.(info);
    },
  });
  return { desk, requests: () => requests };
}

const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');

describe('rows that always fail, while others are created', () => {
  it.each([
    ['in the middle', 100, 41, 10, '16'],
    ['that are the last ones', 60, 51, 10, '16'],
    ['that are the first ones', 60, 1, 10, '16'],
    ['that are many, side by side', 300, 101, 35, '16'],
    ['that are many, one request at a time', 150, 40, 35, '1'],
  ])('stop nothing: %s', async (_where, count, firstBad, bad, concurrency) => {
    const { desk } = await openCountingDesk();
    const people = await desk.write('people.csv', csvOf(customersWithBad(count, firstBad, bad)));
    const others = await desk.write('others.csv', csvOf(customers(5, 1_000)));
    const words = ['import', people, others, '--concurrency', concurrency];
    const first = await desk.json(words);
    expect(first.summary).toMatchObject({
      exit_code: 5,
      error: null,
      batches: [{ counts: { created: count - bad, unknown: bad } }, { counts: { created: 5 } }],
    });
    // The next night asks for nothing but these rows again.
    const second = await desk.run(words);
    expect(second.exitCode).toBe(5);
    const rows = `rows ${firstBad + 1} to ${firstBad + bad}`;
    expect(flat(second.stdout)).toContain(`${bad} rows always get HTTP 500: ${rows}`);
  });

  it('let a file go that comes after them, night after night', async () => {
    const { desk } = await openCountingDesk();
    const people = await desk.write('people.csv', csvOf(customersWithBad(40, 11, 10)));
    expect((await desk.run(['import', people])).exitCode).toBe(5);
    const later = await desk.write('later.csv', csvOf(customers(47, 1_000)));
    const night = await desk.json(['import', people, later]);
    expect(night.summary).toMatchObject({
      exit_code: 5,
      error: null,
      batches: [{ counts: { created: 30, unknown: 10 } }, { counts: { created: 47 } }],
    });
  });

  it('do not keep an interrupted run from sending the rows after them when it continues', async () => {
    // As an earlier version left it: a run that gave up at the bad rows.
    let isDown = true;
    const { desk } = await openCountingDesk({ onRequest: () => (isDown ? '500_before' : undefined) });
    const people = await desk.write('people.csv', csvOf(customersWithBad(200, 1, 35)));
    expect((await desk.run(['import', people])).exitCode).toBe(4);
    isDown = false;
    const night = await desk.json(['import', people]);
    expect(night.summary).toMatchObject({
      exit_code: 5,
      error: null,
      batches: [{ counts: { created: 165, unknown: 35 } }],
    });
  });
});

describe('an API that is down', () => {
  it.each(['1', '16'])('is detected after some tens of requests, %s at a time', async (concurrency) => {
    const { desk, requests } = await openCountingDesk({ onRequest: () => '500_before' });
    const people = await desk.write('people.csv', csvOf(customers(2_000)));
    const { summary } = await desk.json(['import', people, '--concurrency', concurrency]);
    expect(summary).toMatchObject({ exit_code: 4, error: { code: 'unavailable' } });
    expect(requests()).toBeLessThan(40);
  });

  it('is detected in the middle of a run too', async () => {
    let left = 500;
    const { desk, requests } = await openCountingDesk({
      onRequest: () => {
        left -= 1;
        return left < 0 ? '503' : undefined;
      },
    });
    const people = await desk.write('people.csv', csvOf(customers(2_000)));
    const { summary } = await desk.json(['import', people]);
    expect(summary).toMatchObject({ exit_code: 4, error: { code: 'unavailable' } });
    expect(requests()).toBeLessThan(550);
  });

  it('does not put many more rows in doubt in the next runs', async () => {
    const { desk } = await openCountingDesk({ onRequest: () => '500_before' });
    const people = await desk.write('people.csv', csvOf(customers(500)));
    const nights = [];
    for (let night = 0; night < 3; night += 1) nights.push(await desk.json(['import', people]));
    const doubts = nights.map(({ summary }) => summary.batches[0]?.counts.unknown ?? 0);
    expect(nights.map(({ exitCode }) => exitCode)).toEqual([4, 4, 4]);
    expect(doubts[0]).toBeLessThan(40);
    expect(doubts[2]).toBeLessThan((doubts[0] ?? 0) + 10);
  });

  it('is detected even if only a few rows remain', async () => {
    const { desk } = await openCountingDesk({ onRequest: () => '500_before' });
    const people = await desk.write('people.csv', csvOf(customers(6)));
    const { summary } = await desk.json(['import', people]);
    expect(summary).toMatchObject({ exit_code: 4, error: { code: 'unavailable' } });
  });
});
