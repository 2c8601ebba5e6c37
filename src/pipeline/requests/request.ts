import { createHash, hash } from 'node:crypto';
import type { NormalisedRecord } from '../../domain/rows/record.ts';
import type { ResourceDefinition } from '../../resources/definition.ts';

/** The exact bytes to be sent for a record. Written once; every try sends these, never a new serialisation. */
export function writeBody(definition: ResourceDefinition, record: NormalisedRecord): Buffer {
  return Buffer.from(JSON.stringify(definition.body(record)), 'utf8');
}

/** SHA-256 over endpoint and exact body bytes: two requests are the same if and only if this is. */
export function fingerprintOf(path: string, body: Buffer): Buffer {
  return createHash('sha256').update(`POST ${path}\n`).update(body).digest();
}

/** SHA-256 over the parts that make the object the same object in the real world. */
export function naturalKeyOf(definition: ResourceDefinition, record: NormalisedRecord): Buffer {
  return Buffer.from(naturalKeyText(definition, record), 'latin1');
}

/** The same as text with a byte in each character: a Buffer for every row of a file would cost thrice as much. */
export function naturalKeyText(definition: ResourceDefinition, record: NormalisedRecord): string {
  return hash('sha256', jsonOf(definition.kind, definition.naturalKey(record)), 'binary');
}

const quote = 0x22;
const backslash = 0x5c;
const firstPlain = 0x20;
const lastPlain = 0x7e;

function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < firstPlain || code > lastPlain || code === quote || code === backslash) return false;
  }
  return true;
}

/** What JSON.stringify gives for a list of texts; written directly where nothing has to be escaped, as in most. */
function jsonOf(first: string, others: readonly string[]): string {
  for (const text of others) if (!isPlain(text)) return JSON.stringify([first, ...others]);
  return `["${first}","${others.join('","')}"]`;
}

/**
 * SHA-256 that a row owns in place of its natural key, when a person sends it although another row owns
 * that one: no row can own it by chance, and later rows go on meeting the object of the other row.
 */
export function keyOfItsOwn(naturalKey: Buffer, idempotencyKey: string): Buffer {
  return createHash('sha256').update(naturalKey).update(idempotencyKey).digest();
}
