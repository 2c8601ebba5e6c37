import { describe, expect, it } from 'vitest';
import {
  heldByApi,
  importCollections,
  reconcile,
  stateCounts,
  wideCoverage,
} from '../reconciling/batches.ts';
import { type InProcessDesk, openInProcessDesk } from '../reconciling/in-process.ts';

/** An export in whose mapping nobody has named the column of the amounts, with one amount that differs. */
async function unreadAmounts(desk: InProcessDesk, ...references: string[]): Promise<string> {
  const batch = await importCollections(desk, ...references.map((each) => [each, '10.00'] as const));
  const lines = (await heldByApi(desk)).map(({ id, client_reference }, at) =>
    [id, client_reference, at === 0 ? '10000' : 'KES 10.00'].join(),
  );
  await desk.write('e.csv', ['Transaction,Order,Amount paid', ...lines].join('\n'));
  await desk.write('m.json', JSON.stringify({ columns: { Transaction: 'id', Order: 'reference' } }));
  return batch;
}

describe('an export with other titles', () => {
  it('is read by its values beside ours: every changed amount is found, and the first lines say what was read', async () => {
    const desk = await openInProcessDesk();
    const rows = Array.from({ length: 8 }, (_, at) => [`INV-${at}`, `${100 + at}.50`] as const);
    const batch = await importCollections(desk, ...rows);
    const day = new Date().toISOString();
    const lines = (await heldByApi(desk)).map(({ id, client_reference, amount, currency }, at) =>
      [id, client_reference, at % 4 === 0 ? `9${amount}` : amount, currency, '1.00', day].join(),
    );
    const titles = 'Transaction ID,Merchant ref,Amount paid,Currency,Fee,Created at';
    await desk.write('e.csv', [titles, ...lines].join('\n'));
    const found = await reconcile(desk, batch, '--against', 'e.csv', ...wideCoverage);
    expect([found.exitCode, stateCounts(found, 'here')]).toEqual([5, { matched: 6, mismatched: 2 }]);
    const first = found.stdout.split('\n').slice(0, 6).join(' ').replace(/\s+/g, ' ');
    expect(first).toContain('Compared: id, reference, amount, currency, date.');
    expect(first).toContain('Read by their values: Merchant ref as reference, Amount paid as amount.');
    expect(first).toContain('Not read: Fee.');
    expect(found.reconciliation.comparison).toMatchObject({
      amounts: 'compared',
      unread: [{ side: 'there', file: 'e.csv', title: 'Fee', hasAmounts: true }],
    });
  });

  it('has its amounts in cents, with signs of the currency, or as credits, as ours say', async () => {
    const desk = await openInProcessDesk();
    const amounts = ['1250.50', '20.00', '300.25', '4.00'];
    const batch = await importCollections(desk, ...amounts.map((each, at) => [`R-${at}`, each] as const));
    const held = await heldByApi(desk);
    const against = async (titles: string, line: (reference: string, amount: string) => string) => {
      const lines = held.map(({ client_reference, amount }) => line(client_reference, amount));
      await desk.write('e.csv', [titles, ...lines].join('\n'));
      const found = await reconcile(desk, batch, '--against', 'e.csv', ...wideCoverage);
      return [found.exitCode, stateCounts(found, 'here'), found.stdout.replace(/\s+/g, ' ')];
    };
    const all = [0, { matched: 4 }];
    const cents = await against(
      'Order,Value,Currency',
      (order, amount) => `${order},${amount.replace('.', '')},KES`,
    );
    expect(cents).toEqual([...all, expect.stringContaining('whole numbers of the smallest unit')]);
    const marked = await against(
      'Order;Betrag',
      (order, amount) => `${order};KSh ${amount.replace('.', ',')}`,
    );
    expect(marked).toEqual([...all, expect.stringContaining('its amounts are taken for KES')]);
    const moved = await against('Order,Paid in,Withdrawn,Ccy', (order, amount) => `${order},${amount},,KES`);
    expect(moved.slice(0, 2)).toEqual(all);
  });
});

