import { createHash } from 'node:crypto';
import type { Environment } from '../../domain/batches/environment.ts';
import type { NormalisedRecord } from '../../domain/rows/record.ts';
import type { ResourceDefinition } from '../../resources/definition.ts';
import type { RecordWithIds } from '../requests/references.ts';

/** One row as a plan's hash sees it. */
export interface PlannedRow {
  readonly definition: ResourceDefinition;
  /** As validation left it. */
  readonly record: NormalisedRecord;
  /** With the ids of the objects that it refers to, as they are now. */
  readonly resolved: RecordWithIds;
}

/** A hash that grows row by row, so that a plan of any size takes no memory. */
export interface PlanHash {
  /** Rows in the order of their file. */
  readonly add: (row: PlannedRow) => void;
  /** In hex. */
  readonly digest: () => string;
}

/**
 * SHA-256 over exactly what would be sent, and where: the environment, and each row's resource, natural key
 * and request content. No time, key or row number is in it, so only what changes a request changes it.
 */
export function createPlanHash({ mode, origin }: Environment): PlanHash {
  const hash = createHash('sha256').update(`${JSON.stringify(['paybatch plan', 1, mode, origin])}\n`);
  return {
    add: (row) => {
      hash.update(`${JSON.stringify(contentOf(row))}\n`);
    },
    digest: () => hash.digest('hex'),
  };
}

function contentOf({ definition, record, resolved }: PlannedRow): readonly unknown[] {
  const { content, names } = byNameWhereItWasNotThere(definition, record, resolved.record);
  return [definition.name, definition.path, definition.naturalKey(content), definition.body(content), names];
}

/**
 * What a row referred to when it was validated counts by its id, the one that it has now. What was still to
 * be created then counts by its name for good: it gets its id while the same plan is carried out, and that
 * changes nothing that a person agreed to.
 */
function byNameWhereItWasNotThere(
  definition: ResourceDefinition,
  record: NormalisedRecord,
  resolved: NormalisedRecord,
): { content: NormalisedRecord; names: readonly string[] } {
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
