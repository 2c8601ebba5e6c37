import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, inject, it } from 'vitest';
import { openStatement } from '../../../src/read/statement/statement-file.ts';

const readFormats =
  'Statements are read as CAMT.053, CAMT.054 and MT940; anything else as CSV or a workbook.';

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
      const [, , entry, date, amount, currency, status, reversal, , text] = cells;
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

  it('names the other party, with its account, and not who keeps the account that the statement is of', async () => {
    const party = (name: string, account: string, tag: string): string =>
      `<${tag}><Nm>${name}</Nm><Id><OrgId><Othr><Id>TAX-1</Id></Othr></OrgId></Id></${tag}>
       <${tag}Acct><Id>${account}</Id></${tag}Acct>`;
    const newer = '<Dbtr><Pty><Nm>Acme &amp; Sons</Nm></Pty></Dbtr>';
    const us = party('Us Ltd', '<IBAN>DE1</IBAN>', 'Cdtr');
    const details = (parties: string): string =>
      `<NtryDtls><TxDtls><RltdPties>${parties}</RltdPties><RltdAgts><DbtrAgt><FinInstnId><Nm>Bank</Nm></FinInstnId></DbtrAgt></RltdAgts></TxDtls></NtryDtls>`;
    const acme = party('Acme', '<Othr><Id>0712</Id></Othr>', 'Dbtr');
    const file = await open(
      camt053(
        entry('1', 'CRDT', details(acme + us)),
        entry('2', 'CRDT', details(newer + us)),
        entry('3', 'DBIT', details(acme + us)),
      ),
    );
    const parties: (string | undefined)[] = [];
    for await (const group of file?.tables[0]?.rows() ?? [])
      parties.push(...group.map(({ cells }) => cells[8]));
    expect(parties).toEqual(['Acme, 0712', 'Acme & Sons', 'Us Ltd, DE1']);
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

  it('has no number where the bank writes a word or zeros in its place', async () => {
    const numbered = (number: string): string => entry('1', 'CRDT', `<AcctSvcrRef>${number}</AcctSvcrRef>`);
    for (const number of ['NOTPROVIDED', 'NonRef', '00000000', ' ']) {
      expect(await entries(camt053(numbered(number)))).toEqual(['1 2026-11-10 1 KES BOOK |  | ']);
    }
    const split = `<AcctSvcrRef>NONREF</AcctSvcrRef><NtryDtls>${payment('R-1', '1')}${payment('R-2', '2')}</NtryDtls>`;
    expect((await entries(camt053(entry('3', 'CRDT', split))))[0]).toContain('BOOK |  | R-1');
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
:86:?00BACK?20EREF+ORDER OF THE 10TH INV-?212041?22THANKS ?32AMINA
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
      '2 2026-11-10 -12.50 KES BOOK yes| B-2 | EREF+ORDER OF THE 10TH INV-2041 THANKS; BACK; AMINA',
      '3 2026-12-31 -1 KES BOOK |  | ',
      '4 2026-12-31 7 UGX BOOK yes|  | X',
    ]);
  });

  it('is refused where a line cannot be read', async () => {
    await expect(entries(mt940.replace('C12,50N', 'C12.50N'))).rejects.toThrow('tag 61');
  });
});

/** An MT940 statement of one entry, with what its envelope and its entry hold. */
const statement = (entry: string, before = '', after = ''): string =>
  `${before}:20:S\n:25:DE1\n:28C:1\n:60F:C261109EUR0,\n${entry}\n:62F:C261110EUR1,\n${after}`;

const line = ':61:2611101110C500,NTRFINV-2041//B-1';

