/* Reads a layout's file of one month, and what is made of the next one: in memory, without a ledger. */

import { readSettings } from '../../../src/call/settings.ts';
import { judgeInputTable } from '../../../src/check/judging.ts';
import type { EarlierProfile, LayoutProfile } from '../../../src/domain/batches/last-time.ts';
import { PaybatchError } from '../../../src/domain/failures/paybatch-error.ts';
import type { StagedRow } from '../../../src/domain/rows/ledger-row.ts';
import { createInstitutionList } from '../../../src/kinds/institutions/directory.ts';
import { openInputs } from '../../../src/read/sources/inputs.ts';
import { headerKeyOf } from '../../../src/read/sources/remembered-mappings.ts';
import { type DriftResult, driftIn } from '../../../src/watch/drift/drift-watch.ts';
import { temporaryFile } from '../../read/reading.ts';
import { fakeReferences } from '../../send/fakes.ts';
import { createRandom } from '../../simulation/random.ts';
import { type ChangeName, changes } from './changes.ts';
import { type Country, countries, type Layout } from './layouts.ts';
import {
  csvText,
  fileOf,
  firstPeople,
  type HonestHabit,
  honestFile,
  honestHabits,
  type MonthFile,
  nextPeople,
} from './months.ts';

/** What became of a file. */
export interface Outcome {
  readonly result: DriftResult | null;
  /** The code of the refusal; null where the file is sent. */
  readonly refused: string | null;
  readonly message: string;
  /** Numbers of the rows that would be sent. */
  readonly sent: ReadonlySet<number>;
  readonly rows: readonly StagedRow[];
}

const { app, context } = (() => {
  const settings = readSettings({});
  const clock = { now: () => new Date('2026-11-21T08:00:00Z') };
  const interrupted = new AbortController().signal;
  return { app: { settings }, context: { settings, clock, interrupted } };
})();

/** Reads a file with the mapping that is remembered for its layout, beside earlier files of it. */
export async function readMonth(file: MonthFile, earlier: readonly Read[]): Promise<Outcome> {
  const { layout } = file;
  const header = layout.columns.map(([title]) => title);
  const remembered = {
    ...{ header, headerKey: headerKeyOf(header), name: layout.name, kind: layout.kind },
    mapping: JSON.stringify(layout.mapping),
  };
  const path = temporaryFile('list.csv', csvText(file));
  const findOriginalBatch = async (): Promise<undefined> => undefined;
  const rows: StagedRow[] = [];
  let result: DriftResult | null = null;
  const outcome = (refusal: PaybatchError | null): Outcome => ({
    result,
    refused: refusal?.code ?? null,
    message: refusal?.message ?? '',
    sent: new Set(
      refusal === null ? rows.filter(({ state }) => state === 'staged').map(({ row }) => row) : [],
    ),
    rows,
  });
  try {
    const { settings } = app;
    const inputs = await openInputs([path], {
      settings,
      rules: {},
      remembered: [remembered],
      findOriginalBatch,
    });
    try {
      for (const inputTable of inputs.inputTables) {
        const judging = {
          references: fakeReferences(),
          directory: directoryOf(layout),
          corrections: { findOriginalBatch, findEarlierRows: async () => new Map() },
          findDrift: driftIn(portOf(earlier), 1),
          onDrift: (found: DriftResult): void => {
            result = found;
          },
        };
        // Nothing else of a call is needed to judge rows.
        const call = context as unknown as Parameters<typeof judgeInputTable>[0];
        for await (const group of judgeInputTable(call, judging, inputTable)) rows.push(...group);
      }
    } finally {
      await inputs.close();
    }
    return outcome(null);
  } catch (error) {
    if (error instanceof PaybatchError) return outcome(error);
    throw error;
  }
}

/** An earlier file that was imported. */
export interface Read {
  readonly profile: LayoutProfile;
  readonly rows: readonly StagedRow[];
}

function portOf(earlier: readonly Read[]): Parameters<typeof driftIn>[0] {
  return {
    findEarlierProfiles: async () =>
      earlier.map(({ profile }, at): EarlierProfile => ({ batch: String(at), profile })),
    findEarlierRows: async (batch, rows) =>
      new Map(
        rows.flatMap((row) => {
          const cells = earlier[Number(batch)]?.rows.find((each) => each.row === row)?.cells;
          return cells === undefined ? [] : [[row, { row, cells, findings: [], confirmed: new Map() }]];
        }),
      ),
  };
}

function directoryOf({ country }: Layout) {
  const { code, currency, banks }: Country = countries[country];
  const names = [...banks, 'M-PESA', 'MTN Mobile Money'];
  const list = createInstitutionList(
    code,
    names.map((name, at) => ({
      ...{ id: String(at), name, country: code, currency, minAmount: '1', maxAmount: '900000000' },
      accountNumberType: at < banks.length ? 'bank_account_number' : 'phone_number',
    })),
    true,
  );
  return { list: async () => list };
}

/** How a changed file was met. */
export type Verdict =
  /** Nothing of it is sent. */
  | 'stopped'
  /** Its wrong rows are refused, and the others are sent. */
  | 'rows refused'
  /** Wrong rows are sent, and a difference is named. */
  | 'sent with a word'
  | 'sent wrong';

interface Month {
  readonly file: MonthFile;
  readonly first: Read;
  readonly outcome: Outcome;
}

/** Imports a first month of a layout, and reads the next one. */
async function monthAfter(
  layout: Layout,
  seed: number,
  next: (random: ReturnType<typeof createRandom>, people: ReturnType<typeof firstPeople>) => MonthFile,
): Promise<Month> {
  const random = createRandom(seed);
  const people = firstPeople(layout, random);
  const before = await readMonth(fileOf(layout, people, 10), []);
  if (before.result === null || before.sent.size < 0.95 * people.length) {
    const why = before.rows.flatMap(({ findings }) => findings).slice(0, 3);
    throw new Error(`${layout.name}, seed ${seed}: ${before.message} ${JSON.stringify(why)}`);
  }
  const first = { profile: before.result.profile, rows: before.rows };
  const file = next(random, people);
  return { file, first, outcome: await readMonth(file, [first]) };
}

/** The next month of a layout with a change; null where the change does not concern the layout. */
export async function changedMonth(
  layout: Layout,
  change: ChangeName,
  seed: number,
): Promise<(Month & { readonly verdict: Verdict }) | null> {
  const wrong: (readonly number[] | null)[] = [];
  const month = await monthAfter(layout, seed, (random, people) => {
    const file = fileOf(layout, nextPeople(layout, people, random, 'nothing'), 11);
    wrong.push(changes[change](file, random));
    return file;
  });
  const { outcome } = month;
  const places = wrong[0] ?? null;
  if (places === null) return null;
  if (outcome.refused !== null) return { ...month, verdict: 'stopped' };
  const isSent = places.some((place) => outcome.sent.has(place + 2));
  if (!isSent) return { ...month, verdict: 'rows refused' };
  const isNamed = (outcome.result?.drift.length ?? 0) > 0;
  return { ...month, verdict: isNamed ? 'sent with a word' : 'sent wrong' };
}

/** The next honest month of a layout. */
export function honestMonth(layout: Layout, habit: HonestHabit, seed: number): Promise<Month> {
  return monthAfter(layout, seed, (random, people) =>
    honestFile(layout, nextPeople(layout, people, random, habit), 11, random, habit),
  );
}

/** The habit of an honest month, in turn: most months have nothing out of the ordinary. */
export function habitOf(number: number): HonestHabit {
  return honestHabits[number % honestHabits.length] ?? 'nothing';
}
