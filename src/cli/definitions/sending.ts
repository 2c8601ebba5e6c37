import type { CommandDefinition } from '../command/command.ts';
import type { OptionDefinition } from '../options/option-definitions.ts';
import { batch, files } from './arguments.ts';

const planHash: OptionDefinition = {
  name: 'plan-hash',
  type: 'string',
  valueName: 'HASH',
  description: 'Send only if the rows are still those of the plan with this hash',
};

/** From a file to the API. */
export const sendingCommands: readonly CommandDefinition[] = [
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
