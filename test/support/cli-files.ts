import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';

/** One line of a result file, by column. */
export type ResultRecord = Readonly<Record<string, string>>;

/** Reads a result file's rows by column, with the byte order mark left out. */
export function readCsv(text: string): ResultRecord[] {
  return parse<ResultRecord>(text, { bom: true, columns: true });
}

/** Reads a whole result file: every line with every cell. */
export function readCsvLines(text: string): string[][] {
  return parse(text, { bom: true });
}

/** Writes rows as a CSV file with the columns of the first one. */
export function csvOf(rows: readonly Readonly<Record<string, string>>[]): string {
  return stringify([...rows], { header: true });
}

/** The events of a run log. */
export function readLog(text: string): Record<string, unknown>[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line): Record<string, unknown> => JSON.parse(line));
}

/** A customer that passes every check; those of different numbers are different people. */
export function customer(
  number: number,
  fields: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    external_id: `C-${number}`,
    first_name: `Amina${number}`,
    last_name: 'Odhiambo',
    email: `amina${number}@people.example`,
    phone: `+2547${String(12_000_000 + number)}`,
    ...fields,
  };
}

export function customers(count: number, first = 1): Record<string, string>[] {
  return Array.from({ length: count }, (_, index) => customer(first + index));
}

/** An account of a customer that is named by its external id. */
export function account(
  number: number,
  fields: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    customer_external_id: `C-${number}`,
    currency: 'USD',
    blockchain_network: 'polygon',
    label: 'Main wallet',
    ...fields,
  };
}

/** A bank recipient of a customer that is named by its external id. */
export function recipient(
  number: number,
  fields: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    payee_type: 'bank_account',
    customer_external_id: `C-${number}`,
    account_name: `Amina${number} Odhiambo`,
    account_number: String(7_700_000_000 + number),
    currency: 'KES',
    institution_name: 'KCB Bank Kenya',
    institution_country: 'KE',
    ...fields,
  };
}

/** A mobile money collection into an account that is named by its label. */
export function collection(
  number: number,
  fields: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    client_reference: `INV-${number}`,
    amount: '2500.00',
    currency: 'KES',
    country: 'KE',
    customer_external_id: `C-${number}`,
    source_type: 'external',
    methods: 'mobile_money',
    destination_label: 'Main wallet',
    destination_type: 'internal_account',
    ...fields,
  };
}
