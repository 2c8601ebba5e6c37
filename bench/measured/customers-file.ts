import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const rowsPerPiece = 1_000;

const columns = [
  'external_id',
  'first_name',
  'last_name',
  'email',
  'phone',
  'type',
  'gender',
  'date_of_birth',
  'address_line1',
  'city',
  'country',
  'postal_code',
] as const;

/** Cells of a customer that are not as usual. */
export type OtherCells = Readonly<Partial<Record<(typeof columns)[number], string>>>;

/**
 * A CSV file of customers, each another one.
 * @param prefix what their external ids begin with
 * @param otherCells of a customer by its place, from 0
 */
export async function writeCustomersFile(
  path: string,
  rows: number,
  prefix: string,
  otherCells: (index: number) => OtherCells = () => ({}),
): Promise<void> {
  await pipeline(Readable.from(pieces(rows, prefix, otherCells)), createWriteStream(path));
}

function* pieces(rows: number, prefix: string, otherCells: (index: number) => OtherCells): Generator<string> {
  yield `${columns.join(',')}\r\n`;
  for (let done = 0; done < rows; done += rowsPerPiece) {
    const length = Math.min(rowsPerPiece, rows - done);
    yield Array.from({ length }, (_, at) => customer(done + at, prefix, otherCells(done + at))).join('');
  }
}

function customer(index: number, prefix: string, others: OtherCells): string {
  const cells: Readonly<Record<(typeof columns)[number], string>> = {
    external_id: `${prefix}${index + 1}`,
    first_name: 'Amina',
    last_name: 'Otieno',
    email: `amina.${index}@example.com`,
    phone: phoneOf(index),
    type: 'individual',
    gender: 'female',
    date_of_birth: '1990-01-31',
    address_line1: '12 Moi Avenue',
    city: 'Nairobi',
    country: 'KE',
    postal_code: '00100',
    ...others,
  };
  return `${columns.map((column) => cells[column]).join(',')}\r\n`;
}

/** The phone number of a customer, which no other one has. */
export function phoneOf(index: number): string {
  return `+25471${String(index).padStart(7, '0')}`;
}
