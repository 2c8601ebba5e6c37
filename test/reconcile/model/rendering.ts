import type { TableRow } from '../../../src/domain/tables/table.ts';
import type { HereRecord, Plan, ThereRecord } from './world.ts';

/** One file of the other side, as a spreadsheet program would show it. */
export interface RenderedFile {
  readonly header: readonly string[];
  readonly rows: readonly TableRow[];
}

/** How the files of an export are written beyond what they say. */
export interface Variation {
  /** The records of each file, in their order. */
  readonly files: readonly (readonly ThereRecord[])[];
  readonly hasExtraColumns: boolean;
  /** Those of these records that are in a further file too, which has no column for groups. */
  readonly copies: readonly ThereRecord[];
}

/** What each of an export's columns is, in their order. */
export function columnsOf(plan: Plan, records: readonly ThereRecord[]): string[] {
  const fields = plan.has.fields ? [...new Set(records.flatMap(({ values }) => Object.keys(values)))] : [];
  const special = new Set(['amount', 'currency', 'external_id', 'client_reference']);
  return [
    ...(plan.has.id ? ['id'] : []),
    ...(plan.has.reference ? ['reference'] : []),
    ...(plan.hasGroups ? ['group'] : []),
    ...(plan.kind === 'collections' ? ['amount', 'currency'] : []),
    ...(plan.kind !== 'collections' && plan.kind !== 'customers' && plan.has.fields ? ['currency'] : []),
    ...(plan.has.date ? ['date'] : []),
    ...fields.filter((field) => !special.has(field)).sort(),
  ];
}

const titles: Readonly<Record<string, string>> = {
  id: 'Transaction',
  reference: 'Your ref',
  amount: 'Value',
  currency: 'Ccy',
  date: 'Booked',
};

function titleOf(plan: Plan, column: string): string {
  const isUnread = column === 'amount' && plan.amounts === 'not_read';
  return plan.style.isRenamed || isUnread ? (titles[column] ?? `The ${column}`) : column;
}

/** A column that has the name of a field of some kinds, and is none where the mapping says what it is for. */
function wayTitle({ kind, style }: Plan): string {
  return style.isRefundPositive && kind !== 'accounts' ? 'Type' : 'Movement';
}

/** The mapping file by which such an export is read. */
export function mappingOf(plan: Plan, columns: readonly string[]): object {
  const { decimal, thousands, dateFormat, isRefundPositive } = plan.style;
  const isNamed = plan.style.isRenamed || plan.hasGroups || plan.amounts === 'not_read';
  const named = columns.filter((column) => column !== 'amount' || plan.amounts !== 'not_read');
  return {
    ...(isNamed
      ? { columns: Object.fromEntries(named.map((column) => [titleOf(plan, column), column])) }
      : {}),
    decimal,
    thousands,
    ...(plan.amounts === 'not_wanted' ? { compare: named.filter((column) => column !== 'amount') } : {}),
    include: { State: ['Completed'] },
    ...(dateFormat === 'YYYY-MM-DD' ? {} : { dateFormat }),
    ...(isRefundPositive ? { sign: { [wayTitle(plan)]: { Refund: -1 } } } : {}),
    ...(plan.kind === 'collections' && plan.isNatural
      ? { naturalKey: ['client_customer_id', 'currency', 'amount'] }
      : {}),
  };
}

/** Writes the other side's records as the rows of its files. */
export function renderFiles(plan: Plan, columns: readonly string[], variation: Variation): RenderedFile[] {
  const { files, copies, hasExtraColumns } = variation;
  const extra = hasExtraColumns ? ['Branch', 'Remark'] : [];
  const render = (records: readonly ThereRecord[], shown: readonly string[]): RenderedFile => ({
    header: [...shown.map((column) => titleOf(plan, column)), 'State', wayTitle(plan), ...extra],
    rows: records.map((record, at) => ({
      number: at + 2,
      cells: [
        ...shown.map((column) => cellOf(plan, record, column)),
        record.isLeftOut ? 'Failed' : 'COMPLETED',
        isRefund(record) ? 'Refund' : 'Payment',
        ...extra.map(() => `note ${at % 3}`),
      ],
    })),
  });
  const ungrouped = columns.filter((column) => column !== 'group');
  return [
    ...files.map((records) => render(records, columns)),
    ...(copies.length === 0 ? [] : [render(copies, ungrouped)]),
  ];
}

function isRefund({ values }: ThereRecord): boolean {
  return values['amount']?.startsWith('-') === true;
}

function cellOf(plan: Plan, record: ThereRecord, column: string): string {
  switch (column) {
    case 'id':
      return written(plan, 'customer_id', record.id ?? '');
    case 'reference':
      return record.reference ?? '';
    case 'group':
      return record.group ?? '';
    case 'date':
      return plan.style.dateFormat === 'YYYY-MM-DD' ? record.day : record.day.split('-').reverse().join('.');
    default:
      return written(plan, column, record.values[column] ?? '');
  }
}

/** A value as an export may write it: the same value in another form. */
function written(plan: Plan, field: string, value: string): string {
  if (field === 'amount') return moneyText(plan, value);
  if (!plan.style.isSpaced) return value;
  if (field === 'iban' || field === 'account_number') return value.replaceAll(/(.{4})(?=.)/g, '$1 ');
  if (field === 'phone_number') return value.replace(/^(\+\d{3})(\d{3})/, '$1 $2-');
  if (field === 'customer_id' || field === 'institution_id') return value.toUpperCase();
  return value;
}

function moneyText({ style }: Plan, value: string): string {
  const unsigned = style.isRefundPositive ? value.replace('-', '') : value;
  // Workbooks and many programs leave zeros at the end away.
  const short = style.isSpaced && unsigned.includes('.') ? unsigned.replace(/\.?0+$/, '') : unsigned;
  const [whole = '', fraction] = short.split('.');
  const grouped = style.thousands === '' ? whole : whole.replaceAll(/\B(?=(\d{3})+$)/g, style.thousands);
  return fraction === undefined ? grouped : `${grouped}${style.decimal}${fraction}`;
}

/** Our rows as the ledger gives them. */
export function ledgerRows(records: readonly HereRecord[]): {
  readonly row: number;
  readonly state: 'created' | 'unknown';
  readonly objectId: string | null;
  readonly record: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  readonly day: string;
}[] {
  return records.map(({ id, values, day, status }, at) => ({
    row: at + 2,
    state: status,
    objectId: id,
    record: values,
    body: Buffer.from(JSON.stringify(values)),
    day,
  }));
}
