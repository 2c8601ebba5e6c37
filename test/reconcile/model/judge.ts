import type { Found, JudgedLine } from './engine.ts';
import { unitsIn } from './truth.ts';
import type { HereRecord, Plan, ThereRecord, World } from './world.ts';

/** What a comparison promises, each broken promise with what broke it. */
export interface Violation {
  readonly promise: 'soundness' | 'completeness' | 'conservation' | 'stability';
  readonly told: string;
}

type Record_ = HereRecord | ThereRecord;
type Tie = 'id' | 'reference' | 'natural';

const pairedStates = new Set(['matched', 'matched_within_tolerance', 'matched_by_id', 'mismatched']);

/** Two records whose ids or references say that they are two. */
function contradict(left: Record_, right: Record_): boolean {
  const differ = (own: string | null, other: string | null): boolean =>
    own !== null && other !== null && own !== other;
  return differ(left.id, right.id) || differ(left.reference, right.reference);
}

function ties(here: HereRecord, there: ThereRecord, by: Tie): boolean {
  if (there.isLeftOut) return false;
  const [own, theirs] = [here[by], there[by]];
  if (own === null || own !== theirs) return false;
  return by !== 'natural' || !contradict(here, there);
}

function tiesAtAll(here: HereRecord, there: ThereRecord): boolean {
  return (['id', 'reference', 'natural'] as const).some((by) => ties(here, there, by));
}

/** One text of all that a record's own side says of it; equal ones cannot be distinguished. */
export function contentOf(plan: Plan, record: Record_): string {
  const { id, reference, values, day } = record;
  if (record.side === 'here')
    return JSON.stringify([id, reference, Object.entries(values).sort(), day, record.status]);
  const isTold = (field: string): boolean => (plan.has.fields ? !ownNames.has(field) : counted.has(field));
  const isRead = (field: string): boolean => field !== 'amount' || plan.amounts !== 'not_read';
  const told = Object.entries(values).filter(([field]) => isTold(field) && isRead(field));
  const date = plan.has.date ? day : null;
  return JSON.stringify([id, reference, told.sort(), date, record.group, record.isLeftOut]);
}

/** What an export has in its column of references. */
const ownNames = new Set(['external_id', 'client_reference']);

/** What an export of collections has in any case. */
const counted = new Set(['amount', 'currency']);

/** Records that agree in everything with one of their reference, and with none of their id: the reference is first. */
function deferredRecords(world: World, fields: readonly string[]): Set<Record_> {
  const { plan, here, there } = world;
  const open = there.filter(({ isLeftOut }) => !isLeftOut);
  const agree = (own: HereRecord, theirs: ThereRecord): boolean =>
    stateOfPair(plan, own, theirs, fields) !== 'mismatched';
  const isDeferred = (record: Record_, others: readonly (readonly [Record_, boolean])[]): boolean => {
    const byId = others.filter(([other]) => record.id !== null && record.id === other.id);
    const isBetter = ([other, doAgree]: readonly [Record_, boolean]): boolean =>
      doAgree && other.id === null && other.reference !== null && other.reference === record.reference;
    return byId.length > 0 && byId.every(([, doAgree]) => !doAgree) && others.some(isBetter);
  };
  return new Set<Record_>([
    ...here.filter((own) =>
      isDeferred(
        own,
        open.map((theirs) => [theirs, agree(own, theirs)]),
      ),
    ),
    ...open.filter((theirs) =>
      isDeferred(
        theirs,
        here.map((own) => [own, agree(own, theirs)]),
      ),
    ),
  ]);
}

/**
 * The pairs that are certain: level by level, a record here and one there, or copies of one, that no other record ties
 * with; of several, those that are equal in everything. The rest is left to the comparison.
 */
