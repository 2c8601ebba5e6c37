/* The template for a kind: its columns, with their requirements and contents, and example rows. */

import type { Kind } from '../domain/batches/batch.ts';
import type { Need, Template, TemplateColumn } from '../domain/tables/table.ts';
import { type FieldRule, isUsed, type ResourceDefinition } from './definition.ts';
import { fieldTypes } from './fields/field-types.ts';
import { columnsOf, definitionsOf } from './registry.ts';

/** The rule of a column in one of the definitions of a template. */
interface ColumnUse {
  readonly definition: ResourceDefinition;
  readonly rule: FieldRule;
}

/**
 * The template for a kind, or for one of its payee types: the columns that its rows may use, and an example row for each
 * payee type. The examples of all kinds together can be imported without findings.
 */
export function templateOf(kind: Kind, payeeType: string | null): Template {
  const definitions = definitionsOf(kind).filter(
    (definition) => payeeType === null || definition.payeeType === payeeType,
  );
  const fields = columnsOf(kind).filter((field) => definitions.some((definition) => uses(definition, field)));
  return {
    kind,
    name: payeeType === null ? kind : `${kind}-${payeeType}`,
    columns: fields.map((field) => describe(field, definitions)),
    exampleRows: definitions.map((definition) => fields.map((field) => exampleIn(definition, field))),
  };
}

function ruleIn(definition: ResourceDefinition, field: string): FieldRule | undefined {
  return definition.rules.find((rule) => rule.field === field);
}

function uses(definition: ResourceDefinition, field: string): boolean {
  const rule = ruleIn(definition, field);
  return rule !== undefined && isUsed(rule);
}

function describe(field: string, definitions: readonly ResourceDefinition[]): TemplateColumn {
  const used = definitions.flatMap((definition): ColumnUse[] => {
    const rule = ruleIn(definition, field);
    return rule === undefined || !uses(definition, field) ? [] : [{ definition, rule }];
  });
  const [first] = used;
  if (first === undefined) throw new Error(`no row uses the column ${field}`);
  const { rule, definition } = first;
  return {
    name: field,
    need: needOf(field, used, definitions),
    needInWords: needInWords(field, used, definitions),
    description: rule.description,
    example: field === 'payee_type' ? (definition.payeeType ?? '') : rule.example,
    content: fieldTypes[rule.type].content,
    choices: choicesOf(field, rule, definitions),
  };
}

function isRequired({ rule }: ColumnUse): boolean {
  return rule.presence === 'required' && rule.whenEmpty === undefined;
}

/** The column that this column may replace: `customer_id` for `customer_external_id`. */
function insteadOf(field: string, { definition }: ColumnUse): string | undefined {
  return definition.rules.find((rule) => rule.orElse === field && rule.presence === 'required')?.field;
}

function needOf(field: string, used: readonly ColumnUse[], definitions: readonly ResourceDefinition[]): Need {
  const isNeeded = used.some((use) => isRequired(use) || insteadOf(field, use) !== undefined);
  if (!isNeeded) return used.some(({ rule }) => rule.requiredWith !== undefined) ? 'sometimes' : 'optional';
  const isAlways = used.length === definitions.length && used.every(isRequired);
  return isAlways && used.every(({ rule }) => rule.orElse === undefined) ? 'required' : 'sometimes';
}

function needInWords(
  field: string,
  used: readonly ColumnUse[],
  definitions: readonly ResourceDefinition[],
): string {
  const words = new Map<string, string[]>();
  for (const use of used) {
    const own = wordsFor(field, use);
    words.set(own, [...(words.get(own) ?? []), use.definition.payeeType ?? '']);
  }
  const isSame = words.size === 1 && used.length === definitions.length;
  const parts = [...words].map(([word, types]) => (isSame ? word : `${word} (${types.join(', ')})`));
  const idle = definitions.filter((definition) => used.every((use) => use.definition !== definition));
  const types = idle.map(({ payeeType }) => payeeType ?? '');
  return [...parts, ...(types.length === 0 ? [] : [`leave empty (${types.join(', ')})`])].join('; ');
}

function wordsFor(field: string, use: ColumnUse): string {
  const { rule } = use;
  const other = insteadOf(field, use);
  if (isRequired(use)) return rule.orElse === undefined ? 'required' : `required, or ${rule.orElse}`;
  if (other !== undefined) return `required, or ${other}`;
  if (rule.requiredWith !== undefined) return 'required once any part of the address is given';
  return rule.whenEmpty === undefined ? 'optional' : `optional; ${rule.whenEmpty} when empty`;
}

function choicesOf(
  field: string,
  rule: FieldRule,
  definitions: readonly ResourceDefinition[],
): TemplateColumn['choices'] {
  const payeeTypes = definitions.flatMap(({ payeeType }) => (payeeType === null ? [] : [payeeType]));
  if (field === 'payee_type') return { values: payeeTypes, isClosed: true };
  const { allowed, seen, whenEmpty } = rule;
  if (allowed !== undefined) return { values: allowed, isClosed: true };
  if (seen === undefined) return null;
  return {
    values: [...new Set([...(whenEmpty === undefined ? [] : [whenEmpty]), ...seen])],
    isClosed: false,
  };
}

/** Examples use names instead of ids, because an id is known only after the object was created. */
function exampleIn(definition: ResourceDefinition, field: string): string {
  const rule = ruleIn(definition, field);
  if (rule === undefined || !uses(definition, field) || rule.type === 'uuid') return '';
  if (field === 'payee_type') return definition.payeeType ?? '';
  const other = definition.rules.find(({ orElse }) => orElse === field);
  return other !== undefined && other.type !== 'uuid' ? '' : rule.example;
}
