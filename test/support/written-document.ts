import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import * as z from 'zod';

/** Expects a page of `docs` to be exactly `text`, which the code gives. With UPDATE_DOCS=1 it is written anew. */
export function expectDocument(name: string, text: string): void {
  const path = new URL(`../../docs/${name}`, import.meta.url);
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(path, text);
  expect(readFileSync(path, 'utf8')).toBe(text);
}

/** The same for the JSON schema of the values that `schema` reads. */
export function expectSchemaDocument(name: string, schema: z.ZodType): void {
  expectDocument(name, `${JSON.stringify(z.toJSONSchema(schema, { io: 'input' }), null, 2)}\n`);
}
