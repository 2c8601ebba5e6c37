import type { CommandDefinition } from '../command/command.ts';

/** Who may act, and what a batch needs before it is sent. */
export const controlCommands: readonly CommandDefinition[] = [
  {
    name: 'policy',
    description: 'Show, propose, approve or reject what batches need before they are sent',
    arguments: [
      {
        name: 'action',
        description: 'show, set, approve or reject',
        isRequired: true,
        choices: ['show', 'set', 'approve', 'reject'],
      },
      { name: 'file', description: 'For set: the policy, JSON. For approve and reject: the version' },
    ],
    options: [
      { name: 'note', type: 'string', valueName: 'TEXT', description: 'The reason; a rejection needs one' },
    ],
    oftenNeeded: ['ledgerDir'],
    examples: [
      { line: 'paybatch policy set policy.json', purpose: 'The first one is in force at once' },
      { line: 'paybatch policy approve 2', purpose: 'As the approver of PAYBATCH_USER_KEY_FILE' },
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
