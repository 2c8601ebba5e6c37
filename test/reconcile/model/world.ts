import { createRandom, type Random } from '../../simulation/random.ts';
import {
  amountOf,
  describingField,
  type Fate,
  fates,
  type ModelKind,
  makeThing,
  modelKinds,
  naturalFields,
  type Thing,
  unitsIn,
} from './truth.ts';

/** A row of the ledger. */
export interface HereRecord {
  readonly side: 'here';
  readonly thing: Thing;
  /** Null for a row whose answer was lost. */
  readonly id: string | null;
  readonly reference: string | null;
  readonly values: Readonly<Record<string, string>>;
  readonly natural: string | null;
  readonly day: string;
  readonly status: 'created' | 'unknown';
}

/** A record of the other side. */
export interface ThereRecord {
  readonly side: 'there';
  readonly thing: Thing;
  readonly id: string | null;
  readonly reference: string | null;
  readonly group: string | null;
  readonly values: Readonly<Record<string, string>>;
  readonly natural: string | null;
  readonly day: string;
  readonly isLeftOut: boolean;
}

/** What the export is like, and by which rules it is compared. */
export interface Plan {
  readonly kind: ModelKind;
  readonly has: {
    readonly id: boolean;
    readonly reference: boolean;
    readonly fields: boolean;
    readonly date: boolean;
  };
  readonly hasGroups: boolean;
  /** Whether a natural key is known that identifies records. */
  readonly isNatural: boolean;
  readonly covers: { readonly from: string; readonly to: string; readonly grace: number } | null;
  readonly tolerance: string;
  /** Whether the export's amounts are compared, their column is not named, or a person leaves them out. */
  readonly amounts: 'compared' | 'not_read' | 'not_wanted';
  readonly style: {
    readonly decimal: '.' | ',';
    readonly thousands: '' | '.' | ',';
    readonly isRenamed: boolean;
    readonly isSpaced: boolean;
    readonly dateFormat: 'YYYY-MM-DD' | 'DD.MM.YYYY';
    readonly isRefundPositive: boolean;
  };
}

/** Both sides, made from one truth. */
export interface World {
  readonly seed: number;
  readonly plan: Plan;
  readonly here: readonly HereRecord[];
  readonly there: readonly ThereRecord[];
}

/** Drawn apart, so that the other parts of a seed's world stay as they were. */
function amountsOf(seed: number): Plan['amounts'] {
  const random = createRandom(seed + 7_000_045);
  return random.chance(0.75) ? 'compared' : random.pick(['not_read', 'not_read', 'not_wanted']);
}

function makePlan(seed: number, random: Random): Plan {
  const kind = random.pick([...modelKinds, 'collections', 'collections'] as const);
  const hasReference = kind === 'customers' || kind === 'collections';
  const keys = random.pick(['both', 'both', 'id', 'reference', 'natural'] as const);
  const has = {
    id: keys === 'both' || keys === 'id',
    reference: hasReference && (keys === 'both' || keys === 'reference'),
    fields: keys === 'natural' || (!hasReference && keys === 'reference') || random.chance(0.7),
    date: random.chance(0.6),
  };
  const decimal = random.pick(['.', ','] as const);
  const amounts = kind === 'collections' ? amountsOf(seed) : 'compared';
  return {
    kind,
    has,
    hasGroups: kind === 'collections' && has.reference && random.chance(0.7),
    // The natural key of collections has the amount in it.
    isNatural: has.fields && amounts !== 'not_read',
    amounts,
    covers: random.chance(0.7) ? { from: '2026-11-05', to: '2026-11-24', grace: random.whole(0, 3) } : null,
    tolerance: random.pick(['0', '0', '0.05']),
    style: {
      decimal,
      thousands: random.pick(decimal === ',' ? (['', '.'] as const) : (['', ','] as const)),
      isRenamed: random.chance(0.5),
      isSpaced: random.chance(0.5),
      dateFormat: random.pick(['YYYY-MM-DD', 'DD.MM.YYYY'] as const),
      isRefundPositive: random.chance(0.5),
    },
  };
}

/** The natural key of a record, where it has neither id nor reference; null when a part is empty. */
export function naturalOf(plan: Plan, values: Readonly<Record<string, string>>): string | null {
  if (!plan.isNatural) return null;
  const parts = naturalFields(plan.kind, values).map((field) => values[field] ?? '');
  return parts.includes('') ? null : JSON.stringify(parts.map(withoutZeros));
}

function withoutZeros(text: string): string {
  return /^\d+\.\d+$/.test(text) ? text.replace(/\.?0+$/, '') : text;
}

/** Makes both sides of one world: the same seed gives the same world. */
export function makeWorld(seed: number): World {
  const random = createRandom(seed);
  const plan = makePlan(seed, random);
  const here: HereRecord[] = [];
  const there: ThereRecord[] = [];
  const things = makeThings(plan, random);
  for (const thing of things) {
    const fate = fateOf(plan, random);
    const isKnownHere = fate !== 'extra';
    const ours = ownRecord(plan, thing, random);
    if (isKnownHere) here.push(ours);
    there.push(...otherRecords(plan, thing, fate, random));
    if (isKnownHere && random.chance(0.08)) there.push(stranger(plan, thing, random));
    if (isKnownHere && plan.has.id && plan.has.reference && random.chance(0.15)) {
      there.push({ ...whole(plan, thing), reference: `WRONG-${thing.label.slice(6)}` });
    }
    const other = random.pick(things);
    if (isKnownHere && other !== thing && plan.has.id && plan.has.reference && random.chance(0.1)) {
      there.push(crossed(plan, thing, other));
    }
  }
  return { seed, plan, here: shuffled(here, random), there: shuffled(there, random) };
}