export function certainPairs(world: World): Map<HereRecord, ThereRecord> {
  const { plan, here, there } = world;
  const fields = comparedFields(plan, world);
  const pairs = new Map<HereRecord, ThereRecord>();
  const deferred = deferredRecords(world, fields);
  let [openHere, openThere] = [[...here], there.filter(({ group }) => group === null)];
  for (const [level, by] of (['id', 'reference', 'id', 'natural'] as const).entries()) {
    const isTold = (record: Record_): boolean => level > 0 || !deferred.has(record);
    const contested = new Set<Record_>();
    for (const own of openHere.filter(isTold)) {
      const candidates = openThere.filter((theirs) => isTold(theirs) && ties(own, theirs, by));
      for (const theirs of candidates) {
        const rivals = openHere.filter((other) => isTold(other) && ties(other, theirs, by));
        contested.add(own).add(theirs);
        const equal = candidates.filter(
          (each) => stateOfPair(plan, own, each, fields) === stateOfEqual(plan),
        );
        const best = equal.length > 0 ? equal : candidates;
        const areCopies = new Set(best.map((each) => contentOf(plan, each))).size === 1;
        if (best.includes(theirs) && areCopies && rivals.length === 1) pairs.set(own, theirs);
      }
    }
    openHere = openHere.filter((own) => !contested.has(own));
    openThere = openThere.filter((theirs) => !contested.has(theirs));
  }
  return pairs;
}

/**
 * What a pair of records that belong together is called. The day is compared like any other field, where the
 * export has one: of two records of a natural key, the one of our row's very day says everything that our row
 * says, and the other does not. To call both of them as good would be to call every customer's
 * payments of the same amount ambiguous, month after month.
 */
function stateOfPair(plan: Plan, here: HereRecord, there: ThereRecord, fields: readonly string[]): string {
  const exact =
    !contradict(here, there) &&
    (!plan.has.date || here.day === there.day) &&
    fields.every((field) => (here.values[field] ?? '') === (there.values[field] ?? ''));
  if (!exact) return 'mismatched';
  if (plan.kind !== 'collections') return 'matched';
  if (plan.amounts !== 'compared') return stateOfEqual(plan);
  return stateOfSums(plan, unitsOf(here), unitsOf(there));
}

/** What two records are called that agree in everything that is read of them. */
function stateOfEqual({ amounts }: Plan): string {
  return amounts === 'not_read' ? 'matched_by_id' : 'matched';
}

/** The state of two amounts, in the smallest unit that a world has. */
function stateOfSums({ tolerance }: Plan, own: bigint, theirs: bigint): string {
  const apart = own < theirs ? theirs - own : own - theirs;
  if (apart === 0n) return 'matched';
  return apart <= unitsIn(tolerance) ? 'matched_within_tolerance' : 'mismatched';
}

const unitsOf = ({ values }: Record_): bigint => unitsIn(values['amount'] ?? '0');

/** The fields that an export of the plan has, beside amount and currency. */
function comparedFields(plan: Plan, world: World): string[] {
  if (!plan.has.fields) return [];
  const special = ['amount', 'currency', 'external_id', 'client_reference'];
  const all = new Set(world.there.flatMap(({ values }) => Object.keys(values)));
  return [...all].filter((field) => !special.includes(field));
}

function coverageState({ covers }: Plan, day: string): string {
  if (covers === null || day < covers.from || day > covers.to) return 'not_covered';
  const lastCertain = Date.parse(covers.to) - covers.grace * 86_400_000;
  return Date.parse(day) > lastCertain ? 'expected' : 'missing_there';
}

/** No line states what the truth contradicts. */
function soundness(world: World, { lines, foundIds }: Found): Violation[] {
  const certain = certainPairs(world);
  const told: string[] = [];
  for (const line of lines) {
    const { state, here, there } = line;
    if (here === null || there === null) continue;
    const isGroup = line.line.sums !== null;
    if (pairedStates.has(state) && !isGroup && !isJustified(world, certain, here, there)) {
      told.push(`${state}: ${here.thing.label} with ${there.thing.label}`);
    }
    if (
      state.startsWith('duplicate') &&
      !isGroup &&
      line.line.repeats !== null &&
      (contradictsAll(line, world) || repeatsAnother(line, lines))
    ) {
      told.push(`${state}: ${here.thing.label} beside ${there.thing.label}`);
    }
  }
  for (const [row, id] of foundIds) {
    const own = world.here[row - 2];
    if (own !== undefined && own.thing.id !== id && certain.get(own)?.id !== id)
      told.push(`the id of another object is offered for ${own?.thing.label}`);
  }
  if (world.plan.amounts === 'not_read' && foundIds.size > 0)
    told.push('an id is offered although the amounts were not compared');
  return told.map((text) => ({ promise: 'soundness', told: text }));
}

