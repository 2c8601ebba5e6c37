import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, inject, it } from 'vitest';
import { openStatement } from '../../../src/input/statement/statement-file.ts';

async function open(content: string | Buffer) {
  const path = join(await mkdtemp(join(inject('testFolder'), 'statement-')), 'statement');
  await writeFile(path, content);
  return openStatement(path);
}

/** How much of the file is read when its rows have been. */
async function shareAtEnd(content: string | Buffer): Promise<number | undefined> {
  const [table] = (await open(content))?.tables ?? [];
  for await (const _ of table?.rows() ?? []) {
    // Only read.
  }
  return table?.readShare();
}

/** Each entry as `date amount currency status reversal | entry | texts`. */
async function entries(content: string | Buffer): Promise<string[]> {
  const file = await open(content);
  const lines: string[] = [];
  for await (const group of file?.tables[0]?.rows() ?? []) {
    for (const { number, cells } of group) {
      const [, , entry, date, amount, currency, status, reversal, text] = cells;
      lines.push(
        `${number} ${date} ${amount} ${currency} ${status} ${reversal}| ${entry} | ${text?.replaceAll('\n', '; ')}`,
      );
    }
  }
  return lines;
}

const namespace = (name: string): string => `xmlns="urn:iso:std:iso:20022:tech:xsd:${name}"`;

function entry(amount: string, direction: string, rest: string, currency = 'KES'): string {
  return `<Ntry><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd><Sts>BOOK</Sts>
    <BookgDt><Dt>2026-11-10</Dt></BookgDt>${rest}</Ntry>`;
}

const payment = (reference: string, amount: string): string => `<TxDtls>
  <Refs><EndToEndId>${reference}</EndToEndId></Refs>
  <AmtDtls><InstdAmt><Amt Ccy="USD">9</Amt></InstdAmt><TxAmt><Amt Ccy="KES">${amount}</Amt></TxAmt></AmtDtls></TxDtls>`;

function camt053(...entries: readonly string[]): string {
  const statement = (inner: string, id: string): string =>
    `<Stmt><Id>${id}</Id><Acct><Id><IBAN>DE1</IBAN></Id></Acct><Bal><Amt Ccy="KES">99</Amt></Bal>${inner}</Stmt>`;
  return `<?xml version="1.0"?><Document ${namespace('camt.053.001.02')}><BkToCstmrStmt>
    ${entries.map((inner, at) => statement(inner, `S${at + 1}`)).join('')}</BkToCstmrStmt></Document>`;
}

describe('a CAMT statement', () => {
  it('gives its entries, of several statements, with every place for a reference', async () => {
    const texts =
      '<RmtInf><Ustrd>Invoice  INV-2041</Ustrd><Strd><CdtrRefInf><Ref>RF18</Ref></CdtrRefInf></Strd></RmtInf>';
    const details = `<AcctSvcrRef>B-1</AcctSvcrRef><NtryDtls><TxDtls><Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs>${texts}</TxDtls></NtryDtls>`;
    const reversed = '<RvslInd>true</RvslInd><AddtlNtryInf>back INV-2041</AddtlNtryInf>';
    expect(
      await entries(camt053(entry('0012.50', 'CRDT', details), entry('12.5', 'DBIT', reversed))),
    ).toEqual([
      '1 2026-11-10 12.50 KES BOOK | B-1 | Invoice INV-2041; RF18',
      '2 2026-11-10 -12.5 KES BOOK yes|  | back INV-2041',
    ]);
  });

  it('opens an entry to its payments where these add up to it, and only there', async () => {
    const booked = (amount: string): string =>
      entry(
        amount,
        'CRDT',
        `<AcctSvcrRef>B</AcctSvcrRef><NtryDtls>${payment('R-1', '10.00')}${payment('R-2', '2.5')}</NtryDtls>`,
      );
    expect(await entries(camt053(booked('12.50')))).toEqual([
      '1 2026-11-10 10.00 KES BOOK | B/1 | R-1',
      '2 2026-11-10 2.5 KES BOOK | B/2 | R-2',
    ]);
    expect(await entries(camt053(booked('12.51')))).toEqual(['1 2026-11-10 12.51 KES BOOK | B | R-1; R-2']);
  });

  it('may be a notification of a later version, with a status in its own element, and compressed', async () => {
    const later = `<Document ${namespace('camt.054.001.08')}><BkToCstmrDbtCdtNtfctn><Ntfctn><Id>N</Id>
      <Ntry><Amt Ccy="KES">5</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>PDNG</Cd></Sts>
      <BookgDt><DtTm>2026-11-10T10:00:00</DtTm></BookgDt></Ntry></Ntfctn></BkToCstmrDbtCdtNtfctn></Document>`;
    expect(await entries(gzipSync(later))).toEqual(['1 2026-11-10 5 KES PDNG |  | ']);
    expect(await shareAtEnd(gzipSync(later))).toBe(1);
  });

  it('is refused when it is cut or an entry has no amount', async () => {
    await expect(entries(camt053(entry('1', 'CRDT', '')).slice(0, -30))).rejects.toThrow('damaged');
    await expect(entries(camt053(entry('', 'CRDT', '')))).rejects.toThrow('no amount');
  });
});

const mt940 = `{1:F01BANKXXXX0000000000}{2:I940BANKXXXXN}{4:
:20:ST-1
:25:DE1/KES
:28C:5/1
:60F:C261109KES100,00
:61:2611101110C12,50NTRFINV-2041//B-1
extra words
:86:Payment of INV-
2041 by Amina
:61:261110RC12,50NTRFNONREF//B-2
:86:?00BACK?20INV-20?2141?32AMINA
:61:2701021231D1,NMSCNONREF
:62F:C261110KES99,00
-}
{4:
:20:ST-2
:60F:C261111UGX0,
:61:2611111231RD7,NTRFX
-}`;

describe('an MT940 statement', () => {
  it('gives its entries, of several statements, with reversals by their sign', async () => {
    expect(await entries(mt940)).toEqual([
      '1 2026-11-10 12.50 KES BOOK | B-1 | INV-2041; extra words; Payment of INV- 2041 by Amina',
      '2 2026-11-10 -12.50 KES BOOK yes| B-2 | INV-20 41; INV-2041; BACK; AMINA',
      '3 2026-12-31 -1 KES BOOK |  | ',
      '4 2026-12-31 7 UGX BOOK yes|  | X',
    ]);
  });

  it('is refused where a line cannot be read', async () => {
    await expect(entries(mt940.replace('C12,50N', 'C12.50N'))).rejects.toThrow('tag 61');
  });
});

it('any other file is none', async () => {
  for (const content of ['id,amount\n1,2\n', '<html></html>', '', '<Document xmlns="urn:other"/>']) {
    expect(await open(content)).toBeNull();
  }
});
