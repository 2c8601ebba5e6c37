import type { Command } from '../command.ts';
import { importCommand } from './import.ts';
import { migrateCommand } from './migrate.ts';
import { resolveCommand } from './resolve.ts';
import { resultsCommand } from './results.ts';
import { resumeCommand } from './resume.ts';
import { sandboxCommand } from './sandbox.ts';
import { statusCommand } from './status.ts';
import { validateCommand } from './validate.ts';

/** Every command, in the order of the help text: one file each, and one line here. */
export const commands: readonly Command[] = [
  importCommand,
  validateCommand,
  resumeCommand,
  resolveCommand,
  resultsCommand,
  statusCommand,
  migrateCommand,
  sandboxCommand,
];
