import type { Kind } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { Institution, InstitutionList } from '../../domain/institution.ts';
import type { KeyOwner } from '../../domain/rows/ledger-row.ts';
import type { DirectoryPort, ReferencePort } from '../../pipeline/ports.ts';
import type { Facts } from '../../pipeline/proposing/decisions.ts';
import type { KnownObject } from '../../resources/definition.ts';
import { accountHandle } from '../../resources/kinds/shared.ts';
import type { CheckAccess } from '../access/judging-access.ts';
import type { MissingFact } from '../running/notes.ts';

/**
 * What the ledger and the API know that helps to read a file; asked once for each thing. Where one of them cannot be
 * reached, the reading is proposed without it, and `onMissing` is told at each such question.
 */
export function factsOf(
  { references, directory, accountHandles }: CheckAccess,
  onMissing: (missing: MissingFact, error: PaybatchError) => void,
): Facts {
  const lists = new Map<string, Promise<readonly Institution[]>>();
  const shares = new Map<string, Promise<number>>();
  const list = async (country: string): Promise<readonly Institution[]> => {
    try {
      return (await directory.list(country)).all;
    } catch (error) {
      if (!(error instanceof PaybatchError)) throw error;
      onMissing({ of: 'institutions', country }, error);
      return [];
    }
  };
  const share = async (ids: readonly string[]): Promise<number> => {
    try {
      return (await references.findByHandles('customers', ids)).size / ids.length;
    } catch (error) {
      if (!(error instanceof PaybatchError)) throw error;
      onMissing({ of: 'customers' }, error);
      return 0;
    }
  };
  const labels = async (ids: readonly string[]): Promise<ReadonlyMap<string, number>> => {
    try {
      const known = new Set((await accountHandles(handlesLookedAt)).flatMap(labelIn));
      // An account is named after its customer's id once that is known, else after the external id.
      const customers = await references.findByHandles('customers', ids);
      const shares = new Map<string, number>();
      for (const label of [...known].slice(0, mostLabels)) {
        const handles = ids.flatMap((id) => {
          const own = customers.get(id)?.id;
          const names = [{ customer_external_id: id }, ...(own == null ? [] : [{ customer_id: own }])];
          return names.flatMap((record) => accountHandle(record, label) ?? []);
        });
        const found = (await references.findByHandles('accounts', handles)).size;
        if (found > 0) shares.set(label, Math.min(1, found / ids.length));
      }
      return shares;
    } catch (error) {
      if (!(error instanceof PaybatchError)) throw error;
      return new Map();
    }
  };
  const labelled = new Map<string, Promise<ReadonlyMap<string, number>>>();
  return {
    accountLabels: (ids) => valueIn(labelled, ids.join('\n'), () => labels(ids)),
    institutions: (country) => valueIn(lists, country, () => list(country)),
    knownCustomers: (ids) => valueIn(shares, ids.join('\n'), () => share(ids)),
  };
}

const handlesLookedAt = 2_000;
const mostLabels = 20;

/** The label in an account's handle. */
function labelIn(handle: string): string[] {
  const parts: unknown = JSON.parse(handle);
  return Array.isArray(parts) && typeof parts[1] === 'string' ? [parts[1]] : [];
}

/** A port's answers, kept for as long as the file is looked at: many readings ask for the same things. */
export function remembering({ references, directory, ...access }: CheckAccess): CheckAccess {
  const lists = new Map<string, Promise<InstitutionList>>();
  const handles = new Map<Kind, AnswersByName<KnownObject>>();
  const customers = new AnswersByName<KnownObject>((ids) => references.findCustomersById(ids));
  const owners = new Map<Kind, AnswersByName<KeyOwner>>();
  const handlesOf = (kind: Kind): AnswersByName<KnownObject> =>
    valueIn(handles, kind, () => new AnswersByName((names) => references.findByHandles(kind, names)));
  const ownersOf = (kind: Kind): AnswersByName<KeyOwner> =>
    valueIn(
      owners,
      kind,
      () =>
        new AnswersByName((keys) =>
          references.findKeyOwners(
            kind,
            keys.map((key) => Buffer.from(key, 'hex')),
          ),
        ),
    );
  const kept: ReferencePort = {
    findByHandles: (kind, names) => handlesOf(kind).find(names),
    findCustomersById: (ids) => customers.find(ids),
    findRivals: (...of) => references.findRivals(...of),
    findKeyOwners: (kind, keys) => ownersOf(kind).find(keys.map((key) => key.toString('hex'))),
  };
  const keptDirectory: DirectoryPort = {
    list: (country) => valueIn(lists, country, () => directory.list(country)),
  };
  return { ...access, references: kept, directory: keptDirectory };
}

/** What was found by name, and what was not. */
class AnswersByName<Answer> {
  readonly #ask: (names: readonly string[]) => Promise<ReadonlyMap<string, Answer>>;
  readonly #known = new Map<string, Answer | undefined>();

  constructor(ask: (names: readonly string[]) => Promise<ReadonlyMap<string, Answer>>) {
    this.#ask = ask;
  }

  async find(names: readonly string[]): Promise<ReadonlyMap<string, Answer>> {
    const fresh = names.filter((name) => !this.#known.has(name));
    if (fresh.length > 0) {
      const found = await this.#ask(fresh);
      for (const name of fresh) this.#known.set(name, found.get(name));
    }
    return new Map(
      names.flatMap((name) => {
        const answer = this.#known.get(name);
        return answer === undefined ? [] : [[name, answer] as const];
      }),
    );
  }
}

function valueIn<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}
