/* Look-ups for a whole group of rows at once. */

import type { Kind } from '../domain/batches/batch.ts';
import type { InstitutionList } from '../domain/institution.ts';
import type { KeyOwner } from '../domain/rows/ledger-row.ts';
import type { SourceRow } from '../domain/tables/table.ts';
import type { KnownObject } from '../kinds/definition.ts';
import type { DirectoryPort } from '../kinds/institutions/directory.ts';
import type { ReferencePort } from '../kinds/request.ts';
import type { CheckedRow, Lookups, NeededLookups, RowChecker } from '../kinds/row-check.ts';

/** Adds to each row the payee type that follows from its institution, if the mapping states that it does. */
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

/**
 * Looks up, for a whole group of rows at once, the objects and institutions that their checks need. It makes at most two
 * queries for each kind, and reads institutions only for the countries in the file.
 */
export async function lookUpForGroup(
  checker: Pick<RowChecker, 'needs'>,
  rows: readonly CheckedRow[],
  references: ReferencePort,
  directory: DirectoryPort,
): Promise<Lookups> {
  const objects = new Map<Kind, Answers<KnownObject>>();
  const customers = new Answers<KnownObject>();
  const lists = new Answers<InstitutionList>();
  const needed: NeededLookups = {
    object: (kind, handle) => {
      const ofKind = objects.get(kind) ?? new Answers<KnownObject>();
      objects.set(kind, ofKind);
      ofKind.need(handle);
    },
    customerById: (id) => customers.need(id),
    institutions: (country) => lists.need(country),
  };
  const lookups: Lookups = {
    object: (kind, handle) => objects.get(kind)?.get(handle),
    customerById: (id) => customers.get(id),
    institutions: (country) => lists.get(country),
  };
  const lookUp = async (): Promise<void> => {
    for (const [kind, ofKind] of objects)
      await ofKind.lookUp((handles) => references.findByHandles(kind, handles));
    await customers.lookUp((ids) => references.findCustomersById(ids));
    await lists.lookUp(async (countries) => {
      const found = new Map<string, InstitutionList>();
      for (const country of countries) found.set(country, await directory.list(country));
      return found;
    });
  };
  const askedAgain = rows.filter((row) => checker.needs(row, needed));
  await lookUp();
  // The results lead to further look-ups. For example, an account is identified by its customer's id, and the country of an
  // institution may be that of the customer.
  for (const row of askedAgain) checker.needs(row, needed, lookups);
  if (askedAgain.length > 0) await lookUp();
  return lookups;
}

/** Results by name. A name without a result is stored as well, so that it is not looked up again. */
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

/** Length of a natural key in bytes. */
const keyBytes = 32;

/**
 * The rows of the ledger that own natural keys, by the key in hex.
 * @param keys the natural keys of a group's rows, as text; undefined for a row without a key
 */
export async function findOwners(
  references: ReferencePort,
  kind: Kind,
  keys: readonly (string | undefined)[],
): Promise<ReadonlyMap<string, KeyOwner>> {
  const wanted = keys.filter((key) => key !== undefined);
  if (wanted.length === 0) return new Map();
  // All keys are parts of one Buffer, since a million small Buffers need much memory.
  const bytes = Buffer.from(wanted.join(''), 'latin1');
  const parts = wanted.map((_, index) => bytes.subarray(index * keyBytes, (index + 1) * keyBytes));
  return references.findKeyOwners(kind, parts);
}
