import { typeOfInstitution } from '../../domain/institution.ts';
import type { Finding } from '../../domain/rows/finding.ts';
import type {
  CheckedRow,
  ColumnTitle,
  FieldRule,
  Lookups,
  Presence,
  ResourceDefinition,
} from '../definition.ts';
import { countryToLookIn, institutionUseOf } from './institution-check.ts';

/**
 * What holds for a row that names an institution and whose payee type is not known (yet): what every payee type with
 * an institution has in common. A column that one of them uses is read, and blamed for nothing.
 */
export function undeterminedDefinition(definitions: readonly ResourceDefinition[]): ResourceDefinition {
  const possible = definitions.filter(({ institution }) => institution !== null);
  const [first] = possible;
  if (first?.institution == null) throw new Error('no payee type of this kind has an institution');
  const { checkRecord: _, ...common } = first;
  const uses = possible.flatMap(({ institution }) => institution ?? []);
  return {
    ...common,
    payeeType: null,
    rules: first.rules
      .filter(({ field }) => field !== 'payee_type')
      .map((rule) => commonRule(rule, possible)),
    institution: {
      ...first.institution,
      suits: () => 'any',
      countryFields: [...new Set(uses.flatMap(({ countryFields }) => countryFields))],
      phoneField: uses.find(({ phoneField }) => phoneField !== null)?.phoneField ?? null,
    },
  };
}

function commonRule(rule: FieldRule, possible: readonly ResourceDefinition[]): FieldRule {
  const rules = possible.flatMap(({ rules: own }) => own.filter(({ field }) => field === rule.field));
  const presences = new Set<Presence>(rules.map(({ presence }) => presence));
  const presence = presences.size === 1 ? rule.presence : 'checked';
  const used = rules.find((own) => own.presence !== 'unused' && own.presence !== 'not_sent') ?? rule;
  const { requiredWith: _, ...plain } = used;
  return { ...plain, presence };
}

/** The payee type that suits the institutions of the name that a row has; undefined where not exactly one does. */
export function payeeTypeByInstitution(
  row: CheckedRow,
  lookups: Lookups,
  definitions: readonly ResourceDefinition[],
): string | undefined {
  const use = institutionUseOf(row);
  const country = use === undefined ? undefined : countryToLookIn(row, use, lookups);
  const list = country === undefined ? undefined : lookups.institutions(country);
  if (list === undefined) return undefined;
  const { institution_id: id, institution_name: name } = row.record;
  const byId = id === undefined ? undefined : list.byId(id);
  const found = byId === undefined ? list.byName(name ?? '') : [byId];
  const types = new Set(found.map(typeOfInstitution));
  const suiting = definitions.filter(({ institution }) => {
    const suits = institution?.suits(row.record);
    return suits !== undefined && [...types].some((type) => suits === type || suits === 'any');
  });
  return suiting.length === 1 ? (suiting[0]?.payeeType ?? undefined) : undefined;
}

/**
 * A row whose payee type nothing tells, with the findings that say why: it is nobody's definition. One that is held
 * until its institution is known is judged from its cells then.
 */
export function withoutPayeeType(row: CheckedRow, title: ColumnTitle): CheckedRow {
  const untold: Finding = {
    severity: 'invalid',
    field: 'payee_type',
    column: title('payee_type'),
    code: 'required',
    message: 'does not follow from the institution of this row; a value is required',
  };
  return { ...row, definition: null, findings: row.findings.length === 0 ? [untold] : row.findings };
}
