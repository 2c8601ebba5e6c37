import type { Command } from '../command/command.ts';

/** The file of every command, loaded when the command is called. */
const loaders: Readonly<Record<string, () => Promise<Command>>> = {
  import: async () => (await import('./sending.ts')).importCommand,
  validate: async () => (await import('./sending.ts')).validateCommand,
  plan: async () => (await import('./sending.ts')).planCommand,
  submit: async () => (await import('./sending.ts')).submitCommand,
  resume: async () => (await import('./sending.ts')).resumeCommand,
  retry: async () => (await import('./sending.ts')).retryCommand,
  resolve: async () => (await import('./looking.ts')).resolveCommand,
  close: async () => (await import('./looking.ts')).closeCommand,
  approve: async () => (await import('./controls.ts')).approveCommand,
  reject: async () => (await import('./controls.ts')).rejectCommand,
  reconcile: async () => (await import('./looking.ts')).reconcileCommand,
  results: async () => (await import('./looking.ts')).resultsCommand,
  status: async () => (await import('./status.ts')).statusCommand,
  policy: async () => (await import('./controls.ts')).policyCommand,
  disown: async () => (await import('./disown.ts')).disownCommand,
  halt: async () => (await import('./halt.ts')).haltCommand,
  user: async () => (await import('./controls.ts')).userCommand,
  audit: async () => (await import('./controls.ts')).auditCommand,
  mapping: async () => (await import('./mapping.ts')).mappingCommand,
  institutions: async () => (await import('./set-up.ts')).institutionsCommand,
  template: async () => (await import('./set-up.ts')).templateCommand,
  recover: async () => (await import('./looking.ts')).recoverCommand,
  doctor: async () => (await import('./set-up.ts')).doctorCommand,
  migrate: async () => (await import('./set-up.ts')).migrateCommand,
  serve: async () => (await import('./serve.ts')).serveCommand,
  sandbox: async () => (await import('./sandbox.ts')).sandboxCommand,
  completion: async () => (await import('./set-up.ts')).completionCommand,
};

/** Loads a command of the list. */
export function loadCommand(name: string): Promise<Command> {
  const load = loaders[name];
  if (load === undefined) throw new Error(`there is no file of the command ${name}`);
  return load();
}
