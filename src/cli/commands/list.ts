import type { ListedCommand } from '../command.ts';

/** Every command, in the order of the help text: one file each, which is loaded when it is called, and one entry here. */
export const commands: readonly ListedCommand[] = [
  {
    words: 'import <file..>',
    description: 'The main job: check, stage and send files, write the results; run it again to go on',
    load: async () => (await import('./import.ts')).importCommand,
  },
  {
    words: 'validate <file..>',
    description: 'Check files without sending or staging anything; list and write the findings',
    load: async () => (await import('./validate.ts')).validateCommand,
  },
  {
    words: 'plan <file..>',
    description: 'Check and stage files, and show what would be sent, with totals and a plan hash',
    load: async () => (await import('./plan.ts')).planCommand,
  },
  {
    words: 'submit <batch>',
    description: 'Send a planned batch; with --plan-hash only what was planned',
    load: async () => (await import('./submit.ts')).submitCommand,
  },
  {
    words: 'resume [batch]',
    description: 'Go on with an interrupted batch (the newest unfinished import when none is named)',
    load: async () => (await import('./resume.ts')).resumeCommand,
  },
  {
    words: 'retry <batch>',
    description: "Send a batch's rejected rows again, under new keys, and its waiting rows",
    load: async () => (await import('./retry.ts')).retryCommand,
  },
  {
    words: 'resolve <batch>',
    description: "Record a person's word on held and unknown rows; nothing is sent",
    load: async () => (await import('./resolve.ts')).resolveCommand,
  },
  {
    words: 'mapping <file>',
    description: "Propose a mapping for a file's header: paybatch mapping FILE > mapping.json",
    load: async () => (await import('./mapping.ts')).mappingCommand,
  },
  {
    words: 'reconcile [batch] [export..]',
    description:
      'Account for every row; compare with exports of the other side, or two files with each other',
    load: async () => (await import('./reconcile.ts')).reconcileCommand,
  },
  {
    words: 'results <batch>',
    description: 'Write the result files of a batch again from the ledger',
    load: async () => (await import('./results.ts')).resultsCommand,
  },
  {
    words: 'status [batch]',
    description: 'List the batches, or show one',
    load: async () => (await import('./status.ts')).statusCommand,
  },
  {
    words: 'institutions <country>',
    description: 'List the banks and mobile money providers of a country, with their limits',
    load: async () => (await import('./institutions.ts')).institutionsCommand,
  },
  {
    words: 'template <kind>',
    description:
      'Write a file to fill in, KIND.csv or KIND.xlsx, with examples; --out DIR (this folder), - is standard output',
    load: async () => (await import('./template.ts')).templateCommand,
  },
  {
    words: 'recover <file>',
    description: "Rebuild a lost ledger's batch from its run log and its source file",
    load: async () => (await import('./recover.ts')).recoverCommand,
  },
  {
    words: 'doctor',
    description: 'Check configuration, database, credentials, clocks and folders',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  {
    words: 'migrate',
    description: 'Bring the database schema up to date',
    load: async () => (await import('./migrate.ts')).migrateCommand,
  },
  {
    words: 'sandbox',
    description: 'Run the local Payments API sandbox in the foreground',
    load: async () => (await import('./sandbox.ts')).sandboxCommand,
  },
];
