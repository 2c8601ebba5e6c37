/*
 * The result of a reconciliation, as data. The ledger stores it, and every output is generated from it. The types follow
 * from the schema, which is also the schema of the output for programs.
 */

import * as z from 'zod';
import { missingFactsReasons } from '../rows/result-row.ts';
import { differenceKinds, matchStates, resultStatuses, rowStates } from '../rows/row-state.ts';

/** The form of a comparison of two files without a ledger. */
export { comparisonSchema };

/**
 * The state of the amounts: compared; one side has none; a person has stated that they do not matter; or both sides have
 * amounts, but it is not stated which column of the other side contains them.
 */
const amountComparisons = ['compared', 'not_there', 'not_wanted', 'not_read'] as const;

export type AmountComparison = (typeof amountComparisons)[number];

/** How the meaning of an export's column was determined: from its title, from a mapping, or from its values. */
const columnSources = ['title', 'mapping', 'values'] as const;

export type ColumnSource = (typeof columnSources)[number];

const count = z.int().nonnegative();
const rowNumbers = z.array(count);
const sideName = z.enum(['here', 'there']);
const currencySum = z.object({ currency: z.string(), rows: count, amount: z.string() });
const sums = z.array(currencySum);

const source = z.object({
  rows: count,
  missingRows: rowNumbers.meta({ description: 'The first rows of the file that the ledger does not have' }),
  additionalRows: rowNumbers.meta({ description: 'The first rows that only the ledger has' }),
  differingRows: rowNumbers.meta({ description: 'The first rows whose cells are others' }),
  repeated: z.object({ rows: count, sums }).meta({
    description: 'Rows that repeat another row exactly: they stand for one object, which counts once',
  }),
  sums: sums.meta({ description: 'Of all rows that are neither invalid nor repeated' }),
  isEqual: z.boolean(),
});

const echoes = z.object({
  checked: count,
  unchecked: count.meta({ description: 'Rows without a kept answer, or whose answer repeats nothing' }),
  partly: count.meta({ description: 'Rows whose answer leaves some fields out' }),
  differing: count,
  differences: z.array(z.object({ row: count, objectId: z.string(), fields: z.array(z.string()) })),
});

/**
 * `natural_key`: one natural key has two ids. `unrecorded`: an object was created for a row that does not record it.
 */
const contradiction = z.object({
  kind: z.enum(['natural_key', 'unrecorded']),
  objectIds: z.array(z.string()),
  rows: z.array(z.object({ batch: z.string(), row: count })),
});

const accountSchema = z.object({
  rows: count,
  counts: z.partialRecord(z.enum(resultStatuses), count),
  isComplete: z.boolean().meta({ description: 'Whether every row that came in is accounted for' }),
  sums: sums.meta({ description: 'Of the rows that are neither invalid nor repeat another one' }),
  leftOut: z.object({ invalid: sums, repeated: sums }).meta({ description: 'What the others would add' }),
  source: source
    .nullable()
    .meta({ description: 'The file that was imported; null when it was not there to compare' }),
  echoes,
  contradictions: z.array(contradiction),
});

const side = z.object({
  records: count,
  repeated: z
    .object({ records: count, sums })
    .meta({ description: 'Copies with the same content in several of its files, which count once' }),
  leftOut: z
    .array(z.object({ reason: z.string(), records: count }))
    .meta({ description: 'Records that its mapping leaves out, by reason' }),
  sums,
  firstDay: z.string().nullable(),
  lastDay: z.string().nullable(),
});

const readColumn = z.object({
  side: sideName,
  file: z.string(),
  title: z.string(),
  as: z.string().meta({ description: 'id, reference, amount, currency, date, ..., or a field' }),
  by: z.enum(columnSources),
});

const unreadColumn = z.object({
  side: sideName,
  file: z.string(),
  title: z.string(),
  hasAmounts: z.boolean().meta({ description: 'Whether at least 90 % of its filled cells are amounts' }),
});

