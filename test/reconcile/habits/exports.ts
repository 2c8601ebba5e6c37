import type { TableRow } from '../../../src/domain/tables/table.ts';
import { createRandom, type Random } from '../../simulation/random.ts';

/*
 * Exports as other people's programs write them, made from one truth: titles in other words and languages, amounts in
 * other forms, days in other orders, and columns beside them that nobody needs. The same seed gives the same export.
 */

/** A payment by paybatch, and what became of it there. */
export interface Payment {
  readonly id: string;
  readonly reference: string;
  readonly amount: string;
  readonly currency: string;
  readonly day: string;
  readonly fate: 'same' | 'changed' | 'missing';
}

export interface Export {
  readonly seed: number;
  readonly payments: readonly Payment[];
  readonly header: readonly string[];
  readonly rows: readonly TableRow[];
  /** Records of other senders. */
  readonly strangers: number;
  /** What it is like, for a person to read. */
  readonly habits: string;
}

const titles: Readonly<Record<string, readonly string[]>> = {
  id: [
    ...['Transaction ID', 'transaction_id', 'Txn ID', 'Payment ID', 'Transaktions-ID', 'Identifiant'],
    ...['ID Transacción', 'ID da transação', 'Namba ya muamala', 'System reference no', 'UUID'],
  ],
  reference: [
    ...['Merchant ref', 'Your Reference', 'Invoice No.', 'Order ID', 'client_reference', 'Rechnungsnummer'],
    ...['N° facture', 'Factura', 'Fatura', 'Kumbukumbu', 'External Ref', 'Bill number'],
  ],
  amount: [
    ...['Amount paid', 'Amount', 'Value', 'Total', 'Transaction amount', 'Betrag', 'Montant', 'Importe'],
    ...['Valor pago', 'Kiasi', 'Kwota', 'Paid', 'Gross', 'X7', 'Spalte 4'],
  ],
  credit: ['Credit', 'Paid In', 'Money in', 'Haben', 'Crédit', 'Abono', 'Entrada'],
  debit: ['Debit', 'Withdrawn', 'Money out', 'Soll', 'Débit', 'Cargo', 'Saída'],
  currency: ['Currency', 'Ccy', 'Währung', 'Devise', 'Moneda', 'Moeda', 'Sarafu'],
  date: [
    'Created at',
    'Date',
    'Transaction date',
    'Buchungstag',
    'Date opération',
    'Fecha',
    'Tarehe',
    'Paid on',
  ],
};

const signs: Readonly<Record<string, readonly string[]>> = {
  KES: ['KES ', 'KSh ', 'Ksh'],
  UGX: ['UGX ', 'USh '],
  EUR: ['€', 'EUR '],
};

const amountForms = [
  'plain',
  'plain',
  'comma',
  'grouped',
  'german',
  'spaced',
  'marked',
  'behind',
  'cents',
] as const;
type AmountForm = (typeof amountForms)[number];

/** Groups of three with a sign between them. */
function grouped(whole: string, sign: string): string {
  return whole.replaceAll(/\B(?=(\d{3})+$)/g, sign);
}

function written(amount: string, currency: string, form: AmountForm, mark: string): string {
  const [whole = '', fraction = ''] = amount.split('.');
  const behind = (point: string): string => (fraction === '' ? '' : `${point}${fraction}`);
  switch (form) {
    case 'plain':
      return amount;
    case 'comma':
      return `${whole}${behind(',')}`;
    case 'grouped':
      return `${grouped(whole, ',')}${behind('.')}`;
    case 'german':
      return `${grouped(whole, '.')}${behind(',')}`;
    case 'spaced':
      return `${grouped(whole, ' ')}${behind(',')}`;
    case 'marked':
      return `${mark}${grouped(whole, ',')}${behind('.')}`;
    case 'behind':
      return `${grouped(whole, '.')}${behind(',')} ${currency}`;
    case 'cents':
      return currency === 'UGX' ? whole : `${whole}${fraction.padEnd(2, '0')}`;
  }
}

const dayForms = ['iso', 'moment', 'dmy', 'mdy', 'dmy_time'] as const;

function writtenDay(day: string, form: (typeof dayForms)[number]): string {
  const [year = '', month = '', date = ''] = day.split('-');
  switch (form) {
    case 'iso':
      return day;
    case 'moment':
      return `${day}T09:30:00Z`;
    case 'dmy':
      return `${date}.${month}.${year}`;
    case 'mdy':
      return `${month}/${date}/${year}`;
    case 'dmy_time':
      return `${date}/${month}/${year} 14:05`;
  }
}

function amountIn(currency: string, random: Random): string {
  const whole = random.pick([random.whole(5, 99), random.whole(100, 9_999), random.whole(10_000, 900_000)]);
  if (currency === 'UGX') return String(whole * 10);
  return `${whole}.${random.pick(['00', '50', String(random.whole(10, 99))])}`;
}

