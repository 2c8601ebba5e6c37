import type { Command } from '../command.ts';
import { doctorCommand } from './doctor.ts';
import { importCommand } from './import.ts';
import { institutionsCommand } from './institutions.ts';
import { mappingCommand } from './mapping.ts';
import { migrateCommand } from './migrate.ts';
import { planCommand } from './plan.ts';
import { reconcileCommand } from './reconcile.ts';
import { recoverCommand } from './recover.ts';
import { resolveCommand } from './resolve.ts';
import { resultsCommand } from './results.ts';
import { resumeCommand } from './resume.ts';
import { retryCommand } from './retry.ts';
import { sandboxCommand } from './sandbox.ts';
import { statusCommand } from './status.ts';
import { submitCommand } from './submit.ts';
import { templateCommand } from './template.ts';
import { validateCommand } from './validate.ts';

/** Every command, in the order of the help text: one file each, and one line here. */
export const commands: readonly Command[] = [
  importCommand,
  validateCommand,
  planCommand,
  submitCommand,
  resumeCommand,
  retryCommand,
  resolveCommand,
  mappingCommand,
  reconcileCommand,
  resultsCommand,
  statusCommand,
  institutionsCommand,
  templateCommand,
  recoverCommand,
  doctorCommand,
  migrateCommand,
  sandboxCommand,
];
