/*
 * All use cases of an engine. Their names are the engine's methods. For each use case: what it does, how it is loaded, and
 * what it needs.
 */

import type { Call, CallContext } from '../call/context.ts';
import type { Running } from '../call/start.ts';
import type { GivenSettings, SettingGroup } from '../domain/settings/definitions.ts';

/** Settings of one call, which replace those of the engine. The API and the ledger are always those of the engine. */
export type SettingsOfCall = Partial<Pick<GivenSettings, Exclude<SettingGroup, 'api' | 'ledger'>>>;

export type UseCase<Request, Result> = (context: CallContext, request: Request) => Promise<Result>;

/** The request of a use case, with settings that apply only to this call. */
export type RequestOf<Work> = Work extends UseCase<infer Request, infer _> ? Request & SettingsOfCall : never;

export type ResultOf<Work> = Work extends UseCase<never, infer Result> ? Result : never;

/** A use case in the list below. It is loaded at its first call, since most processes need only one use case. */
interface Listed<Work> {
  readonly load: () => Promise<Work>;
  /**
   * Whether it records its actor in the ledger. With a key file, the actor is the key's user, and the key is verified
   * first.
   */
  readonly requiresActor: boolean;
  /**
   * Whether it runs without queueing on the embedded ledger. Such a use case only reads, makes one short write, or waits
   * for a person. Its statements share the single connection with those of concurrent calls, one statement at a time.
   */
  readonly runsConcurrently: boolean;
}

const listed =
  (requiresActor: boolean, runsConcurrently: boolean) =>
  <Work>(load: () => Promise<Work>): Listed<Work> => ({ load, requiresActor, runsConcurrently });
const queued = listed(false, false);
const queuedByActor = listed(true, false);
const concurrent = listed(false, true);
const concurrentByActor = listed(true, true);

