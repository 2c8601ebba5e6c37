/* The list of all commands, and the options that each one takes. */

import type { CommandDefinition } from '../command/command.ts';
import { configOption, type OptionDefinition, sharedOptions } from '../options/option-definitions.ts';
import { batch, batchCommands, files } from './looking.ts';
import { setUpCommands } from './set-up.ts';

const planHash: OptionDefinition = {
  name: 'plan-hash',
  type: 'string',
  valueName: 'HASH',
  description: 'Send only if the rows are still those of the plan with this hash',
};

/** From a file to the API. */
const sendingCommands: readonly CommandDefinition[] = [
  {
    name: 'import',
    description: 'Check, stage and send files, and write the results; run it again to continue',
    arguments: [files],
    options: [planHash],
    oftenNeeded: ['localSandbox', 'mode', 'baseUrl', 'kind', 'mapping', 'hidden', 'maxInvalid', 'yes', 'out'],
    examples: [
      { line: 'paybatch import customers.csv --local-sandbox', purpose: 'Try it; nothing real is touched' },
      {
        line: 'paybatch import customers.csv recipients.xlsx --base-url https://api.example.com --mode live',
        purpose: 'Several files; customers are sent before recipients',
      },
    ],
  },
  {
    name: 'validate',
    description: 'Check files without sending or staging anything; list and write the findings',
    arguments: [files],
    options: [],
    oftenNeeded: ['localSandbox', 'baseUrl', 'kind', 'mapping', 'hidden', 'rules', 'out'],
    examples: [
      { line: 'paybatch validate customers.csv', purpose: 'Findings on the terminal and in results/' },
      {
        line: 'paybatch validate recipients.csv --local-sandbox',
        purpose: 'Rows that name an institution need an API to look it up',
      },
    ],
  },
  {
    name: 'plan',
    description: 'Check and stage files, and show what would be sent, with totals and a plan hash',
    arguments: [files],
    options: [],
    oftenNeeded: ['localSandbox', 'mode', 'baseUrl', 'kind', 'mapping', 'hidden'],
    examples: [
      { line: 'paybatch plan customers.csv --local-sandbox', purpose: 'What would be sent, and its hash' },
      {
        line: 'paybatch plan recipients.csv --base-url https://api.example.com --mode live',
        purpose: 'Another person can check the plan and submit exactly this',
      },
    ],
  },
  {
    name: 'submit',
    description: 'Send a planned batch; with --plan-hash only what was planned',
    arguments: [{ ...batch, isRequired: true }],
    options: [planHash],
    oftenNeeded: ['localSandbox', 'mode', 'baseUrl', 'yes', 'rate', 'concurrency'],
    examples: [
      { line: 'paybatch submit 961a3f1c --local-sandbox', purpose: 'Send what was planned' },
      {
        line: 'paybatch submit 961a3f1c --plan-hash 5b1e --mode live --base-url https://api.example.com',
        purpose: 'Only if the plan still has that hash',
      },
    ],
  },
  {
    name: 'resume',
    description: 'Continue an interrupted batch (default: the newest unfinished import)',
    arguments: [batch],
    options: [
      {
        name: 'join',
        type: 'boolean',
        description: 'Work on the batch beside other runs, on this or other machines (PostgreSQL server)',
      },
    ],
    oftenNeeded: ['localSandbox', 'mode', 'baseUrl', 'yes', 'keyLifetime', 'refusedAlike'],
    examples: [
      { line: 'paybatch resume --local-sandbox', purpose: 'The newest unfinished import, all of its files' },
      {
        line: 'paybatch resume 961a3f1c --join --base-url https://api.example.com --mode live --yes',
        purpose: 'On another machine, beside the run that is under way',
      },
    ],
  },
  {
    name: 'retry',
    description: "Send a batch's rejected rows again, under new keys, and its waiting rows",
    arguments: [{ ...batch, isRequired: true }],
    options: [],
    oftenNeeded: ['localSandbox', 'mode', 'baseUrl', 'yes'],
    examples: [
      { line: 'paybatch retry 961a3f1c --local-sandbox', purpose: 'Once the cause of the refusals is gone' },
      {
        line: 'paybatch retry 961a3f1c --base-url https://api.example.com --mode live --yes',
        purpose: 'From a script, without a question before sending',
      },
    ],
  },
];

