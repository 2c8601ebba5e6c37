import type { InstitutionList } from '../domain/institution.ts';
import type { Kind } from '../domain/kind.ts';
import type { CheckedRow, KnownObject, Lookups, NeededLookups, RowChecker } from '../resources/definition.ts';
import type { DirectoryPort, ReferencePort } from './ports.ts';

/**
 * Looks up, for a whole group of rows at once, what their checks will ask for: at most two queries for each
 * kind, and institutions of just the countries in the file.
 */
export async function lookUpForGroup(
  checker: Pick<RowChecker, 'needs'>,
  rows: readonly CheckedRow[],
  references: ReferencePort,
  directory: DirectoryPort,
): Promise<Lookups> {
  const group = new GroupLookups(references, directory);
  await group.add(rows.map((row) => checker.needs(row)));
  // What was found tells what else to ask: an account is known by its customer's id, and a customer's
  // country may be its institution's.
  await group.add(rows.map((row) => checker.needs(row, group.lookups)));
  return group.lookups;
}

/** What was found for a group of rows so far; nothing is asked for twice. */
class GroupLookups {
  readonly #references: ReferencePort;
  readonly #directory: DirectoryPort;
  readonly #objects = new Map<Kind, Map<string, KnownObject | undefined>>();
  readonly #customers = new Map<string, KnownObject | undefined>();
  readonly #lists = new Map<string, InstitutionList>();

  constructor(references: ReferencePort, directory: DirectoryPort) {
    this.#references = references;
    this.#directory = directory;
  }

  readonly lookups: Lookups = {
    institutions: (country) => this.#lists.get(country),
    object: (kind, handle) => this.#objects.get(kind)?.get(handle),
    customerById: (id) => this.#customers.get(id),
  };

  async add(needs: readonly NeededLookups[]): Promise<void> {
    await this.#addObjects(needs.flatMap(({ handles }) => handles));
    const ids = newOnes(
      needs.flatMap(({ customerIds }) => customerIds),
      this.#customers,
    );
    if (ids.length > 0) note(this.#customers, ids, await this.#references.findCustomersById(ids));
    const countries = newOnes(
      needs.flatMap(({ institutionCountries }) => institutionCountries),
      this.#lists,
    );
    for (const country of countries) this.#lists.set(country, await this.#directory.list(country));
  }

  async #addObjects(handles: NeededLookups['handles']): Promise<void> {
    for (const kind of new Set(handles.map((each) => each.kind))) {
      const known = this.#objects.get(kind) ?? new Map<string, KnownObject | undefined>();
      this.#objects.set(kind, known);
      const ofKind = handles.filter((each) => each.kind === kind).map(({ handle }) => handle);
      const asked = newOnes(ofKind, known);
      if (asked.length > 0) note(known, asked, await this.#references.findByHandles(kind, asked));
    }
  }
}

function newOnes(names: readonly string[], known: ReadonlyMap<string, unknown>): string[] {
  return [...new Set(names)].filter((name) => !known.has(name));
}

/** What was not found is noted as well, so that it is not asked for again. */
function note(
  known: Map<string, KnownObject | undefined>,
  asked: readonly string[],
  found: ReadonlyMap<string, KnownObject>,
): void {
  for (const name of asked) known.set(name, found.get(name));
}