export const useCases = {
  /** Reads, checks, stages and sends files, and writes their results; a second call continues the import. */
  import: queuedByActor(async () => (await import('./import.ts')).importFiles),
  /** Checks files without sending or staging anything, and writes the findings. */
  validate: queued(async () => (await import('./validate.ts')).validateFiles),
  /** Checks and stages files, and returns what would be sent, with totals and a plan hash. */
  plan: queuedByActor(async () => (await import('./import.ts')).planFiles),
  /** Sends a planned batch. */
  submit: queuedByActor(async () => (await import('./import.ts')).submit),
  /** Continues an interrupted batch; the newest unfinished import if no batch is named. */
  resume: queuedByActor(async () => (await import('./import.ts')).resume),
  /** Sends a batch's rejected rows again under new keys, and its waiting rows. */
  retry: queuedByActor(async () => (await import('./import.ts')).retry),
  /** Records what a person decided about rows. */
  resolve: queuedByActor(async () => (await import('./resolve.ts')).resolveRows),
  /** The rows that a verdict for many would apply to. */
  selection: concurrent(async () => (await import('./selection.ts')).showSelection),
  /** Closes a batch: no run continues it, and its rows that were never sent stay unsent. */
  closeBatch: queuedByActor(async () => (await import('./resolve.ts')).closeBatch),
  /** The fingerprint of the live key in force if nothing proves that it is a live key. */
  unprovenKey: concurrent(async () => (await import('./disown.ts')).readUnprovenKey),
  /** Takes back what was created live with a key that turned out to be a sandbox key. */
  disown: queuedByActor(async () => (await import('./disown.ts')).disownKey),
  /** Stops everything, lifts the stop, or reports whether everything is stopped. */
  halt: concurrentByActor(async () => (await import('./halt.ts')).halt),
  /** Shows the plan of a batch, and signs its approval if the request states the plan hash. */
  approve: queued(async () => (await import('../controls/approve.ts')).approveBatch),
  /** Rejects the plan of a batch with a signature. */
  reject: queued(async () => (await import('../controls/approve.ts')).rejectBatch),
  /** Describes the newest batches, one batch, or one row. */
  status: concurrent(async () => (await import('./status.ts')).readStatus),
  /** Work that needs a person, over all batches, by the needed action. */
  worklist: concurrent(async () => (await import('./status.ts')).worklistOf),
  /** Removes a run that failed without a batch from the list of work that needs a person. */
  putAwayFailedRun: concurrentByActor(async () => (await import('./status.ts')).putAwayFailedRun),
  /** Batches and rows by an id, a key, a reference, an IBAN, a phone number, or the name of a file. */
  find: concurrent(async () => (await import('./rows.ts')).find),
  /** A batch with its latest plan and the findings about its payees: everything that a page shows of it. */
  overview: concurrent(async () => (await import('./overview.ts')).overviewOf),
  /** Rows of a batch that meet conditions, one page at a time, and a summary of all of them. */
  rows: concurrent(async () => (await import('./rows.ts')).rowsOf),
  /** The values in which a row differs from the object that another row has created. */
  createdValues: concurrent(async () => (await import('./rows.ts')).createdValues),
  /** The draft of a batch's corrections, with the checker's current findings. */
  draft: concurrent(async () => (await import('./drafts/draft.ts')).showDraft),
  /** The effect of an edit of one column in many rows. */
  previewEdit: concurrent(async () => (await import('./drafts/edit.ts')).previewEdit),
  /** Edits cells in the draft of a batch's corrections. */
  editDraft: concurrentByActor(async () => (await import('./drafts/edit.ts')).editDraft),
  /** Discards edits of a draft. */
  discardEdits: concurrentByActor(async () => (await import('./drafts/edit.ts')).discardEdits),
  /** The changes of a step of a draft, and how many of its rows pass now. */
  draftStep: concurrent(async () => (await import('./drafts/steps.ts')).showStep),
  /** Undoes a step of a draft. */
  undoStep: concurrentByActor(async () => (await import('./drafts/steps.ts')).undoStep),
  /** An ending that faulty cells of a column share, and that can be removed. */
  findEnding: concurrent(async () => (await import('./drafts/steps.ts')).findEnding),
  /** The values that the checker knows for a column of a batch. */
  choices: concurrent(async () => (await import('./drafts/choices.ts')).choicesOf),
  /** Makes a correction from a draft, and returns what would be sent. */
  planDraft: queuedByActor(async () => (await import('./drafts/draft.ts')).planDraft),
  /** Writes a batch's result files again. */
  results: queued(async () => (await import('./status.ts')).writeResults),
  /** Accounts for every row of a batch. */
  reconcile: queuedByActor(async () => (await import('./reconcile.ts')).reconcile),
  /** Records what a person decided about differences that a reconciliation found. */
  decideDifferences: concurrentByActor(
    async () => (await import('./difference-decisions.ts')).decideDifferences,
  ),
  /** The decisions about the differences of a batch. */
  differenceDecisions: concurrent(
    async () => (await import('./difference-decisions.ts')).differenceDecisions,
  ),
  /** Compares two files with each other, without a ledger. */
  compare: queued(async () => (await import('./reconcile.ts')).compareFiles),
  /** Rebuilds a lost ledger's batch from its file and its run logs. */
  recover: queuedByActor(async () => (await import('./recover.ts')).recover),
  /** Proposes how to read a file, or agrees on it with a person. */
  mapping: queued(async () => (await import('./mapping.ts')).proposeMappingOf),
  /** Agrees on how to read a file, through a channel that leads the dialogue itself. */
  agreeOnMapping: concurrent(async () => (await import('../propose/session/session.ts')).agreeOnMapping),
  /** Proposes how to read an export of the other side. */
  exportMapping: queued(async () => (await import('../reconcile/export-session.ts')).proposeExportMapping),
  /** Agrees with a person on how to read an export of the other side, and remembers it. */
  agreeOnExportMapping: concurrent(
    async () => (await import('../reconcile/export-session.ts')).agreeOnExportMapping,
  ),
  /** Shows the remembered mappings, or forgets one. */
  rememberedMappings: concurrent(async () => (await import('./mapping.ts')).showRemembered),
  /** A country's institutions. */
  institutions: queued(async () => (await import('./set-up.ts')).listInstitutions),
  /** The countries whose institutions can be queried, and those of which the ledger has lists. */
  institutionCountries: concurrent(async () => (await import('./set-up.ts')).institutionCountries),
  /** A file to fill in. */
  template: concurrent(async () => (await import('./set-up.ts')).writeTemplate),
  /** Verifies the audit trail: its hashes, and that tables, signatures, run logs and a kept head match it. */
  verifyAudit: queued(async () => (await import('./audit.ts')).verifyAudit),
  /** Writes the audit trail as lines of JSON. */
  exportAudit: queued(async () => (await import('./audit.ts')).exportAudit),
  /** Examines the machine, the ledger and the API. */
  doctor: queued(async () => (await import('./doctor/doctor.ts')).examine),
  /** Brings the ledger's schema up to date. */
  migrate: queued(async () => (await import('./set-up.ts')).migrateLedger),
  /** The users of the ledger. */
  listUsers: concurrent(async () => (await import('./users.ts')).listUsers),
  /** Adds a user, and writes the key file of that person. */
  addUser: queuedByActor(async () => (await import('./users.ts')).addUser),
  /** Approves or rejects a user whose appointment as approver is not decided yet. */
  decideOnUser: queued(async () => (await import('./users.ts')).decideOnUser),
  /** Locks a user for good. */
  lockUser: queued(async () => (await import('./users.ts')).lockUser),
  /** Replaces the key of the user who acts. */
  rotateKey: queued(async () => (await import('./users.ts')).rotateKey),
  /** Makes a one-time link with which a user sets a password for the console. */
  inviteUser: concurrent(async () => (await import('./sign-in.ts')).inviteUser),
  /** The user of a link to set a password. */
  readPasswordLink: concurrent(async () => (await import('./sign-in.ts')).readPasswordLink),
  /** Sets the password of the link's user. */
  setPassword: concurrent(async () => (await import('./sign-in.ts')).setPassword),
  /** Opens the key with which the console signs the approvals of people there. */
  openConsoleKey: queued(async () => (await import('../controls/session-actor.ts')).openConsoleKey),
  /** The users of the ledger, and how each of them can sign in at the console. */
  listAccess: concurrent(async () => (await import('./sign-in.ts')).listAccess),
  /** Signs a person in at the console. */
  signIn: concurrent(async () => (await import('./sign-in.ts')).signIn),
  /** The user of a session at the console. */
  readSession: concurrent(async () => (await import('./sign-in.ts')).readSession),
  /** Ends a session at the console. */
  signOut: concurrent(async () => (await import('./sign-in.ts')).signOut),
  /** The policy in force, and the proposed ones. */
  showPolicy: concurrent(async () => (await import('./policy.ts')).showPolicy),
  /** Proposes a policy; the first one is in force at once. */
  setPolicy: queuedByActor(async () => (await import('./policy.ts')).setPolicy),
  /** Approves or rejects a proposed policy. */
  decideOnPolicy: queued(async () => (await import('./policy.ts')).decideOnPolicy),
  /** Allows a recovered ledger to send live without a policy. */
  waivePolicy: queuedByActor(async () => (await import('./policy.ts')).waivePolicy),
};

export type UseCaseName = keyof typeof useCases;

export type Loaded<Name extends UseCaseName> = Awaited<ReturnType<(typeof useCases)[Name]['load']>>;

/** A use case of an engine: started with its request, it returns its progress and its result. */
type Method<Name extends UseCaseName> = (
  request: RequestOf<Loaded<Name>>,
  call?: Call,
) => Running<ResultOf<Loaded<Name>>>;

/** The methods of an engine, each with its description. */
type Methods = { readonly [Name in keyof typeof useCases]: Method<Name> };

/** A class whose type has these methods. The constructor of its subclass makes them (`methodsBy`). */
export const WithMethods = class {} as new () => Methods;

/** Makes the methods of an engine, which start use cases with this function. */
export function methodsBy(
  start: <Name extends UseCaseName>(name: Name, ...of: Parameters<Method<Name>>) => ReturnType<Method<Name>>,
): Methods {
  const names = Object.keys(useCases) as UseCaseName[];
  const methods = names.map((name) => [name, (...of: Parameters<Method<typeof name>>) => start(name, ...of)]);
  return Object.fromEntries(methods) as Methods;
}
