import type { ScratchSql } from '../../../src/ledger/connection/open.ts';
import { createRandom, type Random } from '../../simulation/random.ts';
import type { Engine } from './engine.ts';
import type { Violation } from './judge.ts';
import type { WithTables } from './trial.ts';
import { shuffled } from './world.ts';

/** A payment that we asked for. */
interface Payment {
  readonly label: string;
  readonly id: string;
  readonly isUnknown: boolean;
  readonly reference: string;
  readonly amount: string;
}

/** An entry of a bank's statement, with the payments whose references are in its text, and how. */
interface Entry {
  readonly label: string;
  readonly account: string;
  readonly number: string;
  readonly amount: string;
  readonly isPending: boolean;
  /** The payment whose id it has. */
  readonly of: Payment | null;
  readonly names: readonly { readonly payment: Payment; readonly isExact: boolean }[];
  readonly text: string;
  readonly isInSecondFile: boolean;
}

interface StatementWorld {
  readonly payments: readonly Payment[];
  readonly entries: readonly Entry[];
  /** The labels of entries that are in a second file too. */
  readonly copied: ReadonlySet<string>;
}

const fates = [
  ...['named', 'named', 'named', 'missing', 'twice', 'loose', 'loose_twice', 'pending', 'pending_and_booked'],
  ...['other_amount', 'by_id', 'together', 'by_id_and_together', 'other_account', 'without_number'],
] as const;

const placeholders = ['NONREF', 'NOTPROVIDED', '000000'];

function referenceOf(number: number, random: Random): string {
  return random.pick([`INV-20${number}`, `Größe/77-${number}Q`, `ŁÓDŹ-12${number}`, `A-20${number}-B`]);
}

/** A reference as it is, in another case, or in another form of Unicode. */
function writtenExactly(reference: string, random: Random): string {
  return random.pick([
    reference,
    reference.toUpperCase(),
    reference.toLowerCase(),
    reference.normalize('NFD'),
  ]);
}

function withoutSigns(reference: string, random: Random): string {
  return reference.replace(/[-/]/g, random.pick(['', ' ']));
}

function makeStatement(seed: number): StatementWorld {
  const random = createRandom(seed + 5_000_011);
  const payments = Array.from(
    { length: random.whole(1, 6) },
    (_, at): Payment => ({
      label: `payment ${at + 1}`,
      id: random.uuid(),
      isUnknown: random.chance(0.3),
      reference: referenceOf(at + 10, random),
      amount: random.pick(['10.00', '20.00', '1250.5']),
    }),
  );
  const entries: Entry[] = [];
  const copied = new Set<string>();
  const add = (given: Partial<Entry> & Pick<Entry, 'amount' | 'names'>): void => {
    const words = given.names.map(({ payment, isExact }) =>
      (isExact ? writtenExactly : withoutSigns)(payment.reference, random),
    );
    const label = `entry ${entries.length + 1}`;
    const number = random.chance(0.3) ? random.pick(placeholders) : `B-${random.whole(1, 40)}`;
    const account = random.pick(['DE1', 'DE2']);
    entries.push({
      label,
      account,
      number,
      isPending: false,
      of: null,
      isInSecondFile: account === 'DE2',
      text: `from Amina\n${random.pick(['pays ', ''])}${words.join(' and ')}.`,
      ...given,
    });
    if (!placeholders.includes(entries.at(-1)?.number ?? '') && random.chance(0.3)) copied.add(label);
  };
  for (const payment of payments) {
    const { amount } = payment;
    const exact = [{ payment, isExact: true }];
    const loose = [{ payment, isExact: false }];
    const other = random.pick(payments);
    const both = other === payment ? exact : [...exact, { payment: other, isExact: random.chance(0.7) }];
    const fate = random.pick(fates);
    if (fate === 'named' || fate === 'twice' || fate === 'pending_and_booked') add({ amount, names: exact });
    if (fate === 'twice') add({ amount: random.pick([amount, `-${amount}`]), names: exact });
    if (fate === 'loose' || fate === 'loose_twice') add({ amount, names: loose });
    if (fate === 'loose_twice') add({ amount, names: loose });
    if (fate === 'pending' || fate === 'pending_and_booked') add({ amount, names: exact, isPending: true });
    if (fate === 'other_amount') add({ amount: '77.77', names: exact });
    if (fate === 'by_id' || fate === 'by_id_and_together') add({ amount, names: exact, of: payment });
    if (fate === 'together' || fate === 'by_id_and_together') add({ amount, names: both });
    if (fate === 'without_number') {
      const alike = { amount, names: exact, text: payment.reference, number: random.pick(placeholders) };
      add({ ...alike, account: 'DE1', isInSecondFile: false });
      add({ ...alike, account: 'DE1', isInSecondFile: true });
    }
    if (fate === 'other_account') {
      const text = `pays ${payment.reference}`;
      add({ amount, names: exact, text, account: 'DE1', number: 'B-99', isInSecondFile: false });
      add({ amount, names: exact, text, account: 'DE2', number: 'B-99', isInSecondFile: true });
    }
  }
  return { payments, entries, copied };
}

