import { expect, it } from 'vitest';
import { openDesk } from '../support/cli-desk.ts';
import { account, csvOf, customer, customers, readLog } from '../support/cli-files.ts';

it('sends refused rows under new keys and waiting rows, and nothing else', async () => {
  let isBroken = true;
  const sent: { key: string; text: string }[] = [];
  const desk = await openDesk({
    onRequest: ({ idempotencyKey = '', body }) => {
      const text = JSON.stringify(body);
      sent.push({ key: idempotencyKey, text });
      if (!isBroken) return undefined;
      if (text.includes('"C-2"')) return '422';
      if (text.includes('"C-3"')) return '500_after';
      return text.includes('"C-4"') ? '409' : undefined;
    },
  });
  const people = await desk.write('people.csv', csvOf(customers(5)));
  const wallets = await desk.write('wallets.csv', csvOf([1, 2].map((number) => account(number))));
  const first = await desk.json(['import', people, wallets, '--max-attempts', '1']);
  expect(first.summary).toMatchObject({
    exit_code: 5,
    batches: [
      { kind: 'customers', counts: { created: 2, rejected: 1, unknown: 1, held: 1 } },
      { kind: 'accounts', counts: { created: 1, waiting: 1 } },
    ],
  });
  const [peopleBatch, walletBatch] = first.summary.batches.map(({ batch }) => batch ?? '');
  const before = await desk.results('people');
  const walletsBefore = await desk.results('wallets');
  isBroken = false;
  sent.length = 0;

  const retried = await desk.json(['retry', peopleBatch ?? '']);
  expect(retried.summary).toMatchObject({
    exit_code: 5,
    batches: [{ counts: { created: 3, unknown: 1, held: 1 } }],
  });
  const after = await desk.results('people');
  const keyOf = (at: number): string | undefined => after[at]?.['result_idempotency_key'];
  expect(sent.map(({ key }) => key)).toEqual([keyOf(1)]);
  expect(keyOf(1)).not.toBe(before[1]?.['result_idempotency_key']);
  expect(after[1]).toMatchObject({ result_status: 'created', result_attempts: '2', result_code: '' });
  expect([0, 2, 3, 4].map((at) => after[at])).toEqual([0, 2, 3, 4].map((at) => before[at]));
  const log = readLog(await desk.resultText(`${peopleBatch?.slice(0, 8)}.run.jsonl`));
  expect(
    log.filter(({ row }) => row === 3).map(({ event, generation, key }) => [event, generation, key]),
  ).toEqual([
    ['row.staged', 1, before[1]?.['result_idempotency_key']],
    ['row.answered', undefined, before[1]?.['result_idempotency_key']],
    ['row.final', undefined, before[1]?.['result_idempotency_key']],
    ['row.staged', 2, keyOf(1)],
    ['row.answered', undefined, keyOf(1)],
    ['row.final', undefined, keyOf(1)],
  ]);

  sent.length = 0;
  const waited = await desk.json(['retry', walletBatch ?? '']);
  expect(waited.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 2 } }] });
  expect(sent).toHaveLength(1);
  expect((await desk.results('wallets'))[0]).toEqual(walletsBefore[0]);

  const resumed = await desk.json(['resume', peopleBatch ?? '']);
  expect(resumed.summary).toMatchObject({ exit_code: 5, batches: [{ counts: { created: 4, held: 1 } }] });
  expect(desk.sandbox.counts().sandbox).toMatchObject({
    created: { customers: 4, accounts: 2 },
    duplicates: { customers: 0 },
  });
});

it('says so when there is nothing to retry, and when no batch is named so', async () => {
  const desk = await openDesk();
  const file = await desk.write('people.csv', csvOf([customer(1)]));
  const { summary } = await desk.json(['import', file]);
  const again = await desk.run(['retry', summary.batches[0]?.batch ?? '']);
  expect(again.exitCode).toBe(0);
  expect(again.stdout).toContain('Nothing was sent');
  const unknown = await desk.run(['retry', 'ffffffff']);
  expect(unknown.exitCode).toBe(2);
});
