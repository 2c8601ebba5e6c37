import type { CommandDefinition } from '../command.ts';
import { lookingCommands } from './definitions/looking.ts';
import { sendingCommands } from './definitions/sending.ts';
import { setUpCommands } from './definitions/set-up.ts';

/** Every command, in the order of the help text. Its work is in a file of its own, which `load.ts` names. */
export const commands: readonly CommandDefinition[] = [
  ...sendingCommands,
  ...lookingCommands,
  ...setUpCommands,
];