/** The commands about users, and about what a batch needs before it is sent. */
const controlCommands: readonly CommandDefinition[] = [
  {
    name: 'policy',
    description: 'Show, propose, approve, reject or waive what batches need before they are sent',
    arguments: [
      {
        name: 'action',
        description: 'show, set, approve, reject or waive',
        isRequired: true,
        choices: ['show', 'set', 'approve', 'reject', 'waive'],
      },
      { name: 'file', description: 'For set: the policy, JSON. For approve and reject: the version' },
    ],
    options: [
      {
        name: 'note',
        type: 'string',
        valueName: 'TEXT',
        description:
          'The reason; a rejection needs one, and a waiver of the policy of a ledger that was lost',
      },
    ],
    oftenNeeded: ['ledgerDir'],
    examples: [
      { line: 'paybatch policy set policy.json', purpose: 'The first one is in force at once' },
      { line: 'paybatch policy approve 2', purpose: 'As the approver of PAYBATCH_USER_KEY_FILE' },
    ],
  },
  {
    name: 'halt',
    description: 'Stop everything: no run on any host begins another request; --lift lifts that',
    arguments: [],
    options: [
      {
        name: 'note',
        type: 'string',
        valueName: 'TEXT',
        description: 'Stop everything, for this reason; without it, say how it stands',
      },
      {
        name: 'lift',
        type: 'boolean',
        description: 'Lift the stop; it needs what a change of the policy needs',
      },
    ],
    oftenNeeded: ['ledgerDir', 'json'],
    examples: [
      { line: 'paybatch halt --note "wrong accounts in the payroll"', purpose: 'Runs end with exit 8' },
      { line: 'paybatch halt --lift', purpose: 'Runs send again' },
    ],
  },
  {
    name: 'disown',
    description: 'Take back what was created live with a sandbox key; its rows are sent again, nothing now',
    arguments: [
      {
        name: 'fingerprint',
        description: 'Of the key that was no live key, as doctor, status and the report show it',
        isRequired: true,
      },
    ],
    options: [
      {
        name: 'note',
        type: 'string',
        valueName: 'TEXT',
        description: 'How that was found, kept in the ledger; needed',
      },
    ],
    oftenNeeded: ['yes', 'out', 'json'],
    examples: [
      {
        line: 'paybatch disown 53f9a4024904b814 --note "the dashboard has another live key"',
        purpose: 'Lists batches, rows and sums, and asks',
      },
      { line: 'paybatch resume 961a3f1c --mode live', purpose: 'Then, with the right key: sends the rows' },
    ],
  },
  {
    name: 'user',
    description: 'Add, list, approve, reject, lock or invite people with a key of their own; replace a key',
    arguments: [
      {
        name: 'action',
        description: 'list, add, approve, reject, lock, rotate or invite',
        isRequired: true,
        choices: ['list', 'add', 'approve', 'reject', 'lock', 'rotate', 'invite'],
      },
      { name: 'name', description: "The user's name, in small letters" },
    ],
    options: [
      {
        name: 'role',
        type: 'string',
        choices: ['maker', 'approver', 'admin'],
        description: 'For add: what the user may do',
      },
      {
        name: 'key-file',
        type: 'string',
        valueName: 'FILE',
        shownDefault: 'NAME.key in this folder',
        description: 'For add: where the private key is written',
      },
      {
        name: 'passphrase-file',
        type: 'string',
        valueName: 'FILE',
        description: 'For add and rotate: the passphrase of the new key, instead of asking for it',
      },
      {
        name: 'public-origin',
        type: 'string',
        valueName: 'URL',
        shownDefault: 'http://127.0.0.1:8080',
        description: 'For invite: address of the console, for which a link to set a password is made',
      },
      { name: 'note', type: 'string', valueName: 'TEXT', description: 'The reason; a rejection needs one' },
    ],
    oftenNeeded: ['ledgerDir'],
    examples: [
      { line: 'paybatch user add ada --role approver', purpose: 'Writes ada.key, for ada alone' },
      { line: 'paybatch user invite ada', purpose: 'A link with which ada sets a password for the console' },
    ],
  },
];

/* The definition of the command that shows whether the audit trail was tampered with. */

const auditCommands: readonly CommandDefinition[] = [
  {
    name: 'audit',
    description:
      'Verify the audit trail, or export it: who did what, in chains of hashes that show tampering',
    arguments: [
      {
        name: 'what',
        description: 'verify recomputes every hash and names what does not fit; export writes JSON lines',
        isRequired: true,
        choices: ['verify', 'export'],
      },
      {
        name: 'batch',
        description:
          'A batch id, or 4 or more of its first characters; controls: users, keys and policies; all when absent',
      },
    ],
    options: [
      {
        name: 'head',
        type: 'string',
        valueName: 'HASH',
        description: 'verify: an event that has to be there, as a report, a run log or --json named it',
      },
      {
        name: 'log',
        type: 'list',
        valueName: 'FILE',
        description: 'verify: a run log that was kept elsewhere; those in --out are read as well',
      },
      {
        name: 'to',
        type: 'string',
        valueName: 'FILE',
        shownDefault: 'standard output',
        description: 'export: where it is written, replacing the file',
      },
    ],
    oftenNeeded: ['ledgerDir', 'out'],
    examples: [
      { line: 'paybatch audit verify', purpose: 'The whole trail, and the run logs in results' },
      { line: 'paybatch audit export 961a3f1c --to trail.jsonl', purpose: 'The events of one batch' },
    ],
  },
];

/** Every command, in the order of the help text. Its work is in a separate file, which `load.ts` names. */
export const commands: readonly CommandDefinition[] = [
  ...sendingCommands,
  ...batchCommands,
  ...controlCommands,
  ...auditCommands,
  ...setUpCommands,
];

/** All options of a command: its own and the shared ones; without a command, the shared ones. */
export function optionsOf(command: CommandDefinition | null): readonly OptionDefinition[] {
  return [...(command?.options ?? []), ...sharedOptions, configOption];
}
