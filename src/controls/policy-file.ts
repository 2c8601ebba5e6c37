/* The file that sets a policy: its form, and the defaults for omitted fields. */

import * as z from 'zod';
import { readSettingsFile, whyUnreadable } from '../call/settings.ts';
import { activeApprovers, type Controls } from '../domain/controls/controls.ts';
import { type Policy, type PolicyRule, policyIn, strictestOf } from '../domain/controls/policy.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { canonicalAmount, fractionDigits, fractionDigitsOf, parseDecimal } from '../domain/money/money.ts';
import { payeeChangeCodes } from '../domain/rows/finding.ts';
import { parsedJson } from '../domain/sending/answer.ts';
import { parseDuration } from '../domain/settings/setting.ts';
import { createNameSearch } from '../domain/text/characters.ts';
import { kinds } from '../kinds/registry.ts';

const usualValidity = '7d';

/**
 * Maximum validity of an approval. After a longer time, it would be poor evidence that the approver agrees to what is sent.
 */
const longestValidityInMs = 366 * 24 * 3_600_000;

const amountSchema = z.string().meta({ description: 'A decimal above 0, such as 10000.00' });

const validitySchema = z
  .string()
  .refine((text) => {
    const durationInMs = parseDuration(text);
    return durationInMs !== null && durationInMs > 0 && durationInMs <= longestValidityInMs;
  }, 'must be a duration such as 30m, 24h or 7d, and 366d at most')
  .describe(`How long an approval counts. Default: ${usualValidity}.`);

const rowsSchema = z.int().min(1).max(2_147_483_647);

const sumsSchema = z.record(z.string().regex(/^[A-Z]{3}$/), amountSchema);

const daySchema = z
  .strictObject({
    fromRows: rowsSchema.optional().describe('From this many rows of a day on.'),
    fromSum: sumsSchema.optional().describe('From such a sum of a day on, by currency.'),
  })
  .refine(({ fromRows, fromSum = {} }) => fromRows !== undefined || Object.keys(fromSum).length > 0, {
    error: 'must name fromRows or fromSum',
  })
  .describe(
    'Thresholds of a day, by the clock of the database in UTC: they count what was sent on it without approvals, by environment and kind.',
  );

const ruleSchema = z
  .strictObject({
    mode: z.enum(['sandbox', 'live']),
    kinds: z.array(z.enum(kinds)).min(1).optional().describe('What the rows are. Default: all kinds.'),
    approvers: z.int().min(0).max(20).describe('How many different approvers are needed; with 0 none is.'),
    fromRows: rowsSchema.optional().describe('From this many rows on. The files of a call count together.'),
    fromSum: sumsSchema
      .optional()
      .describe('From such a sum on, by currency. Any threshold that is reached asks for approvals.'),
    perDay: daySchema.optional(),
    otherSums: z
      .enum(['approve', 'free'])
      .optional()
      .describe(
        'What holds, where fromSum names currencies, for sums of other ones, and for recipients and collections without an amount: approve asks for approvals, free does not. Default: approve.',
      ),
    findings: z
      .array(z.enum(payeeChangeCodes))
      .optional()
      .describe(
        'Findings that ask for approvals whatever the thresholds; payee_details_changed does so by itself.',
      ),
    validFor: validitySchema.optional(),
    makerMayApprove: z
      .boolean()
      .optional()
      .describe('Whether the person who prepared the batch counts as an approver. Default: false.'),
    console: z.boolean().optional().describe('Whether the console may take approvals. Default: false.'),
  })
  .describe('What batches of a mode and of some kinds need before they are sent.');

/** The form of a policy file. */
export const policyFileSchema = z
  .strictObject({
    $schema: z.string().optional(),
    approvers: z
      .array(z.string())
      .optional()
      .describe(
        'Users whom the first policy makes approvers. Later ones leave it out: approvers are added one by one.',
      ),
    rules: z.array(ruleSchema),
    sandboxKeys: z
      .array(z.string().regex(/^[0-9a-f]{16}$/, 'must be the fingerprint of an API key: 16 small hex digits'))
      .optional()
      .describe(
        'Fingerprints of API keys that may be used in sandbox mode at an address of the live API (paybatch doctor prints them).',
      ),
  })
  .describe('What a batch needs before it is sent (paybatch policy set).');

