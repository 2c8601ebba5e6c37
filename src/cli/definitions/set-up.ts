import type { CommandDefinition } from '../command/command.ts';

/** The commands for files to begin with, and for what a run needs. */
export const setUpCommands: readonly CommandDefinition[] = [
  {
    name: 'mapping',
    description: "Propose how to read a partner's file; on a terminal, ask what only a person knows",
    arguments: [{ name: 'file', description: 'A path; - is standard input' }],
    options: [
      {
        name: 'interactive',
        type: 'boolean',
        shownDefault: 'on a terminal',
        description: 'Ask what changes the outcome, and write the mapping to a file',
      },
      {
        name: 'dialogue',
        type: 'boolean',
        description: 'Lead the same dialogue with a program, as JSON lines',
      },
      {
        name: 'edit',
        type: 'boolean',
        description: 'Ask everything again; the proposals are the earlier answers for this file or header',
      },
      {
        name: 'about',
        type: 'string',
        valueName: 'COLUMN',
        description: 'Ask about this column only',
      },
      {
        name: 'show',
        type: 'boolean',
        description: 'List the remembered mappings, or print the one of this name or file',
      },
      {
        name: 'forget',
        type: 'boolean',
        description: 'Forget the remembered mapping of this name or file',
      },
      {
        name: 'export',
        type: 'boolean',
        description: "The mapping of the other side's export, for reconcile",
      },
    ],
    oftenNeeded: ['kind', 'sheet', 'delimiter', 'encoding'],
    examples: [
      { line: 'paybatch mapping partner.xlsx', purpose: 'Asks, and writes partner.mapping.json' },
      { line: 'paybatch mapping partner.csv > mapping.json', purpose: 'A proposal to correct' },
    ],
  },
  {
    name: 'institutions',
    description: 'List the banks and mobile money providers of a country, with their limits',
    arguments: [{ name: 'country', description: 'Two letters of ISO 3166-1, such as KE', isRequired: true }],
    options: [],
    oftenNeeded: ['localSandbox', 'mode', 'baseUrl', 'institutionsMaxAge'],
    examples: [
      { line: 'paybatch institutions KE --local-sandbox', purpose: 'Those of the built-in sandbox' },
      {
        line: 'paybatch institutions TZ --base-url https://api.example.com --mode live',
        purpose: 'Those of the API',
      },
    ],
  },
  {
    name: 'template',
    description:
      'Write a file to fill in, KIND.csv or KIND.xlsx, with examples; --out DIR (this folder), - is standard output',
    arguments: [{ name: 'kind', description: 'What the rows are', isRequired: true }],
    options: [
      {
        name: 'payee-type',
        type: 'string',
        choices: async () => (await import('../../engine/choices.ts')).payeeTypes,
        description: 'Only the columns of this payee type',
      },
      {
        name: 'format',
        type: 'string',
        choices: ['csv', 'xlsx'],
        shownDefault: 'csv',
        description: 'A workbook has drop-down lists and notes, and keeps leading zeros',
      },
      { name: 'force', type: 'boolean', description: 'Overwrite a file of that name' },
    ],
    oftenNeeded: ['out'],
    examples: [
      { line: 'paybatch template customers', purpose: 'customers.csv, in this folder' },
      {
        line: 'paybatch template recipients --payee-type mobile_money --format xlsx',
        purpose: 'A workbook with only the columns of one payee type',
      },
    ],
  },
  {
    name: 'recover',
    description: "Rebuild a lost ledger's batch from its run log and its source file",
    arguments: [{ name: 'file', description: 'The file that was imported, unchanged', isRequired: true }],
    options: [
      {
        name: 'log',
        type: 'list',
        valueName: 'FILE',
        isRequired: true,
        description: "The batch's run log (NAME.BATCH.run.jsonl); several if it ran in several places",
      },
      {
        name: 'hold-rest',
        type: 'boolean',
        description:
          'Hold the rows of which a log says nothing final, where nothing proves that its end was not cut off',
      },
    ],
    oftenNeeded: ['localSandbox', 'mode', 'baseUrl', 'mapping', 'ledgerDir'],
    examples: [
      {
        line: 'paybatch recover --log results/customers.961a3f1c.run.jsonl customers.csv --local-sandbox',
        purpose: 'Every row in its last known state; nothing is sent',
      },
      {
        line: 'paybatch recover --log one.run.jsonl --log two.run.jsonl customers.csv --local-sandbox',
        purpose: 'A batch that ran in two places',
      },
    ],
  },
  {
    name: 'doctor',
    description: 'Check configuration, database, credentials, clocks and folders',
    arguments: [],
    options: [],
    oftenNeeded: ['localSandbox', 'mode', 'baseUrl', 'ledgerDir', 'out'],
    examples: [
      { line: 'paybatch doctor --local-sandbox', purpose: 'Check everything before a trial' },
      {
        line: 'paybatch doctor --base-url https://api.example.com --mode live',
        purpose: 'Before the first night',
      },
    ],
  },
  {
    name: 'migrate',
    description: 'Bring the database schema up to date',
    arguments: [],
    options: [
      {
        name: 'roles',
        type: 'boolean',
        description:
          'Make the database roles paybatch_worker, paybatch_approver and paybatch_console, or bring them up to date',
      },
      {
        name: 'restore-policy',
        type: 'string',
        valueName: 'FILE',
        description: 'Put a policy into force because nobody is left who can approve one',
      },
    ],
    oftenNeeded: ['mode', 'ledgerDir'],
    examples: [
      { line: 'paybatch migrate', purpose: 'After each update, on a PostgreSQL server (DATABASE_URL)' },
      { line: 'paybatch migrate --ledger-dir /srv/paybatch/ledger', purpose: 'An embedded ledger' },
    ],
  },
  {
    name: 'serve',
    description: 'Serve web pages for people who do not use a terminal',
    arguments: [],
    options: [
      {
        name: 'port',
        type: 'string',
        valueName: 'N',
        shownDefault: '8080',
        description: 'Port to listen on',
      },
      {
        name: 'host',
        type: 'string',
        valueName: 'ADDRESS',
        shownDefault: '127.0.0.1',
        description: 'Address to listen on',
      },
      {
        name: 'public-origin',
        type: 'string',
        valueName: 'URL',
        description: 'Address of the proxy before it, such as https://paybatch.example.com',
      },
      {
        name: 'users',
        type: 'boolean',
        shownDefault: 'only on this machine and in sandbox mode it does without',
        description: 'Have people sign in: the users of the ledger, see paybatch user invite',
      },
      {
        name: 'upload-dir',
        type: 'string',
        valueName: 'DIR',
        shownDefault: 'the ledger folder with -uploads added',
        description: 'Where uploaded files are kept',
      },
    ],
    oftenNeeded: ['localSandbox', 'mode', 'baseUrl', 'ledgerDir', 'out'],
    examples: [
      { line: 'paybatch serve --local-sandbox', purpose: 'To try it: it prints the address to open' },
      {
        line: 'paybatch serve --base-url http://127.0.0.1:4010 --port 9000',
        purpose: 'With an API on this machine',
      },
    ],
  },
  {
    name: 'sandbox',
    description: 'Run the local Payments API sandbox in the foreground',
    arguments: [],
    options: [
      {
        name: 'port',
        type: 'string',
        valueName: 'N',
        shownDefault: 'any free one',
        description: 'Port on 127.0.0.1',
      },
      { name: 'data-dir', type: 'string', valueName: 'DIR', description: 'Folder of its data' },
      {
        name: 'faults',
        type: 'string',
        valueName: 'PLAN',
        description: 'Faults to simulate: docs/sandbox.md',
      },
      { name: 'latency-ms', type: 'string', valueName: 'N', description: 'Added to every answer' },
      {
        name: 'kyc',
        type: 'string',
        choices: ['automatic', 'required'],
        description: 'Identity verification of new customers',
      },
      {
        name: 'kyc-after',
        type: 'string',
        valueName: 'DURATION',
        description: 'When customers who have not passed the verification pass it',
      },
      { name: 'tls', type: 'boolean', description: 'Serve HTTPS, with a certificate of its own' },
      {
        name: 'customer-answer',
        type: 'string',
        choices: ['enveloped', 'bare', 'nested'],
        description: "Where a new customer's id stands in the answer",
      },
    ],
    oftenNeeded: [],
    examples: [
      { line: 'paybatch sandbox --port 4010', purpose: 'It prints its address and its keys' },
      {
        line: 'paybatch sandbox --kyc required --kyc-after 30s',
        purpose: 'Customers whose verification takes half a minute',
      },
    ],
  },
  {
    name: 'completion',
    description: 'Print the completion script of a shell',
    arguments: [
      { name: 'shell', description: 'bash, zsh or fish', isRequired: true, choices: ['bash', 'zsh', 'fish'] },
    ],
    options: [],
    oftenNeeded: [],
    examples: [
      {
        line: 'paybatch completion bash > ~/.local/share/bash-completion/completions/paybatch',
        purpose: 'For bash: new shells find it there',
      },
      {
        line: 'paybatch completion fish > ~/.config/fish/completions/paybatch.fish',
        purpose: 'For fish',
      },
    ],
  },
];
