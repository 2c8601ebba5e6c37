import type { Cell, Line, PartnerFile } from './file.ts';

/** One of the values, by number. */
function pick<Value>(values: readonly [Value, ...Value[]], number: number): Value {
  return values[number % values.length] ?? values[0];
}

const firstNames = ['Amina', 'Joseph', 'Jane', 'Peter', 'Grace', 'Otto', 'Chidi'] as const;
const lastNames = ['Otieno', 'Mushi', 'Wanjiru', 'Okafor', 'Schneider', 'Doe'] as const;

const nameOf = (number: number): string => `${pick(firstNames, number)} ${pick(lastNames, number * 5)}`;

/** The customers that recipients belong to, under paybatch's own column names. */
export function customersOf(count: number): string {
  const lines = Array.from(
    { length: count },
    (_, at) => `M-${at + 1},${pick(firstNames, at)},${pick(lastNames, at)}`,
  );
  return `external_id,first_name,last_name\n${lines.join('\n')}\n`;
}

const good = (...cells: readonly Cell[]): Line => ({ cells, truth: 'good' });
const bad = (...cells: readonly Cell[]): Line => ({ cells, truth: 'bad' });
const noRow = (...cells: readonly Cell[]): Line => ({ cells, truth: 'no row' });

/** A Kenyan payout workbook: regions with subtotals, one Bank column, phone numbers as numbers and as text. */
export function kenya(): PartnerFile {
  const lines: Line[] = [];
  const regions = ['NAIROBI REGION', 'COAST REGION', 'WESTERN REGION', 'RIFT VALLEY'] as const;
  let number = 0;
  let all = 0;
  for (const region of regions) {
    lines.push(noRow(region));
    let sum = 0;
    for (let at = 0; at < 140; at += 1) {
      number += 1;
      const amount = 1_000 + number;
      sum += amount;
      lines.push(payout(number, amount));
    }
    all += sum;
    lines.push(noRow('', '', 'Sub-total', '', '', '', sum));
  }
  lines.push(noRow('', '', 'GRAND TOTAL', '', '', '', all));
  const wrong = mistakesInKenya(number);
  lines.push(...wrong);
  lines.push(noRow('Prepared by:', '', 'J. Kamau'), noRow('Approved by:', '', ''), noRow(999));
  const header = ['S/No', 'Member No.', 'Name', 'Bank', 'A/C No.', 'Mobile No.', 'Amt (KES)', 'Remarks'];
  return {
    name: 'Payout Nov.xlsx',
    kind: 'recipients',
    head: [['UMOJA SACCO LTD'], ['Payout list November 2026'], [''], header],
    lines,
  };
}

function payout(number: number, amount: number): Line {
  const member = `M-${number}`;
  const account = `01${String(10_000_000_000 + number * 7)}`;
  const phone = 712_000_000 + number;
  const banks = [
    'KCB BANK KENYA LTD',
    'Equity Bank (Kenya)',
    'Co-operative Bank of Kenya',
    'NCBA Kenya Plc',
  ] as const;
  if (number % 3 === 0)
    return good(number, member, nameOf(number), pick(banks, number), account, '', amount, '');
  const provider = pick(['MPESA', 'M-Pesa', 'M PESA', 'Airtel Money'], number);
  const written = pick<Cell>(
    [
      `0${phone}`,
      phone,
      `254${phone}`,
      Number(`254${phone}`),
      `+254 ${phone}`,
      `0712 ${String(phone).slice(3)}`,
    ],
    number,
  );
  return good(
    number,
    member,
    nameOf(number),
    provider,
    '',
    written,
    amount,
    number % 50 === 1 ? 'urgent' : '',
  );
}

