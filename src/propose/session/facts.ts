/* The input of a proposal: a grid of the file's rows, and facts about its columns. */

import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { CheckAccess } from '../../check/judging-access.ts';
import type { Kind } from '../../domain/batches/batch.ts';
import type { MissingFact } from '../../domain/batches/note.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { Institution, InstitutionList } from '../../domain/institution.ts';
import type { KeyOwner } from '../../domain/rows/ledger-row.ts';
import { type TableRow, unprotectCell } from '../../domain/tables/table.ts';
import type { KnownObject } from '../../kinds/definition.ts';
import { accountHandle } from '../../kinds/definition-parts.ts';
import type { DirectoryPort } from '../../kinds/institutions/directory.ts';
import type { ReferencePort } from '../../kinds/request.ts';
import type { OpenedTable } from '../../read/rows/input-table.ts';
import type { Facts } from '../decisions.ts';
import { formOf } from '../dialogue/review.ts';
import type { Grid, GridRow } from '../sheet/grid.ts';

/**
 * The rows of a sheet from which a reading is proposed: all rows, or for a long sheet a sample from all parts of it.
 * The sample has every value of columns with few values, and every form of writing.
 */

/** A sheet with more rows is sampled. */
const mostRows = 5_000;

/** The number of first rows, which include the header. */
const firstRows = 1_000;

/** The number of last rows, which may be totals and signatures. */
const lastRows = 40;

/** The maximum number of rows at equal distances. If there are more, every second one is dropped. */
const mostSpread = 2_000;

/** The maximum number of distinct values in a column of few values. */
const fewValues = 300;

const fewForms = 60;

/** @param limit for tests: sheets with more rows are sampled */
export async function gridOfTable(table: OpenedTable, limit = mostRows): Promise<Grid> {
  const first: GridRow = { number: table.headerRow, cells: table.header };
  const all: GridRow[] = [first];
  const sample = new RowSample();
  sample.add(first);
  let isCut = false;
  for await (const group of table.rows()) {
    // Groups of parsed rows follow each other without a pause in which the process could answer other requests.
    await turnOfEventLoop();
    for (const source of group) {
      const row = gridRow(source);
      sample.add(row);
      if (isCut) continue;
      all.push(row);
      isCut = all.length > limit;
      if (isCut) all.length = 0;
    }
  }
  const isEmpty = sample.seen === 1 && table.header.every((title) => unprotectCell(title) === '');
  const titles = async (header: readonly number[]): Promise<readonly string[]> =>
    (await table.below(header)).header.map(unprotectCell);
  return {
    sheet: table.sheet,
    isHidden: table.isHidden === true,
    titles,
    isCut,
    rows: isEmpty ? [] : isCut ? sample.rows() : all,
    allRows: isEmpty ? 0 : sample.seen,
    ...(isCut ? { counts: sample.counts(), marks: sample.marks } : {}),
  };
}

function gridRow({ notes: _, cut: __, cells, ...row }: TableRow): GridRow {
  return { ...row, cells: [...cells] };
}

/** The facts about one column while its rows are read. */
interface Watched {
  /** The number of rows with each value; null if there are too many values. */
  values: Map<string, number> | null;
  readonly forms: Set<string>;
}

/** Chooses rows while they are read, keeping only the chosen ones in memory. */
class RowSample {
  seen = 0;
  readonly #chosen = new Map<number, GridRow>();
  readonly #columns: Watched[] = [];
  /** The number of rows with each mark. */
  readonly marks = new Map<string, number>();
  #spread: GridRow[] = [];
  #last: GridRow[] = [];
  #step = 1;

