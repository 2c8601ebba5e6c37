/* The list of all commands, and the options that each one takes. */

import type { CommandDefinition } from '../command/command.ts';
import { configOption, type OptionDefinition, sharedOptions } from '../options/option-definitions.ts';
import { auditCommands } from './audit.ts';
import { controlCommands } from './controls.ts';
import { lookingCommands } from './looking.ts';
import { sendingCommands } from './sending.ts';
import { setUpCommands } from './set-up.ts';

/** Every command, in the order of the help text. Its work is in a file of its own, which `load.ts` names. */
export const commands: readonly CommandDefinition[] = [
  ...sendingCommands,
  ...lookingCommands,
  ...controlCommands,
  ...auditCommands,
  ...setUpCommands,
];

/** Every option that a command takes, its own and those of all; without a command, those of all. */
export function optionsOf(command: CommandDefinition | null): readonly OptionDefinition[] {
  return [...(command?.options ?? []), ...sharedOptions, configOption];
}