/** What may never be created: each line has one mistake. */
function mistakesInKenya(from: number): Line[] {
  const account = '0110999999991';
  const cells: Cell[][] = [
    ['KCB Bank Kenya', '', '0712 345', 500],
    ['M-PESA', '', '0712 345', 500],
    ['M-PESA', '', '255752345006', 500],
    ['M-PESA', '', 71_234_567, 500],
    ['M-PESA', '', '0712 345 678 / 0733 345 678', 500],
    ['M-PESSA MONEY', '', '0712345678', 500],
    ['Equty Bnk', account, '', 500],
    ['Bank', account, '', 500],
    ['KCB Bank Kenya', 1.10123e11, '', 500],
    ['KCB Bank Kenya', '1.10123E+11', '', 500],
    ['KCB Bank Kenya', account, '', -500],
    ['KCB Bank Kenya', account, '', 'five hundred'],
    ['KCB Bank Kenya', account, '', '#REF!'],
    ['KCB Bank Kenya', account, '', 5],
    ['M-PESA', '', '0712345679', 9_000_000],
    ['KCB Bank Kenya', account, '', '$ 500'],
  ];
  const wrong = cells.map(([bank = '', number = '', phone = '', amount = ''], at) =>
    bad(from + at + 1, `M-${at + 1}`, nameOf(at), bank, number, phone, amount, ''),
  );
  const strangers = [
    bad(from + 50, 'M-99999', nameOf(1), 'KCB Bank Kenya', account, '', 500, ''),
    bad(from + 51, 'M-1', '', 'KCB Bank Kenya', account, '', 500, ''),
  ];
  return [...wrong, ...strangers];
}

/** German recipients in a CSV file: IBANs, names in two columns, days and amounts as in Germany. */
export function germany(): PartnerFile {
  const lines = Array.from({ length: 500 }, (_, at): Line => {
    const land = pick(['Deutschland', 'DE', 'deutschland'], at);
    const betrag = pick(
      [`1.${String(234 + at).padStart(3, '0')},50 €`, `${at + 10},00 €`, `${at + 10} €`],
      at,
    );
    return good(
      at + 1,
      `M-${at + 1}`,
      pick(firstNames, at),
      pick(lastNames, at),
      ibanOf(at),
      'COBADEFFXXX',
      'Commerzbank',
      betrag,
      `Hauptstraße ${at + 1}`,
      '10115',
      'Berlin',
      land,
    );
  });
  const iban = ibanOf(9_000);
  const wrong = [
    bad(
      501,
      'M-1',
      'Otto',
      'Doe',
      `${iban.slice(0, -1)}${(Number(iban.at(-1)) + 1) % 10}`,
      '',
      'Bank',
      '5,00 €',
      'Weg 1',
      '10115',
      'Berlin',
      'DE',
    ),
    bad(502, 'M-1', 'Otto', 'Doe', iban.slice(0, -1), '', 'Bank', '5,00 €', 'Weg 1', '10115', 'Berlin', 'DE'),
    bad(
      503,
      'M-1',
      'Otto',
      'Doe',
      ibanOf(9_001),
      '',
      'Bank',
      '5,00 €',
      'Weg 1',
      '10115',
      'Berlin',
      'Deutschlnd',
    ),
    bad(504, 'M-1', '', '', ibanOf(9_002), '', 'Bank', '5,00 €', 'Weg 1', '10115', 'Berlin', 'DE'),
    bad(505, 'M-1', 'Otto', 'Doe', ibanOf(9_003), '', 'Bank', '5,00 €', '', '10115', 'Berlin', 'DE'),
    bad(506, 'M-1', 'Otto', 'Doe', ibanOf(9_004), '', 'Bank', '5,00 €', 'Weg 1', '1.0115E+4', 'Berlin', 'DE'),
    bad(507, 'M-1', 'Otto', 'Doe', '', '', 'Bank', '5,00 €', 'Weg 1', '10115', 'Berlin', 'DE'),
  ];
  const header = [
    'Lfd. Nr.',
    'Kundennummer',
    'Vorname',
    'Nachname',
    'IBAN',
    'BIC',
    'Bank',
    'Betrag',
    'Straße',
    'PLZ',
    'Ort',
    'Land',
  ];
  return { name: 'Auszahlungen.csv', kind: 'recipients', head: [header], lines: [...lines, ...wrong] };
}

function ibanOf(number: number): string {
  const account = `37040044${String(532_013_000 + number).padStart(10, '0')}`;
  const check = 98n - (BigInt(`${account}131400`) % 97n);
  return `DE${String(check).padStart(2, '0')}${account}`.replace(/(.{4})/g, '$1 ').trim();
}

