import { describe, expect, it } from 'vitest';
import { importCollections, reconcile, stateCounts, wideCoverage } from '../reconciling/batches.ts';
import { openInProcessDesk } from '../reconciling/in-process.ts';

const entry = (amount: string, direction: string, text: string, status = 'BOOK'): string =>
  `<Ntry><Amt Ccy="KES">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd><Sts>${status}</Sts>
   <BookgDt><Dt>2026-11-10</Dt></BookgDt><AcctSvcrRef>${text}</AcctSvcrRef><NtryDtls><TxDtls><RmtInf>
   <Ustrd>Invoice ${text}, thank you</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`;

const camt = (...entries: readonly string[]): string =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt><Id>1</Id>
   ${entries.join('')}</Stmt></BkToCstmrStmt></Document>`;

describe('reconcile --against a statement', () => {
  it('finds collections by our reference in the text of CAMT entries, in files that overlap', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(
      desk,
      ...([
        ['INV-1001', '10.50'],
        ['INV-1002', '20.00'],
        ['INV-1003', '30.00'],
        ['INV-1004', '40.00'],
      ] as const),
    );
    const first = [entry('10.50', 'CRDT', 'INV-1001'), entry('21', 'CRDT', 'inv-1002')];
    const rest = [
      entry('30.00', 'CRDT', 'INV-1003'),
      entry('30.00', 'DBIT', 'INV-1003 reversed'),
      entry('40.00', 'CRDT', 'INV-1004', 'PDNG'),
    ];
    await desk.write('first.xml', camt(...first));
    await desk.write('second.xml', camt(...first.slice(1), ...rest));
    const found = await reconcile(desk, batch, '--against', 'first.xml', 'second.xml', ...wideCoverage);
    // The entry of the last one is pending: it is there, and does not count.
    expect(stateCounts(found, 'here')).toEqual({ matched: 1, proposed: 1, ambiguous: 1, left_out: 1 });
    expect(stateCounts(found, 'there')).toEqual({ matched: 1, proposed: 1, ambiguous: 2 });
    expect(found.reconciliation.comparison?.compared).toEqual(['text', 'amount', 'currency']);
    expect(found.reconciliation.comparison?.there.leftOut).toEqual([{ reason: 'Status: PDNG', records: 1 }]);
    expect(found.stdout).toContain('1 record is in a second file there');
  });

  it('distinguishes unknown entries of one amount by the description of the bank', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['INV-1001', '10.50']);
    const unknown = ['Ann', 'Ben', 'Cy'].map((name) =>
      entry('7777', 'CRDT', `B-${name}`).replace(
        '<TxDtls>',
        `<TxDtls><RltdPties><Dbtr><Nm>${name} Otieno</Nm></Dbtr></RltdPties>`,
      ),
    );
    await desk.write('june.xml', camt(entry('10.50', 'CRDT', 'INV-1001'), ...unknown));
    const found = await reconcile(desk, batch, '--against', 'june.xml', ...wideCoverage);
    expect(stateCounts(found, 'there')).toEqual({ matched: 1, unknown_here: 3 });
    const breaks = (await desk.resultText('.breaks.csv')).trim().split('\r\n');
    expect(breaks[1]).toContain('its number there is B-Ann');
    expect(breaks[1]).toContain('find out who made it,B-Ann,Ann Otieno,"Invoice B-Ann, thank you"');
    // Names are only in the file. The number identifies its line.
    expect(found.stdout).toContain('its number there is B-Cy');
    expect(found.stdout).not.toContain('Otieno');
  });

  it('reads an MT940 statement and the CSV of M-PESA, whose currency the mapping gives', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['INV-1001', '10.50'], ['INV-1002', '2000.00']);
    await desk.write(
      'bank.sta',
      ':20:S\n:25:A\n:60F:C261109KES0,\n:61:2611101110C10,5NTRFINV-1001//B1\n:86:from Amina\n:62F:C261110KES10,5\n',
    );
    const bank = await reconcile(desk, batch, '--against', 'bank.sta');
    expect(stateCounts(bank, 'here')).toEqual({ matched: 1, not_covered: 1 });
    await desk.write(
      'mpesa.csv',
      [
        'Organization,Test Ltd',
        'Receipt No.,Completion Time,Initiation Time,Details,Transaction Status,Paid In,Withdrawn,Balance,A/C No.',
        'QK1,10-11-2026 10:00:00,10-11-2026 10:00:00,Pay Bill from 2547***,Completed,10.50,,10.50,INV-1001',
        'QK2,10-11-2026 10:00:00,10-11-2026 10:00:00,Pay Bill from 2547***,Completed,"2,000.00",,2010.50,inv-1002',
        'QK3,10-11-2026 11:00:00,10-11-2026 11:00:00,Charge,Completed,,-5.00,2005.50,',
        'QK4,10-11-2026 11:00:00,10-11-2026 11:00:00,Pay Bill,Failed,10.50,,2005.50,INV-1001',
      ].join('\n'),
    );
    await desk.write('m.json', JSON.stringify({ constants: { currency: 'KES' }, thousands: ',' }));
    const words = [batch, '--against', 'mpesa.csv', ...wideCoverage];
    expect((await desk.call(['reconcile', ...words])).stderr).toContain('in which currency');
    const mobile = await reconcile(desk, ...words, '--mapping', 'm.json');
    expect(stateCounts(mobile, 'here')).toEqual({ matched: 2 });
    expect(stateCounts(mobile, 'there')).toEqual({ matched: 2, unknown_here: 1 });
    expect(mobile.reconciliation.comparison?.states).toContainEqual(
      expect.objectContaining({
        state: 'unknown_here',
        sums: [{ currency: 'KES', rows: 1, amount: '-5.00' }],
      }),
    );
  });

  it('takes entries of two accounts with the same number, and such without a number, for two', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['INV-1001', '10.50']);
    const sta = (account: string, number: string): string =>
      `:20:S\n:25:${account}\n:60F:C261109KES0,\n:61:2611101110C10,5NTRFINV-1001//${number}\n:62F:C261110KES10,5\n`;
    const one = camt(entry('10.50', 'CRDT', 'INV-1001'));
    const account = (iban: string): string => `<Id>1</Id><Acct><Id><IBAN>${iban}</IBAN></Id></Acct>`;
    const pairs = [
      [sta('DE1', 'B-7'), sta('DE2', 'B-7')],
      [sta('DE1', 'NONREF'), sta('DE1', 'NONREF').replace(':20:S', ':20:T')],
      [one.replace('<Id>1</Id>', account('DE1')), one.replace('<Id>1</Id>', account('DE2'))],
    ] as const;
    for (const [first, second] of pairs) {
      await desk.write('first.txt', first);
      await desk.write('second.txt', second);
      const found = await reconcile(desk, batch, '--against', 'first.txt', 'second.txt', ...wideCoverage);
      expect(stateCounts(found, 'here')).toEqual({ ambiguous: 1 });
      expect(stateCounts(found, 'there')).toEqual({ ambiguous: 2 });
    }
    await desk.write('first.txt', sta('DE1', 'B-7'));
    await desk.write('second.txt', `${sta('DE1', 'B-7')}\n`);
    const copies = await reconcile(desk, batch, '--against', 'first.txt', 'second.txt', ...wideCoverage);
    expect(stateCounts(copies, 'there')).toEqual({ matched: 1 });
  });

  it('says that a statement is not read, and which are', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['INV-1001', '10.50']);
    await desk.write('day.sta', ':20:S\n:25:DE1\n:28C:1\n:34F:KES0,\n:61:2611101110C10,5NTRFINV-1001//B1\n');
    const refused = await desk.call(['reconcile', batch, '--against', 'day.sta']);
    expect(refused.exitCode).toBe(3);
    expect(refused.stderr).toContain(
      'day.sta: This is an MT942 message, an interim report, and no statement.',
    );
    expect(refused.stderr).not.toContain('can tell a record');
  });

  it('reports in the first lines what has no declared coverage', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['INV-1001', '10.50'], ['INV-1002', '20.00']);
    await desk.write('june.xml', camt(entry('10.50', 'CRDT', 'INV-1001')));
    const { stdout } = await reconcile(desk, batch, '--against', 'june.xml');
    const first = stdout.split('\n').slice(0, 4).join(' ').replace(/\s+/g, ' ');
    expect(first).toContain('Not judged: 1 record here that is not there (20.00 KES)');
    expect(first).toContain('--covers-from and --covers-to say');
    const declared = await reconcile(desk, batch, '--against', 'june.xml', ...wideCoverage);
    expect(declared.stdout).not.toContain('Not judged');
  });
});
