/* Validation rules that an installation changes, and the patterns in them that are safe to run. */

import { RE2JS, RE2JSException } from 're2js';
import * as z from 'zod';
import { isAtMost } from '../domain/text/characters.ts';
import { type FieldRule, isUsed, type ResourceDefinition } from './definition.ts';
import { eitherOf, longestValue } from './fields/value-text.ts';
import { allDefinitions } from './registry.ts';

const lengthSchema = z.int().min(1).max(longestValue);
/**
 * A text with at most this many characters. JSON Schema counts characters, as the check of values does. zod's own limit
 * counts UTF-16 units.
 */
export const limited = (text: z.ZodString, characters: number): z.ZodString =>
  text
    .refine((value) => isAtMost(value, characters), `has more than ${characters} characters`)
    .meta({ maxLength: characters });

/** A part of a settings file that may be missing. @param meaning for people, in the file's JSON schema */
export function optionally<Schema extends z.ZodType>(schema: Schema, meaning: string): z.ZodOptional<Schema> {
  return schema.optional().describe(meaning);
}

const fieldChangeSchema = z.strictObject({
  required: optionally(z.boolean(), 'Whether an empty value is refused.'),
  allowed: optionally(
    z.array(limited(z.string().min(1), longestValue)).max(1000),
    'Values that are accepted as they are, without a note, in addition to those known.',
  ),
  closed: optionally(z.boolean(), 'Whether values other than the known and the allowed ones are refused.'),
  pattern: optionally(
    z.string().min(1).max(200),
    'A regular expression that the whole value has to match; at most 200 characters, without looking ahead or behind or referring back.',
  ),
  minLength: optionally(lengthSchema, 'The fewest characters that a value may have.'),
  maxLength: optionally(lengthSchema, 'The most characters that a value may have.'),
});

const definitionChangeSchema = z.record(z.string(), fieldChangeSchema);

/** The form of a rules file: changes by definition (`customers`, `recipients/sepa`, ...) and column. */
export const ruleChangesSchema = z
  .strictObject({
    $schema: z.string().optional(),
    ...Object.fromEntries(
      allDefinitions.map(({ name }) => [name, optionally(definitionChangeSchema, `Changes for ${name}.`)]),
    ),
  })
  .describe('Changes to the validation rules of paybatch (the setting rules).');

/** The changes that a rules file makes for one column. */
type FieldChange = z.infer<typeof fieldChangeSchema>;

/** The changes of a rules file, by definition name and column. */
export type RuleChanges = Readonly<Record<string, Readonly<Record<string, FieldChange>>>>;

/** A rule with the additions of a rules file. */
export interface ChangedRule extends FieldRule {
  /** Matches whole values of at most 255 characters. */
  readonly pattern?: ValuePattern | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  /** Values that pass, whatever the result of the type's check is. */
  readonly alsoAllowed?: ReadonlySet<string> | undefined;
}

/** A rules file that cannot be used. The message names every mistake in it. */
export class RuleChangesError extends Error {
  override readonly name = 'RuleChangesError';
}

/** The reason why a change is not possible, as text; undefined if it is possible. */
function objectionTo(definition: ResourceDefinition, field: string, change: FieldChange): string | undefined {
  const rule = definition.rules.find((candidate) => candidate.field === field);
  if (rule === undefined) {
    return `no such column; there are ${definition.rules.map((candidate) => candidate.field).join(', ')}`;
  }
  if (field === 'payee_type') return 'decides which rules hold, so it cannot be changed';
  if (!isUsed(rule)) return `is not used by ${definition.name}, so it cannot be changed`;
  const isReference = definition.references.some((reference) => reference.fills === field);
  if (isReference && change.required === false) return 'the request cannot be written without it';
  if (
    change.closed === true &&
    [...(rule.seen ?? []), ...(rule.allowed ?? []), ...(change.allowed ?? [])].length === 0
  ) {
    return 'a closed set needs values in allowed';
  }
  const { minLength = 1, maxLength = longestValue, pattern } = change;
  if (minLength > maxLength) return `minLength ${minLength} is greater than maxLength ${maxLength}`;
  if (pattern === undefined) return undefined;
  const compiled = compilePattern(pattern);
  return typeof compiled === 'string' ? `pattern: ${compiled}` : undefined;
}

/**
 * Reads the JSON of a rules file.
 *
 * @throws RuleChangesError that names every mistake and its place
 */
export function parseRules(json: unknown): RuleChanges {
  const parsed = ruleChangesSchema.safeParse(json);
  if (!parsed.success) {
    const mistakes = parsed.error.issues.map(
      (issue) => `${issue.path.join(' > ') || 'the file'}: ${issue.message}`,
    );
    const names = eitherOf(allDefinitions.map((definition) => definition.name));
    throw new RuleChangesError(`${mistakes.join('; ')} (rules are given for ${names})`);
  }
  const { $schema: _, ...changes } = parsed.data as RuleChanges & { readonly $schema?: string };
  const objections = allDefinitions.flatMap((definition) =>
    Object.entries(changes[definition.name] ?? {}).flatMap(([field, change]) => {
      const objection = objectionTo(definition, field, change);
      return objection === undefined ? [] : [`${definition.name} > ${field}: ${objection}`];
    }),
  );
  if (objections.length > 0) throw new RuleChangesError(objections.join('; '));
  return changes;
}