/**
 * Whether a pair is right, or nothing on either side could show that it is wrong: as many records or more, all alike, on
 * one side as agree with them as well on the other.
 */
function isJustified(
  world: World,
  certain: ReadonlyMap<HereRecord, ThereRecord>,
  here: HereRecord,
  there: ThereRecord,
): boolean {
  if (here.thing.label === there.thing.label) return true;
  const its = certain.get(here);
  if (its !== undefined && contentOf(world.plan, its) === contentOf(world.plan, there)) return true;
  if (!tiesAtAll(here, there)) return false;
  const fields = comparedFields(world.plan, world);
  const degree = stateOfPair(world.plan, here, there, fields);
  const taken = new Set(certain.values());
  const areTaken = (own: HereRecord, other: ThereRecord): boolean =>
    certain.has(own) || isInGroup(world, own) || taken.has(other);
  const isAsGood = (own: HereRecord, other: ThereRecord): boolean =>
    tiesAtAll(own, other) && stateOfPair(world.plan, own, other, fields) === degree && !areTaken(own, other);
  const theirs = world.there.filter((other) => isAsGood(here, other));
  const ours = world.here.filter((other) => isAsGood(other, there));
  const areAlike = (records: readonly Record_[]): boolean =>
    new Set(records.map((record) => contentOf(world.plan, record))).size === 1;
  return (
    (areAlike(theirs) && ours.length <= theirs.length) || (areAlike(ours) && theirs.length <= ours.length)
  );
}

/** A repetition has to repeat a record that neither its id nor its reference contradicts. */
function contradictsAll({ line, here, there }: JudgedLine, world: World): boolean {
  const repeated = line.repeats === 'here' ? there : here;
  if (repeated === null) return false;
  const others: readonly Record_[] = repeated.side === 'there' ? world.here : world.there;
  return others.every(
    (other) =>
      contradict(repeated, other) &&
      !(repeated.reference !== null && repeated.reference === other.reference) &&
      !(repeated.id !== null && repeated.id === other.id),
  );
}

/** A repetition of a record whose own counterpart is another one, by every name that both have. */
function repeatsAnother({ line, here, there }: JudgedLine, lines: readonly JudgedLine[]): boolean {
  const isRepeatedThere = line.repeats === 'here';
  const [repeating, peer] = isRepeatedThere ? [there, here] : [here, there];
  const own = lines.find(
    (other) =>
      other.line.repeats === null && (isRepeatedThere ? other.here : other.there) === peer && peer !== null,
  );
  const counterpart = isRepeatedThere ? own?.there : own?.here;
  if (repeating === null || counterpart == null || own?.line.sums !== null) return false;
  const isShared = (left: string | null, right: string | null): boolean => left !== null && left === right;
  return (
    contradict(repeating, counterpart) &&
    !isShared(repeating.id, counterpart.id) &&
    !isShared(repeating.reference, counterpart.reference)
  );
}

function stateByRecord(lines: readonly JudgedLine[]): Map<Record_, JudgedLine> {
  const found = new Map<Record_, JudgedLine>();
  for (const line of lines) {
    if (line.here !== null && line.line.repeats !== 'here') found.set(line.here, line);
    if (line.there !== null && line.line.repeats !== 'there') found.set(line.there, line);
  }
  return found;
}