const header = ['Number', 'Account', 'State', 'Value', 'Ccy', 'Object', 'Words'];
const mapping = {
  columns: {
    Number: 'entry',
    Account: 'account',
    Value: 'amount',
    Ccy: 'currency',
    Object: 'id',
    Words: 'text',
  },
  include: { State: ['BOOK'] },
};

function rowOf(entry: Entry, number: number): { number: number; cells: string[] } {
  const { account, amount, isPending, of, text } = entry;
  const state = isPending ? 'PDNG' : 'BOOK';
  return { number, cells: [entry.number, account, state, amount, 'KES', of?.id ?? '', text] };
}

interface Line {
  readonly state: string;
  readonly payment: Payment | null;
  readonly entry: Entry | null;
  readonly repeats: 'here' | 'there' | null;
}

/** Compares ours with the entries of two files, of which the second has copies of some of the first. */
async function compareStatement(
  engine: Engine,
  sql: ScratchSql,
  world: StatementWorld,
  random: Random,
): Promise<Line[]> {
  const payments = shuffled(world.payments, random);
  const isInSecond = ({ isInSecondFile, label }: Entry): boolean => isInSecondFile || world.copied.has(label);
  const first = shuffled(
    world.entries.filter(({ isInSecondFile }) => !isInSecondFile),
    random,
  );
  const second = shuffled(world.entries.filter(isInSecond), random);
  const read = engine.parseExportMapping(JSON.stringify(mapping), 'm.json');
  const tables = [first, second].map((entries, at) => ({
    name: `file ${at}`,
    header,
    columns: engine.readColumns(header, read, 'collections'),
    mapping: read,
    async *rows() {
      yield entries.map((entry, place) => rowOf(entry, place + 2));
    },
  }));
  const comparable = engine.comparableWithBatch('collections', tables);
  const own = payments.map(({ id, isUnknown, reference, amount }, at) => ({
    row: at + 2,
    state: isUnknown ? ('unknown' as const) : ('created' as const),
    body: null,
    objectId: isUnknown ? null : id,
    day: '2026-11-10',
    record: { client_reference: reference, amount, currency: 'KES' },
  }));
  async function* ours(): AsyncGenerator<typeof own> {
    yield own;
  }
  const lines: Line[] = [];
  await engine.compareSides(
    sql,
    {
      here: engine.ownMatchRecords(ours(), 'collections', read, comparable.fields),
      there: engine.readExportRecords(tables, 'collections', comparable.fields),
      fields: comparable.fields,
      rules: {
        tolerance: { absolute: '0', percent: '0', days: 0 },
        coversFrom: '2026-11-01',
        coversTo: '2026-11-30',
        graceInDays: 0,
        compares: comparable.compares,
        amountsLeftOut: comparable.amountsLeftOut,
      },
    },
    async (found) => {
      for (const { state, here, there, repeats } of found) {
        const payment = here === null ? null : (payments[here.row - 2] ?? null);
        const entry = there === null ? null : ([first, second][there.file]?.[there.row - 2] ?? null);
        lines.push({ state, payment, entry, repeats });
      }
    },
  );
  return lines;
}