function makePayments(random: Random): Payment[] {
  const currencies = random.chance(0.7) ? [random.pick(['KES', 'UGX', 'EUR'])] : ['KES', 'UGX'];
  return Array.from({ length: random.whole(12, 40) }, (_, at): Payment => {
    const currency = random.pick(currencies);
    return {
      id: random.uuid(),
      reference: `INV-${2_000 + at * 7}`,
      amount: amountIn(currency, random),
      currency,
      day: `2026-11-${String(random.whole(1, 28)).padStart(2, '0')}`,
      fate: random.chance(0.8) ? 'same' : random.pick(['changed', 'changed', 'missing']),
    };
  });
}

/** Another amount, by a little or by much. */
function changed(amount: string, random: Random): string {
  const [whole = '', fraction] = amount.split('.');
  const more = String(Number(whole) + random.pick([1, 10, 1_000]));
  return fraction === undefined ? more : `${more}.${fraction}`;
}

interface Recorded {
  readonly id: string;
  readonly reference: string;
  readonly amount: string;
  readonly currency: string;
  readonly day: string;
}

/** Makes the export of a seed. */
export function makeExport(seed: number): Export {
  const random = createRandom(seed + 31_000_003);
  const payments = makePayments(random);
  const strangers = random.whole(0, 4);
  const [first] = payments;
  const others = Array.from({ length: strangers }, (_, at): Recorded => {
    const currency = first?.currency ?? 'KES';
    const day = first?.day ?? '2026-11-01';
    return { id: random.uuid(), reference: `ZZ-${at}`, amount: amountIn(currency, random), currency, day };
  });
  const there = payments.flatMap((payment): Recorded[] => {
    if (payment.fate === 'missing') return [];
    return [payment.fate === 'changed' ? { ...payment, amount: changed(payment.amount, random) } : payment];
  });
  const records = [...there, ...others].sort(() => random.fraction() - 0.5);
  const isOneCurrency = new Set(records.map(({ currency }) => currency)).size === 1;
  const form = random.pick(amountForms);
  const isMoved = form !== 'cents' && random.chance(0.25);
  const dayForm = random.pick(dayForms);
  const keys = random.pick([['id', 'reference'], ['id'], ['reference']] as const);
  // Without a column of its own the currency is beside the amount, or nowhere.
  const hasCurrency = form === 'cents' || !isOneCurrency || random.chance(0.6);
  const mark = random.pick(signs[first?.currency ?? 'KES'] ?? ['']);
  const cells: Record<string, (record: Recorded, at: number) => string> = {
    ...Object.fromEntries(keys.map((key) => [key, (record: Recorded) => record[key]])),
    ...(hasCurrency ? { currency: ({ currency }) => currency } : {}),
    ...(random.chance(0.7) ? { date: ({ day }) => writtenDay(day, dayForm) } : {}),
  };
  const amountOf = ({ amount, currency }: Recorded): string =>
    written(amount, currency, form, currency === first?.currency ? mark : `${currency} `);
  if (isMoved) {
    cells['credit'] = amountOf;
    cells['debit'] = () => '';
  } else cells['amount'] = amountOf;
  const beside: Record<string, (record: Recorded, at: number) => string> = {
    Fee: (_, at) => written(`${1 + (at % 9)}.00`, 'KES', form === 'cents' ? 'plain' : form, mark),
    'Running balance': (_, at) =>
      written(`${10_000 + at * 37}.00`, 'KES', form === 'cents' ? 'plain' : form, mark),
    'No.': (_, at) => String(at + 1),
    Phone: (_, at) => `07123450${String(10 + at)}`,
    Status: () => 'Completed',
    Branch: (_, at) => ['Nairobi', 'Mombasa'][at % 2] ?? '',
    Remark: () => '',
  };
  for (const name of Object.keys(beside)) if (random.chance(0.5)) delete beside[name];
  const columns = [...Object.entries(cells), ...Object.entries(beside)]
    .map(([name, cell]) => ({ name, title: titleOf(name, random), cell }))
    .sort(() => random.fraction() - 0.5);
  const debits = isMoved ? movedOut(random) : [];
  const rows = [
    ...records.map((record, at) => columns.map(({ cell }) => cell(record, at))),
    ...debits.map((amount) =>
      columns.map(({ name }) =>
        name === 'debit'
          ? written(amount, first?.currency ?? 'KES', form, mark)
          : name === 'date'
            ? writtenDay('2026-11-02', dayForm)
            : name === 'currency'
              ? (first?.currency ?? 'KES')
              : '',
      ),
    ),
  ];
  return {
    seed,
    payments,
    header: columns.map(({ title }) => title),
    rows: rows.map((texts, at) => ({ number: at + 2, cells: texts })),
    strangers: strangers + debits.length,
    habits: `${keys.join('+')}, ${isMoved ? 'credit/debit' : 'amount'} ${form}, ${hasCurrency ? 'currency' : 'no currency'}, ${columns.map(({ title }) => title).join(' | ')}`,
  };
}

/** What left the account has no reference of paybatch. */
function movedOut(random: Random): string[] {
  return Array.from({ length: random.whole(1, 4) }, () => `${random.whole(10, 500)}.00`);
}

function titleOf(name: string, random: Random): string {
  const all = titles[name];
  return all === undefined ? name : random.pick(all);
}