describe('a comparison that did not look at the amounts', () => {
  it('calls no pair matched, however it was found, until somebody says that amounts do not matter', async () => {
    const desk = await openInProcessDesk();
    const batch = await unreadAmounts(desk, 'R-1', 'R-2', 'R-3');
    const against = ['--against', 'e.csv', '--mapping', 'm.json', ...wideCoverage];
    const found = await reconcile(desk, batch, ...against);
    expect([found.exitCode, stateCounts(found, 'here')]).toEqual([5, { matched_by_id: 3 }]);
    expect(found.stdout).toContain('matched_by_id, amounts not compared');
    const breaks = await desk.resultText('.breaks.csv');
    expect(breaks.match(/same id; amounts not compared/g)).toHaveLength(3);

    await desk.write('r.json', JSON.stringify({ columns: { Order: 'reference' } }));
    const byReference = await reconcile(desk, batch, '--against', 'e.csv', '--mapping', 'r.json');
    expect([byReference.exitCode, stateCounts(byReference, 'there')]).toEqual([5, { matched_by_id: 3 }]);

    const said = await reconcile(desk, batch, ...against, '--compare', 'id,reference');
    expect([said.exitCode, stateCounts(said, 'here')]).toEqual([0, { matched: 3 }]);
    const columns = { Transaction: 'id', Order: 'reference' };
    await desk.write('m.json', JSON.stringify({ columns, compare: ['id', 'reference'] }));
    const mapped = await reconcile(desk, batch, ...against);
    expect([mapped.exitCode, stateCounts(mapped, 'here')]).toEqual([0, { matched: 3 }]);
  });

  it('fills in no id of such a pair for a row in doubt', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['LOST-ALWAYS-1', '20.00']);
    const [held] = await heldByApi(desk);
    const id = held?.id ?? 'there-is-none';
    await desk.write('e.csv', `Transaction,Order,Paid\n${id},LOST-ALWAYS-1,9.99\n`);
    const columns = { Transaction: 'id', Order: 'reference' };
    await desk.write('m.json', JSON.stringify({ columns }));
    const against = ['--against', 'e.csv', '--mapping', 'm.json'];
    const found = await reconcile(desk, batch, ...against);
    expect([found.exitCode, stateCounts(found, 'here')]).toEqual([5, { matched_by_id: 1 }]);
    expect(await desk.resultText('.verdicts.csv')).not.toContain(id);
    await reconcile(desk, batch, ...against, '--compare', 'reference');
    expect(await desk.resultText('.verdicts.csv')).toContain(id);
  });

  it('knows columns of other things from amounts, and exports without any', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['R-1', '10.00'], ['R-2', '10.00'], ['R-3', '10.00']);
    const held = await heldByApi(desk);
    const lines = held.map(({ id }, at) =>
      [id, at + 1, `0712345${at}00`, `INV-${at}`, 'free', `2026-11-0${at + 1}`, `25472200000${at}`].join(),
    );
    await desk.write('e.csv', ['id,No,Phone,Invoice,Remark,Due,Terminal', ...lines].join('\n'));
    const found = await reconcile(desk, batch, '--against', 'e.csv');
    expect([found.exitCode, stateCounts(found, 'there')]).toEqual([0, { matched: 3 }]);
  });

  it('refuses to compare what is not on both sides, and names what is', async () => {
    const desk = await openInProcessDesk();
    const batch = await unreadAmounts(desk, 'R-1');
    const words = ['reconcile', batch, '--against', 'e.csv', '--mapping', 'm.json', '--compare'];
    for (const [wanted, sentence] of [
      ['amount', 'both have: id, reference'],
      ['id,Phone-Number', '“phone_number” is to be compared'],
      [',', '--compare names nothing'],
    ] as const) {
      const end = await desk.call([...words, wanted]);
      expect([wanted, end.exitCode]).toEqual([wanted, 2]);
      expect(end.stderr.replaceAll(/\s+/g, ' ')).toContain(sentence);
    }
  });

  it('compares what is named, and the currency with the amount', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['R-1', '10.00'], ['R-2', '20.00']);
    const [first, second] = await heldByApi(desk);
    await desk.write(
      'e.csv',
      `id,client_reference,amount,currency,country\n${first?.id},OTHER,10.00,KES,UG\n${second?.id},R-2,20.00,UGX,UG\n`,
    );
    const states = async (compare: string): Promise<object> =>
      stateCounts(await reconcile(desk, batch, '--against', 'e.csv', '--compare', compare), 'here');
    expect(await states('id')).toEqual({ matched: 2 });
    expect(await states('id,amount')).toEqual({ matched: 1, mismatched: 1 });
    expect(await states('id,client_reference')).toEqual({ matched: 1, mismatched: 1 });
    expect(await states('country')).toEqual({ mismatched: 2 });
  });

  it('holds for two files without a ledger, whichever of them hides its amounts', async () => {
    const desk = await openInProcessDesk();
    await desk.write('ours.csv', 'id,amount,currency\nx1,10.00,KES\nx2,20.00,KES\n');
    await desk.write('theirs.csv', 'id,Column 7\nx1,"1,000.00"\nx2,20.00\n');
    const compare = async (...words: string[]) => {
      const end = await desk.call(['reconcile', ...words]);
      const { reconciliation } = end.document as { reconciliation: { comparison: { states: object[] } } };
      return [end.exitCode, reconciliation.comparison.states];
    };
    const state = (side: string) => expect.objectContaining({ side, state: 'matched_by_id', records: 2 });
    const both = [5, [state('here'), state('there')]];
    expect(await compare('--left', 'ours.csv', '--right', 'theirs.csv')).toEqual(both);
    expect(await compare('--left', 'theirs.csv', '--right', 'ours.csv')).toEqual(both);
    const [exitCode] = await compare('--left', 'ours.csv', '--right', 'theirs.csv', '--compare', 'id');
    expect(exitCode).toBe(0);
  });
});