/** No certain tie is missed, and what has no counterpart is called what the coverage makes it. */
function completeness(world: World, found: Found): Violation[] {
  const { plan } = world;
  const lines = stateByRecord(found.lines);
  const compared = comparedFields(plan, world);
  const told: string[] = [];
  for (const [here, there] of certainPairs(world)) {
    if (isInGroup(world, here)) continue;
    const line = lines.get(here);
    const expected = stateOfPair(plan, here, there, compared);
    const isItsOwn = line?.there != null && contentOf(plan, line.there) === contentOf(plan, there);
    if (isItsOwn && line?.state === expected) continue;
    const fields = (line?.line.differences ?? []).map(({ field }) => field).join(', ');
    told.push(`${here.thing.label} is ${line?.state} (${fields}), and ${expected} with its own record`);
  }
  for (const here of world.here) {
    const line = lines.get(here);
    const expected = groupState(world, here) ?? aloneState(world, here);
    if (expected === null || line === undefined || expected.includes(line.state)) continue;
    told.push(`${here.thing.label} is ${line.state}, and ${expected.join(' or ')}`);
  }
  for (const there of world.there) {
    const line = lines.get(there);
    if (line === undefined || there.isLeftOut || there.group !== null) continue;
    if (world.here.some((own) => isNamedLike(own, there))) continue;
    if (!['unknown_here', 'not_covered', 'proposed'].includes(line.state)) {
      told.push(`${there.thing.label} is ${line.state}, and ours does not know it`);
    }
  }
  return told.map((text) => ({ promise: 'completeness', told: text }));
}

function isNamedLike(here: HereRecord, there: ThereRecord): boolean {
  const same = (own: string | null, theirs: string | null): boolean => own !== null && own === theirs;
  return same(here.id, there.id) || same(here.reference, there.reference) || ties(here, there, 'natural');
}

function isInGroup({ there }: World, here: HereRecord): boolean {
  return here.reference !== null && there.some(({ group }) => group === here.reference);
}

/** A group is matched when its parts add up, whatever it consists of. Null where another record competes. */
function groupState(world: World, here: HereRecord): string[] | null {
  const { plan, there } = world;
  const members = there.filter(({ group }) => group !== null && group === here.reference);
  if (members.length === 0) return null;
  if (there.some((theirs) => theirs.group === null && isNamedLike(here, theirs) && !theirs.isLeftOut))
    return null;
  if (plan.amounts !== 'compared') return [stateOfEqual(plan)];
  const sum = members.reduce((units, member) => units + unitsOf(member), 0n);
  return [stateOfSums(plan, unitsOf(here), sum)];
}

/** The states of a row that matches nothing there; null where something matches. */
function aloneState({ plan, there }: World, here: HereRecord): string[] | null {
  if (there.some((theirs) => !theirs.isLeftOut && isNamedLike(here, theirs))) return null;
  const leftOut = there.some((theirs) => {
    const counted = {
      ...theirs,
      isLeftOut: false,
      natural: plan.kind === 'collections' ? null : theirs.natural,
    };
    return theirs.isLeftOut && isNamedLike(here, counted);
  });
  return leftOut ? ['left_out'] : [coverageState(plan, here.day), 'proposed'];
}

/** Every record is in one line, and the states' records add up. */
function conservation(world: World, found: Found): Violation[] {
  const compared = world.there.filter(({ isLeftOut }) => !isLeftOut);
  const told: string[] = [];
  const used: Record_[] = found.lines.flatMap(({ here, there, line }) => [
    ...(here !== null && line.repeats !== 'here' ? [here] : []),
    ...(there !== null && line.repeats !== 'there' ? [there] : []),
  ]);
  if (used.length !== world.here.length + compared.length || new Set(used).size !== used.length) {
    told.push(`${used.length} records stand in the lines, ${world.here.length + compared.length} were given`);
  }
  const counted = found.states.reduce((sum, { records }) => sum + records, 0);
  if (counted !== used.length) told.push(`the states add up to ${counted} records, and not ${used.length}`);
  return told.map((text) => ({ promise: 'conservation', told: text }));
}

/** Every promise that a comparison of this world breaks. */
export function judge(world: World, found: Found): Violation[] {
  return [...soundness(world, found), ...completeness(world, found), ...conservation(world, found)];
}

/** What became of each record, by what it says, for comparing two comparisons of one world. */
export function verdictsOf(plan: Plan, { lines }: Found): string[] {
  const texts = [...stateByRecord(lines)].map(([record, { state, here, there, line }]) => {
    const isPair = pairedStates.has(state) && line.sums === null && here !== null && there !== null;
    const partner = isPair ? contentOf(plan, record.side === 'here' ? there : here) : '';
    return `${record.side} ${contentOf(plan, record)} ${state} ${partner}`;
  });
  return texts.sort();
}