/** A Nigerian workbook: NUBANs as numbers and as text. */
export function nigeria(): PartnerFile {
  const banks = [
    'GUARANTY TRUST BANK PLC',
    'Access Bank',
    'Zenith',
    'First Bank of Nigeria Ltd',
    'UNITED BANK FOR AFRICA',
  ] as const;
  const lines = Array.from({ length: 500 }, (_, at): Line => {
    const nuban = 2_000_000_000 + at * 7;
    const account = pick<Cell>([nuban, nuban, String(nuban), `0${String(nuban).slice(1)}`], at);
    return good(
      `M-${at + 1}`,
      nameOf(at),
      account,
      pick(banks, at),
      pick<Cell>([5_000 + at, `₦${(12_000 + at).toLocaleString('en')}.00`], at),
    );
  });
  const wrong = [
    bad('M-1', nameOf(1), 23_456_789, 'Zenith Bank', 5_000),
    bad('M-1', nameOf(1), 123_456_789, 'Zenith Bank', 5_000),
    bad('M-1', nameOf(1), '2.00000012E+09', 'Zenith Bank', 5_000),
    bad('M-1', nameOf(1), '2000009999', 'Savings Club of Lagos', 5_000),
    bad('M-1', nameOf(1), '2000009998', 'Zenith Bank', 5),
    bad('M-1', nameOf(1), '2000009997', 'Zenith Bank', '€5,000.00'),
    bad('M-1', nameOf(1), '', 'Zenith Bank', 5_000),
    noRow('', 'Total', '', '', ''),
    noRow('Authorised signature', '', '', '', ''),
  ];
  const header = ['Staff No', 'Beneficiary Name', 'NUBAN', 'Bank', 'Amount (NGN)'];
  return {
    name: 'salaries.xlsx',
    kind: 'recipients',
    head: [['Salaries, Lagos office'], header],
    lines: [...lines, ...wrong],
  };
}

/** Customers in the United States: days, states and phone numbers as they are written there. */
export function unitedStates(): PartnerFile {
  const states = ['CA', 'California', 'NY', 'Texas', 'tx', 'Florida', 'US-WA'] as const;
  const lines = Array.from({ length: 500 }, (_, at): Line => {
    const line = String(1_000 + at);
    const phone = pick(
      [`(415) 555-${line}`, `415-555-${line}`, `1 415 555 ${line}`, `+1 415 555 ${line}`],
      at,
    );
    const day = `${String((at % 12) + 1).padStart(2, '0')}/${String((at % 28) + 1).padStart(2, '0')}/${1960 + (at % 40)}`;
    return good(
      pick(firstNames, at),
      pick(lastNames, at),
      day,
      pick(['M', 'F'], at),
      phone,
      `p${at}@people.example`,
      `${at + 1} Main St`,
      'Springfield',
      pick(states, at),
      String(90_001 + at),
    );
  });
  const wrong: Line[] = [
    ['31/12/1990', '(415) 555-9001', 'CA', 'a@people.example'],
    ['02/30/1990', '(415) 555-9002', 'CA', 'b@people.example'],
    ['12/31/2090', '(415) 555-9003', 'CA', 'c@people.example'],
    ['12/31/1990', '555-9004', 'CA', 'd@people.example'],
    ['12/31/1990', '(115) 555-9005', 'CA', 'e@people.example'],
    ['12/31/1990', '(415) 555-9006', 'Californa', 'f@people.example'],
    ['12/31/1990', '(415) 555-9007', 'CA', 'not an address'],
    ['12/31/1990', '4.15556E+09', 'CA', 'g@people.example'],
  ].map(([day = '', phone = '', state = '', email = '']) =>
    bad('Wrong', 'Person', day, 'F', phone, email, '1 Main St', 'Springfield', state, '90001'),
  );
  const header = [
    'First Name',
    'Last Name',
    'DOB',
    'Sex',
    'Mobile',
    'E-mail',
    'Street',
    'City',
    'State',
    'Zip',
  ];
  return { name: 'customers-us.csv', kind: 'customers', head: [header], lines: [...lines, ...wrong] };
}
