import type { verdicts as resolveVerdicts } from '../../engine/resolve.ts';
import type { ArgumentDefinition, CommandDefinition } from '../command/command.ts';

/* The arguments of several commands. */

/** The argument that names a batch. */
export const batch: ArgumentDefinition = {
  name: 'batch',
  description: 'A batch id, or 4 or more of its first characters',
};

export const files: ArgumentDefinition = {
  name: 'file',
  description: 'Paths; - is standard input',
  isRequired: true,
  isList: true,
};

const verdicts: readonly (typeof resolveVerdicts)[number][] = ['created', 'not-created', 'existing', 'send'];

/** The commands for looking at batches, and for a person's decisions. */
export const batchCommands: readonly CommandDefinition[] = [
  {
    name: 'resolve',
    description: "Record a person's verdicts on held and unknown rows; nothing is sent",
    arguments: [{ ...batch, isRequired: true }],
    options: [
      {
        name: 'row',
        type: 'string',
        valueName: 'N',
        description: "The row's number, as a spreadsheet program shows it",
      },
      {
        name: 'as',
        type: 'string',
        choices: verdicts,
        description: 'The verdict: what became of the row, or what to do',
      },
      { name: 'id', type: 'string', valueName: 'ID', description: "The object's id at the API" },
      {
        name: 'attempts',
        type: 'string',
        valueName: 'N',
        description: 'How many requests of the row you know of; needed if there was more than one',
      },
      {
        name: 'note',
        type: 'string',
        valueName: 'TEXT',
        description: 'The reason, kept in the ledger with the verdict',
      },
      {
        name: 'file',
        type: 'string',
        valueName: 'FILE',
        description: 'Verdicts on many rows: the filled-in verdicts.csv',
      },
      {
        name: 'where',
        type: 'string',
        valueName: 'CONDITIONS',
        description: 'One verdict for all rows that meet them: status, code, column = value, joined by "and"',
      },
      {
        name: 'selection',
        type: 'string',
        valueName: 'HASH',
        description: 'Agree to exactly the rows that --where has shown under this hash',
      },
    ],
    oftenNeeded: ['ledgerDir', 'out', 'yes'],
    examples: [
      {
        line: 'paybatch resolve 961a3f1c --row 12 --as not-created --note "not in their list"',
        purpose: 'One row; the next run sends it again',
      },
      {
        line: 'paybatch resolve 961a3f1c --file results/recipients.961a3f1c.verdicts.csv',
        purpose: 'Many: the file that reconcile wrote, filled in',
      },
    ],
  },
  {
    name: 'close',
    description: 'Close a batch: no run sends any more of it, and what was never sent stays unsent',
    arguments: [{ ...batch, isRequired: true }],
    options: [
      {
        name: 'note',
        type: 'string',
        valueName: 'TEXT',
        description: 'Why, kept in the ledger; needed',
      },
    ],
    oftenNeeded: ['ledgerDir', 'out', 'json'],
    examples: [
      { line: 'paybatch close 961a3f1c --note "wrong month"', purpose: 'Nothing of it is to be sent' },
      {
        line: 'paybatch close 961a3f1c --note "account closed" --json',
        purpose: 'As one JSON object, with the number of rows',
      },
    ],
  },
  {
    name: 'approve',
    description: 'Look at the plan of a batch that waits for approval, and sign it; nothing is sent',
    arguments: [{ ...batch, isRequired: true }],
    options: [
      {
        name: 'plan-hash',
        type: 'string',
        valueName: 'HASH',
        description: 'Approve the plan of this hash; without it the plan is only shown',
      },
      {
        name: 'note',
        type: 'string',
        valueName: 'TEXT',
        description: 'Kept with the signature',
      },
      {
        name: 'report',
        type: 'string',
        valueName: 'FILE',
        description: 'Write what is approved as a page: totals, changes, rows that are not sent',
      },
    ],
    oftenNeeded: ['json'],
    examples: [
      {
        line: 'paybatch approve 961a3f1c --report plan.html',
        purpose: 'Look at it; nothing is signed',
      },
      {
        line: 'paybatch approve 961a3f1c --plan-hash 5c1e...',
        purpose: 'Sign it with the key of PAYBATCH_USER_KEY_FILE',
      },
    ],
  },
  {
    name: 'reject',
    description: 'Reject the plan of a batch: approvals that were given before do not count any more',
    arguments: [{ ...batch, isRequired: true }],
    options: [
      {
        name: 'note',
        type: 'string',
        valueName: 'TEXT',
        description: 'Why, kept with the signature; needed',
      },
    ],
    oftenNeeded: ['json'],
    examples: [
      {
        line: 'paybatch reject 961a3f1c --note "ask Acme about row 12"',
        purpose: 'Sign it with the key of PAYBATCH_USER_KEY_FILE',
      },
      {
        line: 'paybatch reject 961a3f1c --note "wrong month" --json',
        purpose: 'As one JSON object',
      },
    ],
  },
  {
    name: 'reconcile',
    description:
      'Account for every row; compare with exports of the other side, or two files with each other',
    arguments: [
      batch,
      { name: 'export', description: 'More export files, after the first of --against', isList: true },
    ],
    options: [
      {
        name: 'against',
        type: 'list',
        valueName: 'FILE',
        description: "The other side's export files: CSV or workbooks",
      },
      {
        name: 'left',
        type: 'list',
        valueName: 'FILE',
        description: 'Compare two files without a ledger: ours',
      },
      {
        name: 'right',
        type: 'list',
        valueName: 'FILE',
        description: 'Compare two files without a ledger: theirs',
      },
      {
        name: 'covers-from',
        type: 'string',
        valueName: 'DATE',
        description: 'First UTC day that the export covers completely',
      },
      {
        name: 'covers-to',
        type: 'string',
        valueName: 'DATE',
        description: 'Last UTC day that the export covers completely',
      },
      {
        name: 'grace-days',
        type: 'string',
        valueName: 'N',
        shownDefault: '0',
        description: 'How many of the last covered days may be incomplete',
      },
      {
        name: 'tolerance',
        type: 'list',
        valueName: 'AMOUNT|P%',
        shownDefault: '0',
        description: 'How far amounts may differ: 0.01 or 0.5%',
      },
      {
        name: 'tolerance-days',
        type: 'string',
        valueName: 'N',
        shownDefault: '0',
        description: 'How many days dates may differ',
      },
      {
        name: 'compare',
        type: 'list',
        valueName: 'FIELDS',
        shownDefault: 'every field that both sides have',
        description: 'What is compared, such as id,reference,amount; without amount, amounts do not matter',
      },
      {
        name: 'source',
        type: 'string',
        valueName: 'FILE',
        description: 'The imported file, when it is not in this folder',
      },
      {
        name: 'source-mapping',
        type: 'string',
        valueName: 'FILE',
        description: 'The mapping that it was imported with',
      },
      {
        name: 'replay',
        type: 'boolean',
        description: 'Send unknown rows again under their own keys, and created ones for facts that are lost',
      },
      {
        name: 'accept',
        type: 'list',
        valueName: 'KINDS',
        description:
          'Accept the differences of these kinds, such as mismatched: they are listed, and no difference any more',
      },
      { name: 'note', type: 'string', valueName: 'TEXT', description: 'Why they are accepted; needed' },
      {
        name: 'selection',
        type: 'string',
        valueName: 'HASH',
        description: 'Agree to exactly the differences that --accept has shown under this hash',
      },
    ],
    oftenNeeded: ['mapping', 'out'],
    examples: [
      {
        line: 'paybatch reconcile 961a3f1c --against export.csv',
        purpose: 'Every row, compared with the export',
      },
      {
        line: 'paybatch reconcile --left ours.csv --right theirs.csv',
        purpose: 'Two files, without a ledger',
      },
    ],
  },
  {
    name: 'results',
    description: 'Write the result files of a batch again from the ledger',
    arguments: [{ ...batch, isRequired: true }],
    options: [],
    oftenNeeded: ['ledgerDir', 'out'],
    examples: [
      { line: 'paybatch results 961a3f1c', purpose: 'The same files, byte for byte' },
      { line: 'paybatch results 961a3f1c --out /srv/handed-over', purpose: 'In another folder' },
    ],
  },
  {
    name: 'status',
    description: 'List the batches, show one with its runs, or show the whole history of a row',
    arguments: [batch],
    options: [
      {
        name: 'row',
        type: 'string',
        valueName: 'N',
        description: 'The whole history of this row: its number, as a spreadsheet program shows it',
      },
    ],
    oftenNeeded: ['ledgerDir', 'keyLifetime', 'json'],
    examples: [
      { line: 'paybatch status', purpose: 'All batches, and what needs a person' },
      {
        line: 'paybatch status 961a3f1c --row 12',
        purpose: 'Every request of a row, its answer, and every verdict',
      },
    ],
  },
];
