import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const rowsPerPiece = 1_000;

const customerColumns =
  'external_id,first_name,last_name,email,phone,type,gender,date_of_birth,address_line1,city,country,postal_code';

/**
 * A CSV file of customers, each another one.
 * @param prefix what their external ids begin with
 * @param dateOfBirth one that is no day makes every row invalid
 */
export async function writeCustomersFile(
  path: string,
  rows: number,
  prefix: string,
  dateOfBirth = '1990-01-31',
): Promise<void> {
  await pipeline(Readable.from(pieces(rows, prefix, dateOfBirth)), createWriteStream(path));
}

function* pieces(rows: number, prefix: string, dateOfBirth: string): Generator<string> {
  yield `${customerColumns}\r\n`;
  for (let done = 0; done < rows; done += rowsPerPiece) {
    const length = Math.min(rowsPerPiece, rows - done);
    yield Array.from({ length }, (_, index) => customer(done + index, prefix, dateOfBirth)).join('');
  }
}

function customer(index: number, prefix: string, dateOfBirth: string): string {
  const digits = String(index).padStart(7, '0');
  return `${prefix}${index + 1},Amina,Otieno,amina.${index}@example.com,+25471${digits},individual,female,${dateOfBirth},12 Moi Avenue,Nairobi,KE,00100\r\n`;
}