function changeRule(rule: FieldRule, change: FieldChange): ChangedRule {
  const { requiredWith, seen, allowed, presence, ...rest } = rule;
  const known = [...(allowed ?? seen ?? []), ...(change.allowed ?? [])];
  const isClosed = change.closed ?? allowed !== undefined;
  const pattern = change.pattern === undefined ? undefined : compilePattern(change.pattern);
  if (typeof pattern === 'string') throw new RuleChangesError(`pattern: ${pattern}`);
  const whenOptional = presence === 'required' ? 'optional' : presence;
  return {
    ...rest,
    presence: change.required === undefined ? presence : change.required ? 'required' : whenOptional,
    ...(requiredWith === undefined || change.required !== undefined ? {} : { requiredWith }),
    ...(isClosed ? { allowed: known } : known.length > 0 && seen !== undefined ? { seen: known } : {}),
    alsoAllowed: change.allowed && new Set(change.allowed),
    pattern,
    minLength: change.minLength,
    maxLength: change.maxLength,
  };
}

/** A definition's rules, with the changes of a rules file. */
export function rulesWith(
  changes: RuleChanges | undefined,
  definition: ResourceDefinition,
): readonly ChangedRule[] {
  const changed = changes?.[definition.name];
  if (changed === undefined) return definition.rules;
  return definition.rules.map((rule) => {
    const change = changed[rule.field];
    return change === undefined ? rule : changeRule(rule, change);
  });
}

const longestPattern = 200;

/** The pattern of a rules file, compiled for whole values. */
interface ValuePattern {
  /** The pattern as in the rules file. */
  readonly source: string;
  readonly test: (value: string) => boolean;
}

/** A part of a pattern that the two engines write differently, or an escaped character. */
const notation =
  /\\u\{([\da-fA-F]+)\}|\\u([\da-fA-F]{4})|\\c([A-Za-z])|\\p\{(?:Script|sc|gc|General_Category)=(\w+)\}|\\([\s\S])|[[\]]/g;
/** JavaScript's `\s`, which includes the space characters of Unicode. */
const spaces = '\\s\\v\\p{Z}\\x{feff}';

class NotTried extends Error {}

/** Translates JavaScript's notation, which rules files use, into the notation of the engine. */
function translate(pattern: string): string {
  let isInClass = false;
  return pattern.replace(
    notation,
    (found: string, braced?: string, hex?: string, control?: string, property?: string, escaped?: string) => {
      const code = braced ?? hex;
      if (code !== undefined) return `\\x{${code}}`;
      if (control !== undefined) return `\\x{${(control.charCodeAt(0) % 32).toString(16)}}`;
      if (property !== undefined) return `\\p{${property}}`;
      if (escaped === 's') return isInClass ? spaces : `[${spaces}]`;
      if (escaped === 'S' && isInClass) throw new NotTried('\\S is not possible in a set of characters');
      if (escaped === 'S') return `[^${spaces}]`;
      if (found === '[') isInClass = true;
      if (found === ']') isInClass = false;
      return found;
    },
  );
}

/**
 * Compiles a pattern of a rules file, to be matched against whole values of at most 255 characters. The engine's time grows
 * only with the lengths of the value and of the pattern. With a backtracking engine, a few stars in a pattern could block an
 * import. For the same reason lookaround and back-references are not accepted.
 * @returns the pattern, or a sentence about the reason why it is not accepted
 */
export function compilePattern(pattern: string): ValuePattern | string {
  if (pattern.length > longestPattern) return `is longer than ${longestPattern} characters`;
  try {
    // Both engines have to accept the pattern. It must be a complete expression by itself, because brackets are put around
    // it.
    new RegExp(pattern, 'u');
    const compiled = RE2JS.compile(`^(?:${translate(pattern)})$`);
    return { source: pattern, test: (value) => compiled.matcher(value).find() };
  } catch (error) {
    if (error instanceof NotTried) return error.message;
    if (error instanceof SyntaxError) return 'is not a regular expression';
    if (error instanceof RE2JSException) return objectionOf(pattern, error);
    throw error;
  }
}

/** The objection to a regular expression that the engine does not accept. */
function objectionOf(pattern: string, error: RE2JSException): string {
  if (/\(\?<?[=!]/.test(pattern)) return 'looking ahead or behind is not possible here';
  if (/\\(?:[1-9]|k<)/.test(pattern)) return 'referring back to a group is not possible here';
  if (/repeat/.test(error.message)) return 'could take too long: it repeats something more than 1,000 times';
  return 'has a form that is not possible here';
}
