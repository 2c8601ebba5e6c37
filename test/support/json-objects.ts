/*
 * The object that each command prints with `--json`, and its JSON Schema. The program prints without them: tests
 * write the schemas into `docs/json`, and compare with them what commands print.
 */

import { expect } from 'vitest';
import * as z from 'zod';
import { commands } from '../../src/cli/definitions/commands.ts';
import {
  exportObject,
  haltObject,
  oneUserObject,
  policyObject,
  usersObject,
  verificationObject,
} from './json-shapes/controls.ts';
import {
  closeObject,
  compareObject,
  decisionObject,
  disownObject,
  reconcileObject,
  selectionObject,
} from './json-shapes/decision.ts';
import { exitCode, summaryObject, time } from './json-shapes/shared.ts';
import { statusObject } from './json-shapes/status.ts';

const doctorObject = z.strictObject({
  exit_code: exitCode,
  checks: z.array(
    z.strictObject({
      level: z.enum(['ok', 'warning', 'problem']),
      what: z.string(),
      finding: z.string(),
      next: z.string().nullable(),
    }),
  ),
});

const amount = z.string().nullable().meta({ description: 'A decimal; null where there is no limit' });

const institutionsObject = z.strictObject({
  exit_code: exitCode,
  country: z.string(),
  is_complete: z.boolean(),
  fetched_at: time,
  institutions: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      country: z.string(),
      type: z.enum(['bank', 'mobile_money']),
      account_number_type: z.string(),
      currency: z.string(),
      min_amount: amount,
      max_amount: amount,
    }),
  ),
});

const completionObject = z.strictObject({
  exit_code: exitCode,
  shell: z.enum(['bash', 'zsh', 'fish']),
  script: z.string(),
});

const decidedObject = z.union([decisionObject, summaryObject]);

/**
 * The output of `--json`, by command. A command that fails before it has its own result prints a summary without
 * batches. `mapping` is missing here: it prints a mapping, whose schema is `docs/mapping.schema.json`.
 */
export const jsonObjects: Readonly<Record<string, z.ZodType>> = {
  import: summaryObject,
  validate: summaryObject,
  plan: summaryObject,
  submit: summaryObject,
  resume: summaryObject,
  retry: summaryObject,
  resolve: z.union([selectionObject, summaryObject]),
  close: z.union([closeObject, summaryObject]),
  approve: decidedObject,
  reject: decidedObject,
  reconcile: z.union([reconcileObject, compareObject, summaryObject]),
  results: summaryObject,
  status: z.union([statusObject, summaryObject]),
  policy: z.union([policyObject, summaryObject]),
  disown: z.union([disownObject, summaryObject]),
  halt: z.union([haltObject, summaryObject]),
  user: z.union([usersObject, oneUserObject, summaryObject]),
  audit: z.union([verificationObject, exportObject, summaryObject]),
  institutions: z.union([institutionsObject, summaryObject]),
  template: summaryObject,
  recover: summaryObject,
  doctor: z.union([doctorObject, summaryObject]),
  migrate: summaryObject,
  sandbox: summaryObject,
  serve: summaryObject,
  completion: z.union([completionObject, summaryObject]),
};

/**
 * The JSON Schemas of `docs/json` by name: one for each command, and of what several commands print, to which these refer. A
 * reference names the file beside it.
 */
export function jsonSchemas(): Readonly<Record<string, object>> {
  const registry = z.registry<{ id: string }>();
  const shared = new Map<z.ZodType, string>([
    [summaryObject, 'summary'],
    [decidedObject, 'decision'],
  ]);
  for (const [object, id] of shared) registry.add(object, { id });
  for (const [id, object] of Object.entries(jsonObjects)) {
    if (!shared.has(object)) registry.add(object, { id });
  }
  const uri = (id: string): string => `${id}.schema.json`;
  const { schemas } = z.toJSONSchema(registry, { uri });
  const ofCommands = Object.entries(jsonObjects).map(([command, object]) => {
    const title = `What "paybatch ${command} --json" prints`;
    const name = shared.get(object);
    if (name === undefined) return [command, { title, ...schemas[command] }];
    return [command, { title, $schema: schemas[name]?.$schema, $id: uri(command), $ref: uri(name) }];
  });
  return { ...schemas, ...Object.fromEntries(ofCommands) };
}

/** Compares what a command line printed with the schema of its command, so that each test with `--json` does. */
export function expectDocumented(words: readonly string[], printed: unknown): void {
  const command = words.find((word) => commands.some(({ name }) => name === word)) ?? '';
  const parsed = jsonObjects[command]?.safeParse(printed);
  if (parsed === undefined || parsed.success) return;
  expect.fail(`${words.join(' ')} prints what its schema does not have: ${parsed.error.message}`);
}
