import type { Kind } from '../../domain/batches/batch.ts';
import type { StagedRow } from '../../domain/rows/ledger-row.ts';
import type { KnownObject } from '../../resources/definition.ts';
import type { ReferencePort } from '../ports.ts';

/**
 * The objects of a call's earlier tables, by the names under which later tables refer to them, while
 * nothing is staged that a ledger could be asked for. Whatever is kept grows with the rows of those tables
 * (about 100 bytes each), so a caller notes only tables that a later one of the call may refer to.
 */
export class ImportHandles {
  readonly #countries = new Map<Kind, Map<string, string | null>>();

  /** Rows that are not valid count too: what refers to them has to wait for their correction. */
  note(kind: Kind, rows: readonly StagedRow[]): void {
    const ofKind = this.#countries.get(kind) ?? new Map<string, string | null>();
    this.#countries.set(kind, ofKind);
    for (const { handle, record } of rows) {
      if (handle !== null && !ofKind.has(handle)) ofKind.set(handle, record['country'] ?? null);
    }
  }

  /** Look-ups that know these objects beside what `references` knows, which counts first. */
  before(references: ReferencePort): ReferencePort {
    return {
      ...references,
      findByHandles: async (kind, handles) => {
        const found = new Map<string, KnownObject>();
        for (const handle of handles) {
          const country = this.#countries.get(kind)?.get(handle);
          if (country !== undefined) found.set(handle, { id: null, country });
        }
        const known = await references.findByHandles(kind, handles);
        return new Map([...found, ...known]);
      },
    };
  }
}
