/* What is known of the command that shows whether the audit trail was tampered with. */

import type { CommandDefinition } from '../command/command.ts';

export const auditCommands: readonly CommandDefinition[] = [
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
