/* All use cases of an engine by their names: how each is loaded, its request, and which others it may run beside. */

import type { Call, CallContext } from '../call/context.ts';
import type { Running } from '../call/start.ts';
import type { GivenSettings, SettingGroup } from '../domain/settings/definitions.ts';

/** Settings of one call, in place of the engine's own. The API and the ledger are always the engine's. */
export type SettingsOfCall = Partial<Pick<GivenSettings, Exclude<SettingGroup, 'api' | 'ledger'>>>;

export type UseCase<Request, Result> = (context: CallContext, request: Request) => Promise<Result>;

/** The request of a use case, with settings of this call alone. */
export type RequestOf<Work> = Work extends UseCase<infer Request, infer _> ? Request & SettingsOfCall : never;

export type ResultOf<Work> = Work extends UseCase<never, infer Result> ? Result : never;

/** Each use case is loaded at its first call: most processes need only one of them. */
export const useCases = {
  import: async () => (await import('./import.ts')).importFiles,
  validate: async () => (await import('./validate.ts')).validateFiles,
  plan: async () => (await import('./plan.ts')).planFiles,
  submit: async () => (await import('./import.ts')).submit,
  resume: async () => (await import('./import.ts')).resume,
  retry: async () => (await import('./import.ts')).retry,
  resolve: async () => (await import('./resolve.ts')).resolveRows,
  selection: async () => (await import('./selection.ts')).showSelection,
  closeBatch: async () => (await import('./close.ts')).closeBatch,
  unprovenKey: async () => (await import('./unproven-key.ts')).readUnprovenKey,
  disown: async () => (await import('./disown.ts')).disownKey,
  halt: async () => (await import('./halt.ts')).halt,
  approve: async () => (await import('../controls/approve.ts')).approveBatch,
  reject: async () => (await import('../controls/approve.ts')).rejectBatch,
  status: async () => (await import('./status.ts')).readStatus,
  worklist: async () => (await import('./status.ts')).worklistOf,
  find: async () => (await import('./rows.ts')).find,
  overview: async () => (await import('./status.ts')).overviewOf,
  rows: async () => (await import('./rows.ts')).rowsOf,
  draft: async () => (await import('./drafts/draft.ts')).showDraft,
  previewEdit: async () => (await import('./drafts/edit.ts')).previewEdit,
  editDraft: async () => (await import('./drafts/edit.ts')).editDraft,
  discardEdits: async () => (await import('./drafts/edit.ts')).discardEdits,
  draftStep: async () => (await import('./drafts/steps.ts')).showStep,
  undoStep: async () => (await import('./drafts/steps.ts')).undoStep,
  findEnding: async () => (await import('./drafts/steps.ts')).findEnding,
  choices: async () => (await import('./drafts/choices.ts')).choicesOf,
  planDraft: async () => (await import('./drafts/draft.ts')).planDraft,
  results: async () => (await import('./status.ts')).writeResults,
  reconcile: async () => (await import('./reconcile.ts')).reconcile,
  compare: async () => (await import('./reconcile.ts')).compareFiles,
  recover: async () => (await import('./recover.ts')).recover,
  mapping: async () => (await import('./mapping.ts')).proposeMappingOf,
  agreeOnMapping: async () => (await import('../propose/session/session.ts')).agreeOnMapping,
  exportMapping: async () => (await import('../reconcile/export-session.ts')).proposeExportMapping,
  agreeOnExportMapping: async () => (await import('../reconcile/export-session.ts')).agreeOnExportMapping,
  rememberedMappings: async () => (await import('./mapping.ts')).showRemembered,
  institutions: async () => (await import('./institutions.ts')).listInstitutions,
  institutionCountries: async () => (await import('./institutions.ts')).institutionCountries,
  template: async () => (await import('./template.ts')).writeTemplate,
  verifyAudit: async () => (await import('./audit.ts')).verifyAudit,
  exportAudit: async () => (await import('./audit.ts')).exportAudit,
  doctor: async () => (await import('./doctor.ts')).examine,
  migrate: async () => (await import('./migrate.ts')).migrateLedger,
  listUsers: async () => (await import('./users.ts')).listUsers,
  addUser: async () => (await import('./users.ts')).addUser,
  decideOnUser: async () => (await import('./users.ts')).decideOnUser,
  lockUser: async () => (await import('./users.ts')).lockUser,
  rotateKey: async () => (await import('./users.ts')).rotateKey,
  inviteUser: async () => (await import('./sign-in.ts')).inviteUser,
  readPasswordLink: async () => (await import('./sign-in.ts')).readPasswordLink,
  setPassword: async () => (await import('./sign-in.ts')).setPassword,
  openConsoleKey: async () => (await import('../controls/session-actor.ts')).openConsoleKey,
  listAccess: async () => (await import('./sign-in.ts')).listAccess,
  signIn: async () => (await import('./sign-in.ts')).signIn,
  readSession: async () => (await import('./sign-in.ts')).readSession,
  signOut: async () => (await import('./sign-in.ts')).signOut,
  showPolicy: async () => (await import('./policy.ts')).showPolicy,
  setPolicy: async () => (await import('./policy.ts')).setPolicy,
  decideOnPolicy: async () => (await import('./policy.ts')).decideOnPolicy,
  waivePolicy: async () => (await import('./policy.ts')).waivePolicy,
};

export type Loaded<Name extends keyof typeof useCases> = Awaited<ReturnType<(typeof useCases)[Name]>>;

/** A use case of an engine: started with its request, it returns its progress and its result. */
export type Method<Name extends keyof typeof useCases> = (
  request: RequestOf<Loaded<Name>>,
  call?: Call,
) => Running<ResultOf<Loaded<Name>>>;

/** Use cases that record their actor in the ledger. With a key file that is its user, who is proven before anything else. */
export const requiresActor: ReadonlySet<keyof typeof useCases> = new Set([
  'import',
  'plan',
  'submit',
  'resume',
  'retry',
  'resolve',
  'closeBatch',
  'disown',
  'halt',
  'editDraft',
  'discardEdits',
  'undoStep',
  'planDraft',
  'reconcile',
  'recover',
  'addUser',
  'setPolicy',
  'waivePolicy',
]);

/**
 * Use cases that do not queue on the embedded ledger: they only read, write one thing in a moment, or wait for a person.
 * Each of their statements has the one connection for itself, as those of a concurrent call do.
 */
export const runsConcurrently: ReadonlySet<keyof typeof useCases> = new Set([
  'halt',
  'unprovenKey',
  'status',
  'worklist',
  'find',
  'overview',
  'rows',
  'selection',
  'draft',
  'previewEdit',
  'editDraft',
  'discardEdits',
  'draftStep',
  'undoStep',
  'findEnding',
  'choices',
  'agreeOnMapping',
  'agreeOnExportMapping',
  'rememberedMappings',
  'template',
  'institutionCountries',
  'listUsers',
  'showPolicy',
  'inviteUser',
  'readPasswordLink',
  'setPassword',
  'listAccess',
  'signIn',
  'readSession',
  'signOut',
]);