function makeThings(plan: Plan, random: Random): Thing[] {
  const things: Thing[] = [];
  const count = random.whole(1, 12);
  for (let number = 1; number <= count; number += 1) {
    const thing = makeThing(plan.kind, number, random);
    const earlier = things.length > 0 && random.chance(0.25) ? random.pick(things) : undefined;
    things.push(earlier === undefined ? thing : twinOf(plan, thing, earlier, random));
  }
  return things;
}

/** Another thing that differs from an earlier one in its id and its reference only, or in its day as well. */
function twinOf({ kind }: Plan, thing: Thing, earlier: Thing, random: Random): Thing {
  const own = kind === 'customers' ? 'external_id' : kind === 'collections' ? 'client_reference' : null;
  const values = { ...earlier.values, ...(own === null ? {} : { [own]: thing.reference ?? '' }) };
  return { ...thing, day: random.chance(0.5) ? earlier.day : thing.day, values };
}

function fateOf(plan: Plan, random: Random): Fate {
  const fate = random.chance(0.4) ? 'both' : random.pick(fates);
  if ((fate === 'parts' || fate === 'wrong_parts') && !plan.hasGroups) return 'both';
  return fate;
}

function ownRecord(plan: Plan, thing: Thing, random: Random): HereRecord {
  const isUnknown = random.chance(0.2);
  return {
    side: 'here',
    thing,
    id: isUnknown ? null : thing.id,
    reference: thing.reference,
    values: thing.values,
    natural: naturalOf(plan, thing.values),
    day: thing.day,
    status: isUnknown ? 'unknown' : 'created',
  };
}

/** A thing as an export has it that leaves nothing out which it has columns for. */
function whole(plan: Plan, thing: Thing): ThereRecord {
  return {
    side: 'there',
    thing,
    id: plan.has.id ? thing.id : null,
    reference: plan.has.reference ? thing.reference : null,
    group: null,
    values: thing.values,
    natural: naturalOf(plan, thing.values),
    day: thing.day,
    isLeftOut: false,
  };
}

function otherRecords(plan: Plan, thing: Thing, fate: Fate, random: Random): ThereRecord[] {
  const full = whole(plan, thing);
  const told = {
    ...full,
    id: random.chance(0.2) ? null : full.id,
    reference: random.chance(0.2) ? null : full.reference,
  };
  switch (fate) {
    case 'both':
      return [told];
    case 'missing':
      return [];
    case 'extra':
      return [full];
    case 'doubled':
      return [told, { ...told }];
    case 'doubled_otherwise':
      return [told, changed(plan, told, random)];
    case 'changed':
      return [changed(plan, told, random)];
    case 'left_out':
      return [{ ...full, isLeftOut: true }];
    case 'parts':
      return parts(plan, full, random, 0n);
    case 'wrong_parts':
      return parts(plan, full, random, 1n);
  }
}

function changed(plan: Plan, record: ThereRecord, random: Random): ThereRecord {
  const field = plan.kind === 'collections' ? 'amount' : describingField[plan.kind];
  const old = record.values[field] ?? '';
  const more = random.chance(0.5) ? 5n : 731n;
  const value = field === 'amount' ? amountOf(unitsIn(old) + more) : `${old}x`;
  const values = { ...record.values, [field]: value };
  return { ...record, values, natural: naturalOf(plan, values) };
}

/** Payments in parts, of which a refund may be one, that add up to the thing's amount, or to a cent more. */
function parts(plan: Plan, full: ThereRecord, random: Random, centsTooMany: bigint): ThereRecord[] {
  const cents = unitsIn(full.values['amount'] ?? '') + centsTooMany;
  const first = random.pick([cents, cents / 3n, cents + 500n]);
  return [first, cents - first]
    .filter((part) => part !== 0n)
    .map((part): ThereRecord => {
      const { client_customer_id: _, ...values } = full.values;
      return {
        ...full,
        id: plan.has.id ? random.uuid() : null,
        reference: random.chance(0.5) ? null : `LINE-${random.uuid()}`,
        group: full.thing.reference,
        values: { ...values, amount: amountOf(part) },
        natural: null,
      };
    });
}

/** Somebody else's record that looks like the thing, and whose own id or reference says that it is not. */
function stranger(plan: Plan, thing: Thing, random: Random): ThereRecord {
  const full = whole(plan, thing);
  const id = plan.has.id ? random.uuid() : null;
  const reference = full.reference === null ? null : `OTHER-${random.uuid()}`;
  const values = { ...full.values, ...(reference === null ? {} : referenceIn(plan.kind, reference)) };
  const label = `stranger like ${thing.label}`;
  return { ...full, id, reference, values, thing: { ...thing, label, id: id ?? random.uuid(), reference } };
}

/** A record with the id of one thing and the reference of another. */
function crossed(plan: Plan, thing: Thing, other: Thing): ThereRecord {
  const values = other.reference === null ? {} : referenceIn(plan.kind, other.reference);
  const label = `${thing.label} crossed with ${other.label}`;
  const full = whole(plan, thing);
  return {
    ...full,
    reference: other.reference,
    values: { ...full.values, ...values },
    thing: { ...thing, label, reference: other.reference },
  };
}

function referenceIn(kind: ModelKind, reference: string): Record<string, string> {
  return kind === 'customers' ? { external_id: reference } : { client_reference: reference };
}

export function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, place: random.fraction() }))
    .sort((left, right) => left.place - right.place)
    .map(({ item }) => item);
}
