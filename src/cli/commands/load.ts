import type { Command } from '../command/command.ts';

/** Every command's file, which is loaded when the command is called. */
const loaders: Readonly<Record<string, () => Promise<Command>>> = {
  import: async () => (await import('./import.ts')).importCommand,
  validate: async () => (await import('./validate.ts')).validateCommand,
  plan: async () => (await import('./plan.ts')).planCommand,
  submit: async () => (await import('./submit.ts')).submitCommand,
  resume: async () => (await import('./resume.ts')).resumeCommand,
  retry: async () => (await import('./retry.ts')).retryCommand,
  resolve: async () => (await import('./resolve.ts')).resolveCommand,
  reconcile: async () => (await import('./reconcile.ts')).reconcileCommand,
  results: async () => (await import('./results.ts')).resultsCommand,
  status: async () => (await import('./status.ts')).statusCommand,
  mapping: async () => (await import('./mapping.ts')).mappingCommand,
  institutions: async () => (await import('./institutions.ts')).institutionsCommand,
  template: async () => (await import('./template.ts')).templateCommand,
  recover: async () => (await import('./recover.ts')).recoverCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  sandbox: async () => (await import('./sandbox.ts')).sandboxCommand,
  completion: async () => (await import('./completion.ts')).completionCommand,
};

/** Loads a command of the list. */
export function loadCommand(name: string): Promise<Command> {
  const load = loaders[name];
  if (load === undefined) throw new Error(`there is no file of the command ${name}`);
  return load();
}
