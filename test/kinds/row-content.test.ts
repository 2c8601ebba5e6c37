import { expect, it } from 'vitest';
import type { ResourceDefinition } from '../../src/kinds/definition.ts';
import { allDefinitions } from '../../src/kinds/registry.ts';
import { writeBody } from '../../src/kinds/request.ts';
import { contentOfRequest, fieldsBesideRequest } from '../../src/kinds/row-content.ts';

/** A record with a value in every field, but for the ids of other objects that are not known yet. */
function fullRecord({ rules, references }: ResourceDefinition, areKnown: boolean): Record<string, string> {
  const fields = [...rules.map(({ field }) => field), ...references.map(({ field }) => field)];
  const ids = areKnown ? references.map(({ fills }) => fills) : [];
  const left = new Set(areKnown ? [] : references.map(({ fills }) => fills));
  const all = [...new Set([...fields, ...ids, 'amount', 'currency'])].filter((field) => !left.has(field));
  return Object.fromEntries(all.map((field) => [field, `value of ${field}`]));
}

it.each(
  allDefinitions.flatMap((definition) => [
    [definition.name, 'with known ids', definition, true] as const,
    [definition.name, 'with names', definition, false] as const,
  ]),
)('%s: the request and a few other fields determine the content, %s', (_, __, definition, areKnown) => {
  const record = fullRecord(definition, areKnown);
  const ids = definition.references.map(({ fills }) => [fills, `id of ${fills}`]);
  const body = writeBody(definition, { ...Object.fromEntries(ids), ...record });
  const some = Object.fromEntries(
    fieldsBesideRequest(definition).flatMap((field) => {
      const value = record[field];
      return value === undefined ? [] : [[field, value]];
    }),
  );
  const request = { row: 2, path: definition.path, body };
  const content = contentOfRequest(definition, request, record);
  expect(contentOfRequest(definition, request, some)).toEqual(content);
  expect(content.filled).toHaveLength(areKnown ? 0 : definition.references.length);
});
