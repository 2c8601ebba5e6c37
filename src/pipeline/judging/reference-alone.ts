import type { StagedRow } from '../../domain/rows/ledger-row.ts';
import { allDefinitions } from '../../resources/registry.ts';

const unknownCodes: ReadonlySet<string> = new Set(
  allDefinitions.flatMap(({ references }) => references.map(({ unknownCode }) => unknownCode)),
);

/** Whether a row is invalid for nothing but an object that it refers to and that is not there. */
export function isInvalidByReferenceAlone({ state, findings }: StagedRow): boolean {
  return (
    state === 'invalid' &&
    findings.every(({ severity, code }) => severity !== 'invalid' || unknownCodes.has(code))
  );
}