/** A policy as its file states it; approvers are null if it names none. */
interface StatedPolicy {
  readonly approvers: readonly string[] | null;
  readonly rules: Policy['rules'];
  readonly sandboxKeys: readonly string[];
}

/**
 * Reads a policy file.
 * @throws PaybatchError (`policy_invalid`) that names the first mistake
 */
export function readPolicyFile(path: string): StatedPolicy {
  let text: string;
  try {
    text = readSettingsFile(path);
  } catch (error) {
    throw invalidPolicy(path, whyUnreadable(error));
  }
  return parsePolicy(text, path);
}

/**
 * Reads the text of a policy file.
 * @throws PaybatchError (`policy_invalid`) that names the first mistake
 */
export function parsePolicy(text: string, path: string): StatedPolicy {
  const json = parsedJson(text.replace(/^\uFEFF/, ''));
  if (json === undefined) throw invalidPolicy(path, 'is not JSON');
  const parsed = policyFileSchema.safeParse(json);
  if (!parsed.success) throw invalidPolicy(path, problemOf(parsed.error.issues));
  const rules = parsed.data.rules.map((rule, at): PolicyRule => {
    const { findings = [], validFor = usualValidity, makerMayApprove = false } = rule;
    return {
      mode: rule.mode,
      kinds: kinds.filter((kind) => rule.kinds?.includes(kind) ?? true),
      approvers: rule.approvers,
      fromRows: rule.fromRows ?? null,
      fromSum: sumsOf(rule.fromSum ?? {}, `rules > ${at} > fromSum`, path),
      perDay:
        rule.perDay === undefined
          ? null
          : {
              fromRows: rule.perDay.fromRows ?? null,
              fromSum: sumsOf(rule.perDay.fromSum ?? {}, `rules > ${at} > perDay > fromSum`, path),
            },
      otherSums: rule.otherSums ?? 'approve',
      findings: payeeChangeCodes.filter((code) => findings.includes(code)),
      validForInMs: parseDuration(validFor) ?? 0,
      makerMayApprove,
      console: rule.console ?? false,
    };
  });
  requireOneRuleEach(rules, path);
  const sandboxKeys = [...new Set(parsed.data.sandboxKeys ?? [])].sort();
  return { approvers: parsed.data.approvers ?? null, rules, sandboxKeys };
}

/** The first mistake, in words. An unknown field is reported first, since it may be a misspelt required field. */
function problemOf(issues: readonly z.core.$ZodIssue[]): string {
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  const place = issue?.path.join(' > ') ?? '';
  const where = place === '' ? '' : ` at "${place}"`;
  if (issue?.code !== 'unrecognized_keys') {
    const isMissing = issue?.code === 'invalid_type' && issue.message.endsWith('received undefined');
    return `is not valid${where}: ${isMissing ? 'this field is missing' : (issue?.message ?? 'unknown problem')}`;
  }
  const [unknown = ''] = issue.keys;
  const schema = place === '' ? policyFileSchema : issue.path.includes('perDay') ? daySchema : ruleSchema;
  const known = Object.keys(schema.shape);
  const [nearest] = createNameSearch(known)(unknown, 1, 0.4);
  const meant = nearest === undefined ? `known are ${known.join(', ')}` : `did you mean "${nearest}"?`;
  return `has a field that is not known${where}: "${unknown}"; ${meant.replace(/\?$/, '')}`;
}

function sumsOf(
  amounts: Readonly<Record<string, string>>,
  at: string,
  path: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(amounts).map(([currency, amount]) => {
      const decimal = parseDecimal(amount);
      const place = `at "${at} > ${currency}"`;
      const digits = fractionDigitsOf(currency);
      if (digits === undefined) throw invalidPolicy(path, `is not valid ${place}: this is no currency`);
      if (decimal === undefined || decimal.units <= 0n)
        throw invalidPolicy(
          path,
          `is not valid ${place}: it must be a decimal above 0, in quotes, such as "10000.00"`,
        );
      if (fractionDigits(decimal) > digits)
        throw invalidPolicy(path, `is not valid ${place}: ${currency} has fewer decimals`);
      return [currency, canonicalAmount(amount)];
    }),
  );
}