  add(row: GridRow): void {
    const isNew = this.#isNew(row);
    if (isNew || this.seen < firstRows) this.#chosen.set(row.number, row);
    if (this.seen % this.#step === 0) this.#spread.push(row);
    if (this.#spread.length > mostSpread) {
      this.#spread = this.#spread.filter((_, index) => index % 2 === 0);
      this.#step *= 2;
    }
    this.#last.push(row);
    if (this.#last.length > 2 * lastRows) this.#last = this.#last.slice(-lastRows);
    this.seen += 1;
  }

  rows(): readonly GridRow[] {
    for (const row of [...this.#spread, ...this.#last.slice(-lastRows)]) this.#chosen.set(row.number, row);
    return [...this.#chosen.values()].sort((left, right) => left.number - right.number);
  }

  /** The number of rows in the whole sheet with each value, for columns of few values. */
  counts(): ReadonlyMap<number, ReadonlyMap<string, number>> {
    return new Map(
      this.#columns.flatMap(({ values }, index) => (values === null ? [] : [[index, values] as const])),
    );
  }

  /** Whether a cell has a new value in a column of few values, or a form that is new in its column. */
  #isNew({ cells, kinds, look }: GridRow): boolean {
    let isNew = false;
    for (const mark of look?.marks ?? []) {
      const rows = this.marks.get(mark) ?? 0;
      this.marks.set(mark, rows + 1);
      if (rows === 0) isNew = true;
    }
    for (let index = 0; index < cells.length; index += 1) {
      const text = unprotectCell(cells[index] ?? '').trim();
      if (text === '') continue;
      const column = this.#columns[index] ?? { values: new Map<string, number>(), forms: new Set<string>() };
      this.#columns[index] = column;
      const { values, forms } = column;
      if (values !== null) {
        const rows = values.get(text) ?? 0;
        values.set(text, rows + 1);
        if (rows === 0) isNew = true;
        if (values.size > fewValues) column.values = null;
      }
      if (forms.size >= fewForms) continue;
      const form = `${kinds?.get(index) ?? ''} ${formOf(text)}`;
      if (!forms.has(form)) {
        forms.add(form);
        isNew = true;
      }
    }
    return isNew;
  }
}

/**
 * Facts from the ledger and the API that help to read a file. Each is queried once. If one of them cannot be reached,
 * the reading is proposed without it, and each such query calls `onMissing`.
 */
export function factsOf(
  { references, directory, accountHandles }: CheckAccess,
  onMissing: (missing: MissingFact, error: PaybatchError) => void,
): Facts {
  const orWithout = async <Fact>(
    ask: () => Promise<Fact>,
    without: Fact,
    missing?: MissingFact,
  ): Promise<Fact> => {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof PaybatchError)) throw error;
      if (missing !== undefined) onMissing(missing, error);
      return without;
    }
  };
  const labels = async (ids: readonly string[]): Promise<ReadonlyMap<string, number>> => {
    const known = new Set((await accountHandles(handlesLookedAt)).flatMap(labelIn));
    // An account's handle contains the id of its customer if that is known, else the external id.
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
  };
  const shareKnown = async (ids: readonly string[]): Promise<number> =>
    (await references.findByHandles('customers', ids)).size / ids.length;
  const lists = new Map<string, Promise<readonly Institution[]>>();
  const shares = new Map<string, Promise<number>>();
  const labelled = new Map<string, Promise<ReadonlyMap<string, number>>>();
  return {
    accountLabels: (ids) =>
      valueIn(labelled, ids.join('\n'), () => orWithout(() => labels(ids), new Map<string, number>())),
    institutions: (country) =>
      valueIn(lists, country, () =>
        orWithout(async () => (await directory.list(country)).all, [], { of: 'institutions', country }),
      ),
    knownCustomers: (ids) =>
      valueIn(shares, ids.join('\n'), () => orWithout(() => shareKnown(ids), 0, { of: 'customers' })),
  };
}

const handlesLookedAt = 2_000;

const mostLabels = 20;

/** The label in an account's handle. */
function labelIn(handle: string): string[] {
  const parts: unknown = JSON.parse(handle);
  return Array.isArray(parts) && typeof parts[1] === 'string' ? [parts[1]] : [];
}

/** Access that caches answers while the file is examined, because many readings need the same answers. */
export function remembering({ references, directory, ...access }: CheckAccess): CheckAccess {
  const lists = new Map<string, Promise<InstitutionList>>();
  const handles = new Map<Kind, AnswersByName<KnownObject>>();
  const customers = new AnswersByName<KnownObject>((ids) => references.findCustomersById(ids));
  const owners = new Map<Kind, AnswersByName<KeyOwner>>();
  const handlesOf = (kind: Kind): AnswersByName<KnownObject> =>
    valueIn(handles, kind, () => new AnswersByName((names) => references.findByHandles(kind, names)));
  const findOwners = (kind: Kind, keys: readonly string[]): ReturnType<ReferencePort['findKeyOwners']> =>
    references.findKeyOwners(
      kind,
      keys.map((key) => Buffer.from(key, 'hex')),
    );
  const ownersOf = (kind: Kind): AnswersByName<KeyOwner> =>
    valueIn(owners, kind, () => new AnswersByName((keys) => findOwners(kind, keys)));
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

/** Caches results by name, including names that were not found. */
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
