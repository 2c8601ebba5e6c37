/*
 * Decides about a row whose object exists already or may exist, because another row owns its natural key or is of the same
 * family.
 */

import { shortBatchId } from '../domain/batches/batch.ts';
import { canonicalAmount } from '../domain/money/money.ts';
import type { KeyOwner, Reason, Rival } from '../domain/rows/ledger-row.ts';
import { fieldName } from '../domain/settings/message.ts';
import { isSameName } from './like-names.ts';

/** The decision about a row whose natural key another row owns. */
type OwnedKeyDecision =
  | {
      readonly to: 'existing';
      readonly objectId: string;
      readonly reason: Reason;
      /** Additional information about the row for a person; absent if there is none. */
      readonly note?: string;
    }
  | { readonly to: 'held' | 'waiting'; readonly reason: Reason };

/**
 * Decides about a row whose object another row has created, or may be creating. With the same content, the row means that
 * object, even if only a name is spelled differently. With other content, or if the object is in doubt, a person has to
 * decide. If the object is only about to be sent, the row waits.
 * @param fingerprint of the request that this row would send, with every reference filled in
 * @param nameFields the fields of the request that together are a name
 */
export function judgeOwnedKey(
  owner: KeyOwner,
  fingerprint: Buffer,
  body: Buffer,
  nameFields: readonly string[] = [],
): OwnedKeyDecision {
  const place = `row ${owner.row} of batch ${shortBatchId(owner.batch)}`;
  if (owner.state === 'created') return judgeCreated(owner, fingerprint, body, { place, nameFields });
  if (owner.state === 'unknown' || owner.state === 'held') {
    const message = `The same object may exist already: ${place} was sent and has no conclusive answer.`;
    return { to: 'held', reason: { code: 'unknown_elsewhere', field: null, message } };
  }
  const message = `The same object is about to be created by ${place}: let that batch finish first.`;
  return { to: 'waiting', reason: { code: 'sent_elsewhere', field: null, message } };
}

/**
 * Decides about a row if another row of its family (the row that it corrects, or another correction or reading of that row)
 * is created or may be created. Only one of them is to be created, unless a person decides otherwise.
 */
export function judgeRival(rival: Rival): { readonly to: 'held'; readonly reason: Reason } {
  const { state, row, fileName, batch, objectId } = rival;
  const place = `row ${row} of ${fileName}, batch ${shortBatchId(batch)}`;
  if (state === 'created' || state === 'existing') {
    const message = `It corrects what is created already: ${place}, has the object ${objectId}.`;
    return { to: 'held', reason: { code: 'corrects_created', field: null, message } };
  }
  const message = `It corrects what may exist already: ${place}, has no conclusive answer yet. It goes on by itself once that row is refused, or found not created.`;
  return { to: 'held', reason: { code: 'corrects_in_doubt', field: null, message } };
}

function judgeCreated(
  owner: KeyOwner,
  fingerprint: Buffer,
  body: Buffer,
  { place, nameFields }: { readonly place: string; readonly nameFields: readonly string[] },
): OwnedKeyDecision {
  if (owner.objectId === null) throw new Error('a created row has no object id');
  if (owner.fingerprint.equals(fingerprint)) return asCreated(owner.objectId, `Created earlier by ${place}.`);
  const [before, after] = [valuesIn(owner.body), valuesIn(body)];
  const fields = differingFields(before, after);
  if (fields.length === 0) return asCreated(owner.objectId, `Created earlier by ${place}.`);
  if (fields.every((field) => nameFields.includes(field))) {
    const [one, other] = [nameIn(before, nameFields), nameIn(after, nameFields)];
    if (isSameName(one, other)) {
      const message = `Created earlier by ${place}, which spells the name differently.`;
      return { ...asCreated(owner.objectId, message), note: `the name is spelled differently in ${place}` };
    }
  }
  const message = `${place} created the same object (${owner.objectId}) with other values in: ${fields.map(fieldName).join(', ')}.`;
  return { to: 'held', reason: { code: 'differs_from_created', field: fields[0] ?? null, message } };
}

function asCreated(objectId: string, message: string): Extract<OwnedKeyDecision, { to: 'existing' }> {
  return { to: 'existing', objectId, reason: { code: 'existing', field: null, message } };
}

/** The values of a body as JSON, nested ones by their own name. */
type BodyValues = ReadonlyMap<string, string>;

function valuesIn(body: Buffer): BodyValues {
  return flatten(JSON.parse(body.toString('utf8')));
}

function nameIn(values: BodyValues, nameFields: readonly string[]): string {
  return nameFields.map((field) => JSON.parse(values.get(field) ?? '""')).join(' ');
}

/** The request fields in which two bodies differ. An amount is the same with and without zeros at its end. */
function differingFields(before: BodyValues, after: BodyValues): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => comparable(name, before) !== comparable(name, after));
}

function comparable(name: string, values: BodyValues): string | undefined {
  const json = values.get(name);
  return name === 'amount' && json !== undefined ? canonicalAmount(textOf(json) ?? '') : json;
}

/** A value of a request, and the value in the request that created the object; null if one of them has no value. */
export interface DifferingValue {
  readonly field: string;
  readonly created: string | null;
  readonly here: string | null;
}

/** The fields in which the request of a row differs from the request that created the object, with both values. */
export function differingValues(created: Buffer, here: Buffer): readonly DifferingValue[] {
  const [before, after] = [valuesIn(created), valuesIn(here)];
  return differingFields(before, after).map((field) => ({
    field,
    created: textOf(before.get(field)),
    here: textOf(after.get(field)),
  }));
}

/** @param json a value in the form that `flatten` returns */
function textOf(json: string | undefined): string | null {
  if (json === undefined) return null;
  const value: unknown = JSON.parse(json);
  return typeof value === 'string' ? value : value === null ? null : json;
}

function flatten(value: unknown, name = '', into = new Map<string, string>()): Map<string, string> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [key, inner] of Object.entries(value)) flatten(inner, key, into);
  } else {
    into.set(name, JSON.stringify(value));
  }
  return into;
}
