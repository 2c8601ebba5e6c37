/*
 * The content of a row to which approvers agree, computed from its record, and again from the bytes of its request. Objects
 * that did not exist when the row was checked are included by name, since they get their ids while the plan is carried out.
 */

import type { LeafContent } from '../domain/controls/leaves.ts';
import type { NormalisedRecord } from '../domain/rows/ledger-row.ts';
import type { Reference, ResourceDefinition } from './definition.ts';

/** A record without the ids that it got after it was checked, with names in their place. */
interface NamedContent {
  readonly content: NormalisedRecord;
  readonly names: readonly string[];
}

/**
 * An object that existed at validation is included by its current id. An object that was still to be created then is always
 * included by its name. It gets its id while the same plan is carried out, and this changes nothing to which a person
 * agreed.
 * @param resolved the record with the ids that exist now
 */
export function byNameWhereItWasNotThere(
  definition: ResourceDefinition,
  record: NormalisedRecord,
  resolved: NormalisedRecord,
): NamedContent {
  let content = record;
  const names: string[] = [];
  for (const reference of definition.references) {
    const handle = reference.handle(content);
    if (handle === undefined) continue;
    const id = resolved[reference.fills];
    if (content[reference.fills] === undefined) names.push(`${reference.fills}=${handle}`);
    else if (id !== undefined) content = { ...content, [reference.fills]: id };
  }
  return { content, names };
}

/** The content of a planned row for its leaf. */
export function contentOfPlan(
  row: number,
  definition: ResourceDefinition,
  { content, names }: NamedContent,
): LeafContent {
  const body = JSON.stringify(definition.body(content));
  return leafContent(row, definition, definition.path, { record: content, names, body });
}

/**
 * The properties are written out, because spreading one object into another takes four times as long as computing the rest
 * of a leaf's content.
 */
function leafContent(
  row: number,
  { name: resource }: ResourceDefinition,
  path: string,
  made: { readonly record: NormalisedRecord; readonly names: readonly string[]; readonly body: string },
): LeafContent {
  const { record, names, body } = made;
  const { amount, currency } = record;
  return { row, resource, path, names, body, amount: amount ?? null, currency: currency ?? null };
}

/** An object whose id is in a request, and whose name is in the approved plan. */
export interface FilledReference {
  readonly reference: Reference;
  /** The id in the request. */
  readonly id: string;
  /** The handle by which the row names the object, with the ids in the request. */
  readonly handle: string;
}

/** The content of a request for its leaf, and the ids in it that were filled in after the row was checked. */
export interface ContentOfRequest {
  readonly content: LeafContent;
  readonly filled: readonly FilledReference[];
}

/** A request that is about to be sent. */
interface RequestOfRow {
  readonly row: number;
  readonly path: string;
  readonly body: Buffer;
}

/**
 * Whether the content of a request contains more than its bytes. The row's record is not needed if the definition has no
 * references, and neither an amount nor a currency.
 */
export function needsRecord({ references, rules }: ResourceDefinition): boolean {
  return references.length > 0 || rules.some(({ field }) => field === 'amount' || field === 'currency');
}

/**
 * The fields of a record that the content needs besides the bytes of its request. A handle is computed only from the fields
 * of references.
 */
export function fieldsBesideRequest({ references }: ResourceDefinition): readonly string[] {
  return ['amount', 'currency', ...references.flatMap(({ field, fills }) => [field, fills])];
}

/**
 * The content of the bytes that are about to be sent, in which names replace the ids that were filled in.
 * @param record the row's record, or at least its `fieldsBesideRequest`
 */
export function contentOfRequest(
  definition: ResourceDefinition,
  { row, path, body }: RequestOfRow,
  record: NormalisedRecord,
): ContentOfRequest {
  const text = body.toString('utf8');
  const sent = lazily(() => JSON.parse(text));
  const names: string[] = [];
  const filled: FilledReference[] = [];
  let [content, known] = [record, record];
  for (const [at, reference] of definition.references.entries()) {
    const handle = reference.handle(content);
    if (handle === undefined) continue;
    const isName = content[reference.fills] === undefined;
    // The id of an object that existed before is only needed for the handles of later references.
    if (!isName && at + 1 === definition.references.length) continue;
    const id = valueAt(sent(), placeOf(definition, reference), isName);
    if (isName) names.push(`${reference.fills}=${handle}`);
    if (typeof id !== 'string') continue;
    if (isName) filled.push({ reference, id, handle: reference.handle(known) ?? handle });
    if (at + 1 === definition.references.length) continue;
    if (!isName) content = { ...content, [reference.fills]: id };
    known = { ...known, [reference.fills]: id };
  }
  const written = names.length === 0 ? text : JSON.stringify(sent());
  return { content: leafContent(row, definition, path, { record, names, body: written }), filled };
}

/** Whether a request was made from a record, whatever ids of other objects are in it. */
export function isRequestOfRecord(
  definition: ResourceDefinition,
  { path, body }: RequestOfRow,
  record: NormalisedRecord,
): boolean {
  const text = body.toString('utf8');
  const sent = lazily(() => JSON.parse(text));
  let filled = record;
  for (const reference of definition.references) {
    const id = valueAt(sent(), placeOf(definition, reference), false);
    if (typeof id === 'string') filled = { ...filled, [reference.fills]: id };
  }
  return path === definition.path && JSON.stringify(definition.body(filled)) === text;
}

function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The names of the members that contain the value of a field in a body, from the outside in. */
type Place = readonly string[];

const places = new WeakMap<Reference, WeakMap<ResourceDefinition, Place>>();

/** It is found by writing the body of a record that has only this field. */
function placeOf(definition: ResourceDefinition, reference: Reference): Place {
  const known = places.get(reference) ?? new WeakMap<ResourceDefinition, Place>();
  places.set(reference, known);
  const place =
    known.get(definition) ?? find(definition.body({ [reference.fills]: marker }), []) ?? noPlace(definition);
  known.set(definition, place);
  return place;
}

const marker = 'the id of an object';

function noPlace({ name }: ResourceDefinition): never {
  throw new Error(`the body of ${name} lacks the id of an object that it refers to`);
}

function find(value: unknown, place: Place): Place | undefined {
  if (value === marker) return place;
  if (!isObject(value)) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = find(member, [...place, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The value at a place; undefined if there is none. @param isTaken whether it is removed */
function valueAt(value: unknown, [name, ...inner]: Place, isTaken: boolean): unknown {
  if (!isObject(value) || name === undefined) return undefined;
  if (inner.length > 0) return valueAt(value[name], inner, isTaken);
  const found = value[name];
  if (isTaken) delete value[name];
  return found;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
