/* The list of all kinds, and look-ups in it. */

import type { Kind } from '../domain/batches/batch.ts';
import type { Adjustment } from '../domain/failures/paybatch-error.ts';
import { remembered } from '../domain/machine/remembered.ts';
import { accountsKind } from './accounts/kind.ts';
import { collectionsKind } from './collections/kind.ts';
import { customersKind } from './customers/kind.ts';
import type { FieldRule, KindDefinition, ResourceDefinition } from './definition.ts';
import { recipientsKind } from './recipients/kind.ts';

/**
 * The only list of the kinds that can be imported, in the order in which they depend on each other: an account needs its
 * customer, and a collection needs the account that receives it. A new kind is a folder in `kinds`, and one more element
 * here.
 */
const registry: readonly [KindDefinition, ...KindDefinition[]] = [
  customersKind,
  accountsKind,
  recipientsKind,
  collectionsKind,
];

const byName = new Map(registry.map((kind) => [kind.name, kind]));

/** The names of all kinds. Kinds on which others depend come first. */
export const kinds: readonly Kind[] = registry.map(({ name }) => name);

/** The setting that names a kind, with each of its possible values. */
export const kindAdjustments: readonly [Adjustment, ...Adjustment[]] = [
  { setting: 'kind', value: registry[0].name },
  ...registry.slice(1).map(({ name }): Adjustment => ({ setting: 'kind', value: name })),
];

export const allDefinitions: readonly ResourceDefinition[] = registry.flatMap(
  ({ definitions }) => definitions,
);

/** The properties of a kind. @throws Error for a name that this version does not have */
export function kindNamed(name: Kind): KindDefinition {
  const kind = byName.get(name);
  if (kind === undefined) throw new Error(`there is no kind "${name}"`);
  return kind;
}

/** Orders two kinds so that a kind comes after the kinds on which it depends. */
export function compareKinds(left: Kind, right: Kind): number {
  return kinds.indexOf(left) - kinds.indexOf(right);
}

/** The kind with a name in singular or plural, in upper or lower case and with any separators. */
export function kindForName(name: string): Kind | undefined {
  const wanted = normaliseHeader(name);
  return registry.find((kind) => wanted === kind.name || wanted === kind.singular)?.name;
}

/** The definitions of a kind: one definition, or one for each payee type. */
export function definitionsOf(kind: Kind): readonly ResourceDefinition[] {
  return kindNamed(kind).definitions;
}

/** The definition of a kind, or of one of its payee types; undefined if there is no such payee type. */
export function definitionFor(kind: Kind, payeeType: string | null): ResourceDefinition | undefined {
  return definitionsOf(kind).find((definition) => definition.payeeType === payeeType);
}

/** The field by which people recognise the rows of a kind. It is the same in all definitions of the kind. */
export function ownReferenceOf(kind: Kind): string {
  const [field, ...others] = new Set(definitionsOf(kind).map(({ ownReference }) => ownReference));
  if (field === undefined || others.length > 0)
    throw new Error(`rows of ${kind} have no reference in common`);
  return field;
}

/** All columns of a kind, in the order in which people see them. */
export function columnsOf(kind: Kind): readonly string[] {
  const fields = definitionsOf(kind).flatMap((definition) => definition.rules.map((rule) => rule.field));
  return [...new Set(fields)];
}

/** Whether rows of a kind have amounts that are only checked, so that these amounts are neither paid nor collected. */
export function amountsAreOnlyChecked(kind: Kind): boolean {
  const uses = definitionsOf(kind).flatMap(({ rules }) => rules.filter(({ field }) => field === 'amount'));
  return uses.length > 0 && uses.every(({ presence }) => presence === 'checked' || presence === 'not_sent');
}

/** The properties of a column in the first of the kind's definitions that has it. */
export function ruleOf(kind: Kind, field: string): FieldRule | undefined {
  return firstRules.get(kindNamed(kind))?.get(field);
}

/** The rules of each kind by field. They are cached, because they are read for each column, value and candidate. */
const firstRules = new Map(
  registry.map((kind) => {
    const rules = kind.definitions.flatMap((definition) => definition.rules);
    return [kind, new Map(rules.toReversed().map((rule) => [rule.field, rule]))];
  }),
);

/**
 * The columns without which no row of the kind can be valid. They are in groups, of which one column is enough. Every payee
 * type requires them. `rulesOf` returns the rules of a definition if they differ from its own.
 */
export function requiredColumns(
  kind: Kind,
  rulesOf: (definition: ResourceDefinition) => readonly FieldRule[] = (definition) => definition.rules,
): readonly (readonly string[])[] {
  const [first = [], ...others] = definitionsOf(kind).map((definition) =>
    rulesOf(definition)
      .filter((rule) => rule.presence === 'required' && rule.whenEmpty === undefined)
      .map(({ field, orElse }) => (orElse === undefined ? [field] : [field, orElse])),
  );
  return others.reduce(
    (common, required) => common.filter((group) => required.some((other) => other.join() === group.join())),
    first,
  );
}

/** A header without differences of spelling: case, spaces, hyphens and underscores. */
export function normaliseHeader(title: string): string {
  return title
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\s_\p{Pd}\u00ad\ufeff]/gu, '');
}

/** The letters and digits of a title, for comparison with synonyms; `#` is read as `no`. */
function plainTitle(title: string): string {
  return title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('#', 'no')
    .replace(/[^\p{L}\p{N}]/gu, '');
}

const fieldsBySynonym = remembered(synonymsOf);

/** The fields of a kind with this synonym, in the order in which people see them. */
export function fieldsForSynonym(kind: Kind, title: string): readonly string[] {
  return fieldsBySynonym(kind).get(plainTitle(title)) ?? [];
}

function synonymsOf(kind: Kind): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, string[]>();
  for (const { field, synonyms } of definitionsOf(kind).flatMap(({ rules }) => rules)) {
    for (const name of Object.values(synonyms ?? {}).flat()) {
      const known = fields.get(plainTitle(name)) ?? [];
      fields.set(plainTitle(name), known.includes(field) ? known : [...known, field]);
    }
  }
  return fields;
}

const fieldsByHeader = remembered(
  (kind: Kind) => new Map(columnsOf(kind).map((field) => [normaliseHeader(field), field])),
);

/** The field that a column's title means; undefined if the kind has no field with that name. */
export function fieldForHeader(kind: Kind, title: string): string | undefined {
  return fieldsByHeader(kind).get(normaliseHeader(title));
}

/** Whether a text is a name of the field's column: paybatch's own name or a synonym. */
export function isNameOf(kind: Kind, field: string, text: string): boolean {
  return fieldForHeader(kind, text) === field || fieldsForSynonym(kind, text).includes(field);
}

/** The maximum number of digits in any name of the field's column, for the names that `isNameOf` knows. */
export function mostDigitsInNames(kind: Kind, field: string): number {
  const names = definitionsOf(kind)
    .flatMap(({ rules }) => rules)
    .filter((rule) => rule.field === field)
    .flatMap(({ synonyms }) => Object.values(synonyms ?? {}).flat());
  return Math.max(...[field, ...names].map((name) => name.match(/\p{N}/gu)?.length ?? 0));
}

const definitionsByName = new Map(allDefinitions.map((definition) => [definition.name, definition]));

/** The definition that a row in the ledger names. @throws Error for a name that this version does not have */
export function definitionNamed(name: string): ResourceDefinition {
  const definition = definitionsByName.get(name);
  if (definition === undefined) throw new Error(`there is no resource definition "${name}"`);
  return definition;
}