/** What a payment has to be called, by what the entries say of it. */
function statesOf(payment: Payment, { entries, payments }: StatementWorld): readonly string[] {
  const hasId = (entry: Entry): boolean => entry.of !== null && !entry.of.isUnknown;
  const booked = entries.filter(({ isPending }) => !isPending);
  if (booked.some(({ of }) => of === payment) && !payment.isUnknown) return ['matched'];
  const naming = booked.filter(({ names }) => names.some((each) => each.payment === payment));
  const [only] = naming;
  if (only === undefined) {
    const isPending = entries.some(({ names }) => names.some((each) => each.payment === payment));
    return isPending ? ['left_out'] : ['missing_there', 'proposed'];
  }
  const isExact = naming.some(({ names }) => names.some((each) => each.payment === payment && each.isExact));
  const others = payments.filter((other) => other !== payment);
  const isShared = only.names.some(({ payment: named }) => others.includes(named));
  if (naming.length > 1 || isShared || hasId(only)) {
    return isExact || !hasId(only) ? ['ambiguous'] : ['ambiguous', 'missing_there', 'proposed'];
  }
  return isExact && only.amount === payment.amount ? ['matched'] : ['proposed'];
}

function judgeStatement(world: StatementWorld, lines: readonly Line[]): Violation[] {
  const told: Violation[] = [];
  for (const { state, payment, entry } of lines) {
    if (!state.startsWith('matched') || payment === null || entry === null) continue;
    const isNamed = entry.names.some((each) => each.payment === payment);
    if (entry.of === payment || isNamed) continue;
    told.push({ promise: 'soundness', told: `${payment.label} is ${state} with ${entry.label}` });
  }
  for (const payment of world.payments) {
    const own = lines.filter((line) => line.payment === payment && line.repeats !== 'here');
    const states = statesOf(payment, world);
    if (own.length === 1 && states.includes(own[0]?.state ?? '')) continue;
    const found = own.map(({ state }) => state).join(', ');
    told.push({ promise: 'soundness', told: `${payment.label} is ${found}, and ${states.join(' or ')}` });
  }
  for (const entry of world.entries) {
    const own = lines.filter((line) => line.entry === entry && line.repeats !== 'there');
    if (own.length === (entry.isPending ? 0 : 1)) continue;
    told.push({ promise: 'conservation', told: `${entry.label} stands in ${own.length} lines` });
  }
  return told;
}

/** What became of each record, for comparing two comparisons. */
function verdictsOf(lines: readonly Line[]): string {
  const told = lines.map(({ state, payment, entry, repeats }) => {
    const [own, theirs] = [payment?.label ?? '-', entry?.label ?? '-'];
    return `${state} ${repeats === 'here' ? '-' : own} ${repeats === 'there' ? '-' : theirs}`;
  });
  return told.sort().join('\n');
}

/** Compares ours with a bank's statement of a seed's world, and once more in another order. */
export async function statementTrial(
  seed: number,
  engine: Engine,
  withTables: WithTables,
): Promise<Violation[]> {
  const world = makeStatement(seed);
  const lines = await withTables((sql) => compareStatement(engine, sql, world, createRandom(seed)));
  const again = await withTables((sql) => compareStatement(engine, sql, world, createRandom(seed + 1)));
  const violations = judgeStatement(world, lines);
  if (verdictsOf(lines) !== verdictsOf(again)) {
    violations.push({ promise: 'stability', told: 'another order of a statement, and other verdicts' });
  }
  return violations;
}
