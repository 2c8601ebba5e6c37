import { describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { csvOf, customers, readLog } from '../support/cli-files.ts';
import type { JsonSummary } from '../support/json-shapes/shared.ts';

/** Recipients whose owner type the API refuses, as the validator cannot know. */
function payees(count: number, given: Readonly<Record<string, string>> = {}): Record<string, string>[] {
  return Array.from({ length: count }, (_, index) => ({
    payee_type: 'bank_account_us',
    customer_external_id: 'C-1',
    account_name: 'Amina Otieno',
    account_number: String(40_001_000 + index),
    routing_number: '021000021',
    bank_name: 'Chase',
    currency: 'USD',
    account_owner_type: 'Privat',
    account_type: 'checking',
    address_line1: '1 Main Street',
    city: 'San Francisco',
    state: 'US-CA',
    country: 'US',
    postal_code: '94103',
    ...given,
  }));
}

/** A desk that knows the customer, and how many requests for recipients the API has seen. */
async function openPayeeDesk(): Promise<{ desk: Desk; sent: () => number }> {
  let sent = 0;
  const desk = await openDesk({
    onRequest: ({ method, path }) => {
      if (method === 'POST' && path.endsWith('/external-accounts')) sent += 1;
      return undefined;
    },
  });
  const end = await desk.run(['import', await desk.write('people.csv', csvOf(customers(1)))]);
  expect(end.exitCode).toBe(0);
  return { desk, sent: () => sent };
}

const countsOf = ({ batches }: JsonSummary): unknown => batches[0]?.counts;

describe('rows of a file that are all refused for one reason', () => {
  it('stop the sending, which only a person lets go on', async () => {
    const { desk, sent } = await openPayeeDesk();
    const file = await desk.write('payees.csv', csvOf(payees(120)));
    const first = await desk.json(['import', file]);
    expect(first.exitCode).toBe(5);
    const stopped = sent();
    expect(stopped).toBeGreaterThanOrEqual(50);
    // Those that were in flight when the fiftieth was refused.
    expect(stopped).toBeLessThan(50 + 16);
    expect(countsOf(first.summary)).toEqual({ rejected: stopped, not_sent: 120 - stopped });
    const batch = first.summary.batches[0]?.batch ?? '';
    const { error } = first.summary;
    expect(error?.code).toBe('refused_alike');
    expect(error?.message).toContain('account_owner_type must be an identifier in lower case');
    expect(error?.next).toContain('paybatch mapping payees.csv --edit');
    expect(error?.next).toContain(`paybatch resume ${batch.slice(0, 8)} --refused-alike off`);

    for (const words of [
      ['import', file],
      ['resume', batch],
      ['retry', batch],
      ['import', file, '--refused-alike', 'off'],
    ]) {
      const again = await desk.json(words);
      expect([words, again.exitCode, again.summary.error?.code]).toEqual([words, 5, 'refused_alike']);
      expect(countsOf(again.summary)).toEqual({ rejected: stopped, not_sent: 120 - stopped });
    }
    expect((await desk.json(['results', batch])).exitCode).toBe(5);
    expect(sent()).toBe(stopped);
    const { stdout } = await desk.run(['status', batch]);
    expect(stdout).toContain('--refused-alike off');

    const goneOn = await desk.json(['resume', batch, '--refused-alike', 'off']);
    expect([goneOn.exitCode, countsOf(goneOn.summary)]).toEqual([1, { rejected: 120 }]);
    expect(sent()).toBe(120);
    const events = readLog(await desk.resultText(`payees.${batch.slice(0, 8)}.run.jsonl`));
    expect(events.filter(({ event }) => event === 'run.stopped')[0]).toMatchObject({ code: 'refused_alike' });
  });

  it('stop it after as many as the option says, and other files of the call go on', async () => {
    const { desk, sent } = await openPayeeDesk();
    const other = await desk.write(
      'others.csv',
      csvOf(payees(3, { account_owner_type: 'individual', routing_number: '026009593' })),
    );
    const file = await desk.write('payees.csv', csvOf(payees(40)));
    const { exitCode, summary } = await desk.json([
      'import',
      file,
      other,
      '--refused-alike',
      '5',
      '--concurrency',
      '1',
    ]);
    expect(exitCode).toBe(5);
    expect(summary.batches.map(({ counts }) => counts)).toEqual([
      { rejected: 5, not_sent: 35 },
      { created: 3 },
    ]);
    expect(sent()).toBe(8);
  });

  it('are for a person as well where no other row is left, and nothing promises to send others', async () => {
    const { desk, sent } = await openPayeeDesk();
    const small = ['--refused-alike', '5', '--concurrency', '1'];
    const { exitCode, summary, ...end } = await desk.json([
      'import',
      await desk.write('payees.csv', csvOf(payees(5))),
      ...small,
    ]);
    expect([exitCode, countsOf(summary), summary.error?.code]).toEqual([5, { rejected: 5 }, 'refused_alike']);
    const batch = summary.batches[0]?.batch ?? '';
    const { stdout } = await desk.run(['status', batch]);
    for (const said of [end.stderr, stdout, summary.error?.next ?? '']) {
      expect(said).not.toContain('others');
    }
    expect(summary.error?.next).toContain('lets its rejected rows be sent again');
    expect(stdout.replace(/\s+/g, ' ')).toContain('5 rejected rows can be sent again then');
    expect((await desk.json(['retry', batch])).exitCode).toBe(5);
    await desk.json(['resume', batch, '--refused-alike', 'off']);
    expect(sent()).toBe(5);
    await desk.json(['retry', batch, '--refused-alike', 'off']);
    expect(sent()).toBe(10);
  });

  it('do not stop the run after a created row, with different reasons, or with the option off', async () => {
    const { desk } = await openPayeeDesk();
    const good = payees(1, { account_owner_type: 'individual', account_number: '55550000' });
    const mixed = await desk.write('mixed.csv', csvOf([...good, ...payees(20)]));
    const small = ['--refused-alike', '5', '--concurrency', '1'];
    expect(countsOf((await desk.json(['import', mixed, ...small])).summary)).toEqual({
      created: 1,
      rejected: 20,
    });

    const reasons = payees(8, { routing_number: '026009593' }).map((row, at) =>
      at % 2 === 0 ? row : { ...row, account_owner_type: 'individual', account_type: 'Giro' },
    );
    const two = await desk.write('two.csv', csvOf(reasons));
    expect(countsOf((await desk.json(['import', two, ...small])).summary)).toEqual({ rejected: 8 });

    const off = await desk.write('off.csv', csvOf(payees(70, { routing_number: '122105155' })));
    const { exitCode, summary } = await desk.json(['import', off, '--refused-alike', 'off']);
    expect([exitCode, countsOf(summary)]).toEqual([1, { rejected: 70 }]);
  });

  it('do not include rows with a waiting code', async () => {
    const { desk } = await openPayeeDesk();
    const file = await desk.write('payees.csv', csvOf(payees(12)));
    const words = ['--refused-alike', '5', '--concurrency', '1', '--waiting-codes', 'invalid_value'];
    const { exitCode, summary } = await desk.json(['import', file, ...words]);
    expect([exitCode, countsOf(summary)]).toEqual([1, { waiting: 12 }]);
  });
});
