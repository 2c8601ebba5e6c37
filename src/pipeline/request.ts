import { createHash } from 'node:crypto';
import type { NormalisedRecord } from '../domain/record.ts';
import type { ResourceDefinition } from '../resources/definition.ts';

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
  return createHash('sha256')
    .update(JSON.stringify([definition.kind, ...definition.naturalKey(record)]))
    .digest();
}

/**
 * SHA-256 that a row owns in place of its natural key, when a person sends it although another row owns
 * that one: no row can own it by chance, and later rows go on meeting the object of the other row.
 */
export function keyOfItsOwn(naturalKey: Buffer, idempotencyKey: string): Buffer {
  return createHash('sha256').update(naturalKey).update(idempotencyKey).digest();
}
