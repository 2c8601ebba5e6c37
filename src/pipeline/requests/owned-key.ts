import { shortBatchId } from '../../domain/batches/batch.ts';
import type { KeyOwner, Reason, Rival } from '../../domain/rows/ledger-row.ts';

/** What becomes of a row whose natural key another row owns. */
type OwnedFate =
  | { readonly to: 'existing'; readonly objectId: string; readonly reason: Reason }
  | { readonly to: 'held' | 'waiting'; readonly reason: Reason };

/**
 * Judges a row whose object another row created, or may be creating: the same content is that object;
 * other content, or an object that nobody can be sure of, is for a person; one that is only about to be
 * sent is waited for.
 * @param fingerprint of what this row would send, with every reference filled in
 */
export function judgeOwnedKey(owner: KeyOwner, fingerprint: Buffer, body: Buffer): OwnedFate {
  const place = `row ${owner.row} of batch ${shortBatchId(owner.batch)}`;
  switch (owner.state) {
    case 'created':
      return judgeCreated(owner, fingerprint, body, place);
    case 'unknown':
    case 'held':
      return {
        to: 'held',
        reason: {
          code: 'unknown_elsewhere',
          field: null,
          message: `The same object may exist already: ${place} was sent and has no conclusive answer.`,
        },
      };
    case 'ready':
    case 'sending':
      return {
        to: 'waiting',
        reason: {
          code: 'sent_elsewhere',
          field: null,
          message: `The same object is about to be created by ${place}: let that batch finish first.`,
        },
      };
  }
}

/**
 * Judges a row of whose family another one (the row that it corrects, or another correction or reading of that) is created,
 * or may be: at most one of them is to be, unless a person decides otherwise.
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

function judgeCreated(owner: KeyOwner, fingerprint: Buffer, body: Buffer, place: string): OwnedFate {
  if (owner.objectId === null) throw new Error('a created row has no object id');
  if (owner.fingerprint.equals(fingerprint)) {
    const message = `Created earlier by ${place}.`;
    return { to: 'existing', objectId: owner.objectId, reason: { code: 'existing', field: null, message } };
  }
  const fields = differingFields(owner.body, body);
  return {
    to: 'held',
    reason: {
      code: 'differs_from_created',
      field: fields[0] ?? null,
      message: `${place} created the same object (${owner.objectId}) with other values in: ${fields.join(', ')}.`,
    },
  };
}

/** The request fields in which two bodies differ, nested ones by their own name. */
function differingFields(left: Buffer, right: Buffer): string[] {
  const before = flatten(JSON.parse(left.toString('utf8')));
  const after = flatten(JSON.parse(right.toString('utf8')));
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name));
}

function flatten(value: unknown, name = '', into = new Map<string, string>()): Map<string, string> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [key, inner] of Object.entries(value)) flatten(inner, key, into);
  } else {
    into.set(name, JSON.stringify(value));
  }
  return into;
}
