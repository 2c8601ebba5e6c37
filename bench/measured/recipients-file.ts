import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Institution } from '../../src/domain/institution.ts';
import type { KnownObject } from '../../src/kinds/definition.ts';
import { writeCustomersFile } from './customers-file.ts';

const customers = 100;
const rowsPerPiece = 1_000;

const recipientColumns =
  'payee_type,customer_external_id,account_name,account_number,phone_number,iban,routing_number,bank_name,' +
  'currency,account_owner_type,account_type,institution_name,institution_country,amount,' +
  'address_line1,city,state,country,postal_code';

/** A CSV file of valid recipients of all payee types in turn, each another account. */
export async function writeRecipients(path: string, rows: number): Promise<void> {
  await pipeline(Readable.from(pieces(rows)), createWriteStream(path));
}

function* pieces(rows: number): Generator<string> {
  yield `${recipientColumns}\r\n`;
  for (let done = 0; done < rows; done += rowsPerPiece) {
    const length = Math.min(rowsPerPiece, rows - done);
    yield Array.from({ length }, (_, index) => `${recipient(done + index)}\r\n`).join('');
  }
}

function recipient(number: number): string {
  const customer = `C-${(number % customers) + 1}`;
  const digits = String(number).padStart(7, '0');
  switch (number % 4) {
    case 0:
      return `mobile_money,${customer},Amina Otieno,,+25471${digits},,,,KES,,,M-PESA,KE,1500.00,,,,,`;
    case 1:
      return `bank_account,${customer},Brian Kamau,012${digits},,,,,KES,,,KCB Bank Kenya,KE,25000.00,,,,,`;
    case 2:
      return `sepa,${customer},Lukas Schneider,,,${germanIban(digits)},,Commerzbank,EUR,individual,,,,,"Unter den Linden 5",Berlin,,DE,10117`;
    default:
      return `bank_account_us,${customer},Emily Carter,000${digits},,,021000021,JPMorgan Chase Bank,USD,individual,savings,,,,"350 Fifth Avenue",New York,US-NY,US,10118`;
  }
}

/** An IBAN of an account with these digits. With the check digits of ISO 7064, which make the number's remainder by 97 one. */
export function germanIban(digits: string): string {
  const account = `37040044${digits.padStart(10, '0')}`;
  const remainder = BigInt(`${account}131400`) % 97n;
  return `DE${String(98n - remainder).padStart(2, '0')}${account}`;
}

/** A CSV file of the customers that the recipients name. */
export function writeCustomers(path: string): Promise<void> {
  return writeCustomersFile(path, customers, 'C-');
}

/** The customers that the recipients name, as a ledger knows them. */
export function knownCustomers(handles: readonly string[]): ReadonlyMap<string, KnownObject> {
  return new Map(handles.map((handle) => [handle, { id: `id of ${handle}`, country: 'KE' }]));
}

/** The institutions that the recipients name. */
export const institutions: readonly Institution[] = [
  {
    id: '8f14e45f-ceea-467f-9b6f-0f0f7c1d2a3b',
    name: 'M-PESA',
    country: 'KE',
    currency: 'KES',
    accountNumberType: 'phone_number',
    minAmount: '10',
    maxAmount: '250000',
  },
  {
    id: '45c48cce-2e2d-4fbd-a9d2-1f6a2d3b4c5e',
    name: 'KCB Bank Kenya',
    country: 'KE',
    currency: 'KES',
    accountNumberType: 'bank_account_number',
    minAmount: '50',
    maxAmount: '999999',
  },
];