const stateSum = z.object({
  side: sideName,
  state: z.enum(matchStates).meta({
    description:
      'matched_by_id: both sides have amounts, which were not compared; the setting compare, or "compare" in the mapping, says that they do not matter',
  }),
  isDifference: z.boolean().meta({
    description: 'Of matched records: whether our row still needs a verdict; they are counted apart',
  }),
  records: count,
  sums,
});

const comparisonSchema = z
  .object({
    hereName: z.string(),
    thereName: z.string(),
    compared: z.array(z.string()).meta({ description: 'What both sides have, and is compared' }),
    amounts: z.enum(amountComparisons).meta({ description: 'Whether amounts were compared, else why not' }),
    columns: z.array(readColumn).meta({ description: 'What the columns of the files were read as' }),
    unread: z
      .array(unreadColumn)
      .meta({ description: 'Columns with something in them of which nothing was read' }),
    onlyInSome: z
      .array(z.string())
      .meta({ description: 'What was not compared, since some of the files do not have it' }),
    remarks: z.array(z.string()),
    isCoverageDeclared: z
      .boolean()
      .meta({ description: 'Whether the settings coversFrom or coversTo say which days are judged' }),
    breakCount: count.meta({ description: 'Differences that nobody has accepted' }),
    here: side,
    there: side,
    states: z.array(stateSum),
  })
  .meta({ description: 'Of our rows (here) with the records of the other side (there)' });

/** Whether an object existed before its request was sent again. */
export const origins = ['existed_before', 'created_by_replay', 'not_known'] as const;

const replayedRow = z.object({
  row: count,
  state: z.enum(rowStates),
  objectId: z.string().nullable(),
  origin: z.enum(origins).nullable(),
});

/** The form in which a reconciliation is stored. */
export const reconciliationSchema = z.object({
  account: accountSchema,
  doubts: count.meta({ description: "Rows that wait for a person's verdict" }),
  replayed: z.array(replayedRow).meta({ description: 'The first 1,000 rows that were sent again' }),
  replayedRows: count.meta({ description: 'How many there are' }),
  facts: z
    .object({
      filled: count,
      missing: z.array(z.object({ reason: z.enum(missingFactsReasons), rows: count })),
    })
    .meta({
      description:
        'Created rows that were sent again for what was answered about their objects, and is not there',
    }),
  comparison: comparisonSchema.nullable().meta({ description: 'Null where nothing was compared' }),
  accepted: z
    .array(
      z.object({
        kind: z.enum(differenceKinds),
        count,
        by: z.string(),
        at: z.string(),
        note: z.string(),
      }),
    )
    .meta({ description: 'Differences that a person has accepted, by kind and decision' }),
});

/** Makes all parts read-only, because a result does not change. */
type Found<Value> = Value extends (infer Item)[]
  ? readonly Found<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Found<Value[Name]> }
    : Value;

/** The result of a reconciliation. */
export type ReconciliationFigures = Found<z.infer<typeof reconciliationSchema>>;

/** The state of every row of a batch, and the contradictions to it. */
export type Account = ReconciliationFigures['account'];

/** The differences between the ledger's rows and a second reading of the source file. */
export type SourceComparison = NonNullable<Account['source']>;

/** The result of comparing the fields that answers repeat, over all created rows. */
export type EchoAccount = Account['echoes'];

/** Rows that contradict each other about one object. */
export type Contradiction = Account['contradictions'][number];

/** The result of a replay for one row; the origin is null while no answer has confirmed the object. */
export type RowOrigin = ReconciliationFigures['replayed'][number];

/** The result of a comparison, state by state. */
export type ComparisonFigures = NonNullable<ReconciliationFigures['comparison']>;

/** The content of one side of a comparison. */
export type ComparedSide = ComparisonFigures['here'];

/** Records and sums of one side in one state. */
export type StateSum = ComparisonFigures['states'][number];
