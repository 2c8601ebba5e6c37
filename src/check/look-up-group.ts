/* The look-ups for a group of rows, done at once. */

import type { Kind } from '../domain/batches/batch.ts';
import type { InstitutionList } from '../domain/institution.ts';
import type { StagedRow } from '../domain/rows/ledger-row.ts';
import type { SourceRow } from '../domain/tables/table.ts';
import type { CheckedRow, KnownObject, Lookups, NeededLookups, RowChecker } from '../kinds/definition.ts';
import type { DirectoryPort } from '../kinds/institutions/directory.ts';
import { allDefinitions } from '../kinds/registry.ts';
import type { ReferencePort } from '../kinds/request.ts';

/** Gives each row the payee type that follows from its institution, where the mapping says that it does. */
export async function withPayeeTypes(
  rows: readonly SourceRow[],
  {
    checker,
    references,
    directory,
  }: { readonly checker: RowChecker; readonly references: ReferencePort; readonly directory: DirectoryPort },
): Promise<readonly SourceRow[]> {
  const { payeeTypeOf } = checker;
  if (payeeTypeOf === undefined) return rows;
  const checked = rows.map((row) => checker.checkFields(row));
  const lookups = await lookUpForGroup(checker, checked, references, directory);
  return rows.map((row, index) => {
    const check = checked[index];
    const payeeType = check === undefined ? undefined : payeeTypeOf(check, lookups);
    return payeeType === undefined ? row : { ...row, payeeType };
  });
}

const unknownCodes: ReadonlySet<string> = new Set(
  allDefinitions.flatMap(({ references }) => references.map(({ unknownCode }) => unknownCode)),
);

/** Whether a row is invalid only because an object that it refers to does not exist. */
export function isInvalidByReferenceAlone({ state, findings }: StagedRow): boolean {
  return (
    state === 'invalid' &&
    findings.every(({ severity, code }) => severity !== 'invalid' || unknownCodes.has(code))
  );
}

/**
 * Looks up, for a whole group of rows at once, what their checks need: at most two queries for each
 * kind, and institutions of just the countries in the file.
 */
export async function lookUpForGroup(
  checker: Pick<RowChecker, 'needs'>,
  rows: readonly CheckedRow[],
  references: ReferencePort,
  directory: DirectoryPort,
): Promise<Lookups> {
  const group = new GroupLookups(references, directory);
  const askedAgain = rows.filter((row) => checker.needs(row, group.needed));
  await group.lookUp();
  // The results lead to further look-ups: an account is known by its customer's id, and a customer's country may
  // be its institution's.
  for (const row of askedAgain) checker.needs(row, group.needed, group.lookups);
  if (askedAgain.length > 0) await group.lookUp();
  return group.lookups;
}

/** The results for a group of rows so far; nothing is looked up twice. */
class GroupLookups {
  readonly #references: ReferencePort;
  readonly #directory: DirectoryPort;
  readonly #objects = new Map<Kind, Answers<KnownObject>>();
  readonly #customers = new Answers<KnownObject>();
  readonly #lists = new Answers<InstitutionList>();

  constructor(references: ReferencePort, directory: DirectoryPort) {
    this.#references = references;
    this.#directory = directory;
  }

  readonly needed: NeededLookups = {
    object: (kind, handle) => this.#objectsOf(kind).need(handle),
    customerById: (id) => this.#customers.need(id),
    institutions: (country) => this.#lists.need(country),
  };

  readonly lookups: Lookups = {
    object: (kind, handle) => this.#objects.get(kind)?.get(handle),
    customerById: (id) => this.#customers.get(id),
    institutions: (country) => this.#lists.get(country),
  };

  async lookUp(): Promise<void> {
    for (const [kind, objects] of this.#objects) {
      await objects.lookUp((handles) => this.#references.findByHandles(kind, handles));
    }
    await this.#customers.lookUp((ids) => this.#references.findCustomersById(ids));
    await this.#lists.lookUp((countries) => this.#listsOf(countries));
  }

  #objectsOf(kind: Kind): Answers<KnownObject> {
    const known = this.#objects.get(kind);
    if (known !== undefined) return known;
    const fresh = new Answers<KnownObject>();
    this.#objects.set(kind, fresh);
    return fresh;
  }

  async #listsOf(countries: readonly string[]): Promise<Map<string, InstitutionList>> {
    const lists = new Map<string, InstitutionList>();
    for (const country of countries) lists.set(country, await this.#directory.list(country));
    return lists;
  }
}

/** Results by name; a missing name is stored as well, so that it is not looked up again. */
class Answers<Answer> {
  readonly #known = new Map<string, Answer | undefined>();
  #asked: string[] = [];

  need(name: string): void {
    if (this.#known.has(name)) return;
    this.#known.set(name, undefined);
    this.#asked.push(name);
  }

  get(name: string): Answer | undefined {
    return this.#known.get(name);
  }

  async lookUp(find: (names: readonly string[]) => Promise<ReadonlyMap<string, Answer>>): Promise<void> {
    if (this.#asked.length === 0) return;
    const asked = this.#asked;
    this.#asked = [];
    const found = await find(asked);
    for (const [name, answer] of found) this.#known.set(name, answer);
  }
}

/**
 * The objects of a call's earlier tables, by the names under which later tables refer to them, while nothing is staged
 * that a ledger could be queried for. The memory grows with the rows of those tables (about 100 bytes each), so a caller
 * notes only tables that a later one of the call may refer to.
 */
export class ImportHandles {
  readonly #countries = new Map<Kind, Map<string, string | null>>();

  /** Rows that are not valid count too: rows that refer to them have to wait for their correction. */
  note(kind: Kind, rows: readonly StagedRow[]): void {
    const ofKind = this.#countries.get(kind) ?? new Map<string, string | null>();
    this.#countries.set(kind, ofKind);
    for (const { handle, record } of rows) {
      if (handle !== null && !ofKind.has(handle)) ofKind.set(handle, record['country'] ?? null);
    }
  }

  /** Look-ups that know these objects and those of `references`, which take precedence. */
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