/** Refuses two rules for the same batches, since it would be unclear which one applies. */
function requireOneRuleEach(rules: readonly PolicyRule[], path: string): void {
  const seen = new Set<string>();
  for (const { mode, kinds: meant } of rules) {
    for (const kind of meant) {
      if (seen.has(`${mode} ${kind}`)) throw invalidPolicy(path, `has two rules for ${kind} in ${mode} mode`);
      seen.add(`${mode} ${kind}`);
    }
  }
}

/** The refusal of a policy. @param problem the rest of a sentence that begins with the file */
export function invalidPolicy(path: string, problem: string): PaybatchError {
  return new PaybatchError(
    'policy_invalid',
    `The policy ${path} ${problem}.`,
    'correct the policy file (docs/controls.md)',
  );
}

/* Further requirements for a well-formed policy: the users of the ledger must be able to fulfil it. */

/**
 * Completes a policy with its approvers. The first policy that requires approvals of live batches names them. Later
 * policies name none, since approvers are then appointed one by one.
 * @param file the file as messages name it
 * @throws PaybatchError (`policy_invalid`) if it names other people, or if too few people can approve
 */
export function completePolicy(
  { approvers, rules, sandboxKeys }: StatedPolicy,
  controls: Controls,
  file: string,
): Policy {
  const active = activeApprovers(controls).map(({ name }) => name);
  const strictest = strictestOf({ approvers: [], rules });
  const isFirst = !hasEverAsked(controls);
  if (isFirst) requireUsers(approvers ?? [], controls, file);
  else if (approvers !== null && !isSame(approvers, active)) {
    throw invalidPolicy(
      file,
      `names other approvers than those in office (${active.join(', ')}): approvers are added one by one, and approved; leave "approvers" out`,
    );
  }
  const able = isFirst ? new Set([...active, ...(approvers ?? [])]).size : active.length;
  if (isFirst && strictest > 0 && approvers === null && able < strictest) {
    throw invalidPolicy(
      file,
      'is the first one, and has to name its approvers: "approvers": ["NAME", "NAME"]',
    );
  }
  if (able < strictest)
    throw invalidPolicy(file, `asks for ${strictest} approvers, and ${able} could approve`);
  return { approvers: isFirst ? (approvers ?? []) : [], rules, sandboxKeys };
}

/** Whether any policy was in force that required approvals of live batches. Such a policy puts approvers in office. */
function hasEverAsked({ policies }: Controls): boolean {
  return policies.some(
    ({ inForceAt, content }) => inForceAt !== null && strictestOf(policyIn(content), 'live') > 0,
  );
}

/**
 * Requires that all names are those of approvers.
 * @throws PaybatchError (`policy_invalid`) for a name that no approver has
 */
export function requireUsers(names: readonly string[], { users }: Controls, file: string): void {
  for (const [at, name] of names.entries()) {
    const user = users.find((each) => each.name === name);
    if (user === undefined)
      throw invalidPolicy(file, `names "${name}" as an approver, and there is no such user`);
    if (user.role !== 'approver')
      throw invalidPolicy(file, `names "${name}" as an approver, who is ${user.role}`);
    if (user.lockedAt !== null) throw invalidPolicy(file, `names "${name}" as an approver, who is locked`);
    if (names.indexOf(name) !== at) throw invalidPolicy(file, `names "${name}" twice`);
  }
}

function isSame(names: readonly string[], active: readonly string[]): boolean {
  return new Set(names).size === active.length && active.every((name) => names.includes(name));
}

/**
 * Puts a policy into force, or reports that too few approvers are left because some were locked meanwhile.
 * @throws PaybatchError (`policy_invalid`)
 */
export async function orUnmeetable<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && 'constraint' in error && error.constraint === 'enough_approvers') {
      throw invalidPolicy(file, 'asks for more approvers than can approve now');
    }
    throw error;
  }
}