describe('an MT940 statement as a bank writes it', () => {
  it.each([
    ['ABN AMRO', 'ABNANL2A\n940\nABNANL2A\n', '-'],
    ['ING', '0000 01INGBNL2AXXXX00001\r\n0000 01INGBNL2AXXXX00001\r\n940 00\r\n', '-XXX'],
    ['Rabobank', ':940:\n', ''],
    ['mBank', '\u0001\n', '-\u0003'],
    ['PostFinance', '\u0001{1:F01POFI}{2:I940XXXXN}{3:{108:1}}{4:\r\n', '-}\u0003'],
    ['ING, a block a line', '{1:F01INGB}\r\n{2:I940INGBN}\r\n{4:\r\n', '-}'],
    ['with a byte order mark', '\ufeff', '-'],
  ])('has the envelope of %s', async (_, before, after) => {
    expect(await entries(statement(line, before, after))).toEqual([
      '1 2026-11-10 500 EUR BOOK | B-1 | INV-2041',
    ]);
  });

  it.each([
    ['Knab', ':61:2611101110C500NTRF10-11-2026 10:05//B-1', '500 EUR BOOK | B-1 | 10-11-2026 10:05'],
    ['Sberbank', ':61:2611101110DR2402,00S   X', '-2402.00 EUR BOOK |  | X'],
    ['Deutsche Bank', ':61:2611101110C50,00 NTRFNONREF//B-1', '50.00 EUR BOOK | B-1 | '],
    ['ASN', ':61:261110    D65,00NOVBNL47INGB9999', '-65.00 EUR BOOK |  | NL47INGB9999'],
    ['Triodos', ':61:261110D10,00NIT NONREF', '-10.00 EUR BOOK |  | '],
    ['Zenith', ':61:2611101110CR220000,00//19239782213', '220000.00 EUR BOOK | 19239782213 | '],
  ])('has a line of %s', async (_, written, told) => {
    expect(await entries(statement(written))).toEqual([`1 2026-11-10 ${told}`]);
  });

  it('may have a value date that only a year of 360 days has', async () => {
    const [entry] = await entries(statement(':61:260230C1,NTRFNONREF'));
    expect(entry).toContain(' 2026-02-28 ');
  });

  it('has no number where the bank writes a word or zeros in its place', async () => {
    for (const number of ['NONREF', 'NOTPROVIDED', '0', '000000000000', 'NON REF', '-']) {
      const [entry] = await entries(statement(`:61:2611101110C500,NTRFX//${number}`));
      expect(entry).toContain('BOOK |  | X');
    }
  });

  it('is one text where its lines are full, with the blank at their end, and has a blank where they are not', async () => {
    const full = 'PAYMENT OF THE TENTH OF NOVEMBER FROM AMINA OTIENO, NAIROBI, INV-';
    const blank = 'PAYMENT OF THE TENTH OF NOVEMBER FROM AMINA OTIENO, NAIROBI WITH ';
    expect([full.length, blank.length]).toEqual([65, 65]);
    const texts = async (...lines: string[]): Promise<string> =>
      ((await entries(statement(`${line}\n:86:${lines.join('\n')}`)))[0] ?? '').split('; ')[1] ?? '';
    expect(await texts(full, '2041')).toBe(`${full}2041`);
    expect(await texts(blank, 'THANKS')).toBe(`${blank}THANKS`);
    expect(await texts('INV-20', '41')).toBe('INV-20 41');
  });

  it('is read as UTF-8 where it is, else as Latin-1, and as UTF-16 where its mark says so', async () => {
    const written = statement(`${line}\n:86:Größe/77-QX für Łucja`);
    expect((await entries(written))[0]).toContain('Größe/77-QX für Łucja');
    const latin = Buffer.from(statement(`${line}\n:86:Größe/77-QX`), 'latin1');
    expect((await entries(latin))[0]).toContain('Größe/77-QX');
    expect((await entries(Buffer.from(`\ufeff${written}`, 'utf16le')))[0]).toContain('für Łucja');
  });

  it('has the texts of tag NS, and of subfields by another sign', async () => {
    const [ns] = await entries(statement(`${line}\n:NS:15ERGO VERSICHERUNG AG INV-20\n1641\n17REST`));
    expect(ns).toContain('INV-2041; ERGO VERSICHERUNG AG INV-2041 REST');
    const [triodos] = await entries(
      statement(`${line}\n:86:000>100987\n>20ALGEMENE TUSSENREKENING KOS>21TEN`),
    );
    expect(triodos).toContain('ALGEMENE TUSSENREKENING KOSTEN');
  });
});

describe('what is no statement that can be read', () => {
  it.each([
    ['MT942', '{1:F01X}{2:I942X}{4:\n:20:S\n:25:DE1\n:34F:EUR0,\n-}'],
    ['MT942', ':20:S\n:25:DE1\n:28C:1\n:34F:EURD0,00\n:61:2610301031D0,42MCI0NONREF//05\n:90D:1EUR2,30'],
    ['MT942', '\u0001\n:942:\n:20:S\n:25:DE1\n'],
    ['MT910', '{1:F01X}{2:O910X}{4:\n:20:S\n:21:R\n:25:DE1\n:32A:261110EUR10,\n-}'],
    ['opening balance', ':20:S\n:21:R\n:25:DE1\n:32A:261110EUR10,\n'],
    ['camt.052.001.08', `<Document ${namespace('camt.052.001.08')}></Document>`],
    ['pain.001.001.03', `<?xml version="1.0"?>\n<Document ${namespace('pain.001.001.03')}></Document>`],
    ['XML', '<?xml version="1.0"?><Statement/>'],
    ['OFX', 'OFXHEADER:100\nDATA:OFXSGML\n'],
    ['OFX', '<?xml version="1.0"?><?OFX OFXHEADER="200"?><OFX></OFX>'],
    ['QIF', '!Type:Bank\nD10/11/26\nT10.00\n^\n'],
    ['BAI2', '01,122099999,123456789,261110,0200,1,80,1,2/\n02,031001234,122099999,1,261110,2359,KES,2/\n'],
  ])('is refused by its name: %s', async (name, content) => {
    const failure = await entries(content).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'unknown_statement', message: expect.stringContaining(name) });
    expect(failure).toMatchObject({
      remedies: [{ action: 'advice', text: expect.stringContaining(readFormats) }],
    });
  });

  it('is refused without the advice to save it as a workbook', async () => {
    const head = '<?xml version="1.0"?>';
    const type = '<!DOCTYPE Document [<!ENTITY name "Amina">]>';
    const inner = camt053(entry('1', 'CRDT', '<AddtlNtryInf>&name;</AddtlNtryInf>'));
    for (const content of [inner.replace(head, head + type), inner, mt940.replace('C12,50N', 'C12.50N')]) {
      const failure = await entries(content).catch((error: unknown) => error);
      expect(failure).toMatchObject({ name: 'InputError' });
      expect(JSON.stringify(failure, ['message', 'advice'])).not.toMatch(/workbook|spreadsheet|xlsx/);
    }
  });
});

it('any other file is none', async () => {
  for (const content of ['id,amount\n1,2\n', '', 'Title of it\nid,amount\n', ':20,amount\n']) {
    expect(await open(content)).toBeNull();
  }
});
