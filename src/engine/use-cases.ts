/* All use cases of an engine by their names, which are its methods: what each does, how it is loaded, and what it needs. */

import type { Call, CallContext } from '../call/context.ts';
import type { Running } from '../call/start.ts';
import type { GivenSettings, SettingGroup } from '../domain/settings/definitions.ts';

/** Settings of one call, in place of the engine's own. The API and the ledger are always the engine's. */
export type SettingsOfCall = Partial<Pick<GivenSettings, Exclude<SettingGroup, 'api' | 'ledger'>>>;

export type UseCase<Request, Result> = (context: CallContext, request: Request) => Promise<Result>;

/** The request of a use case, with settings of this call alone. */
export type RequestOf<Work> = Work extends UseCase<infer Request, infer _> ? Request & SettingsOfCall : never;

export type ResultOf<Work> = Work extends UseCase<never, infer Result> ? Result : never;

/** A use case in the list below. It is loaded at its first call: most processes need only one of them. */
interface Listed<Work> {
  readonly load: () => Promise<Work>;
  /**
   * Whether it records its actor in the ledger. With a key file that is its user, who is proven before anything else.
   */
  readonly requiresActor: boolean;
  /**
   * Whether it does not queue on the embedded ledger: it only reads, writes one thing in a moment, or waits for a person.
   * Each of its statements has the one connection for itself, as those of a concurrent call do.
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
  /** Continues an interrupted batch; the newest unfinished import where none is named. */
  resume: queuedByActor(async () => (await import('./import.ts')).resume),
  /** Sends a batch's rejected rows again under new keys, and its waiting rows. */
  retry: queuedByActor(async () => (await import('./import.ts')).retry),
  /** Records what a person decided about rows. */
  resolve: queuedByActor(async () => (await import('./resolve.ts')).resolveRows),
  /** The rows that a verdict for many would apply to. */
  selection: concurrent(async () => (await import('./selection.ts')).showSelection),
  /** Closes a batch: no run continues it, and its rows that were never sent stay unsent. */
  closeBatch: queuedByActor(async () => (await import('./resolve.ts')).closeBatch),
  /** The fingerprint of the live key in force where nothing proves that it is one. */
  unprovenKey: concurrent(async () => (await import('./disown.ts')).readUnprovenKey),
  /** Takes back what was created live with a key that turned out to be a sandbox key. */
  disown: queuedByActor(async () => (await import('./disown.ts')).disownKey),
  /** Stops everything, lifts that, or says whether everything is stopped. */
  halt: concurrentByActor(async () => (await import('./halt.ts')).halt),
  /** Shows the plan of a batch, and signs its approval where the hash of the plan is given. */
  approve: queued(async () => (await import('../controls/approve.ts')).approveBatch),
  /** Signs that the plan of a batch is rejected. */
  reject: queued(async () => (await import('../controls/approve.ts')).rejectBatch),
  /** Describes the newest batches, one batch, or one row. */
  status: concurrent(async () => (await import('./status.ts')).readStatus),
  /** What needs a person, over all batches, by the action that it needs. */
  worklist: concurrent(async () => (await import('./status.ts')).worklistOf),
  /** Takes a run that failed without a batch off the list of what needs a person. */
  putAwayFailedRun: concurrentByActor(async () => (await import('./status.ts')).putAwayFailedRun),
  /** Batches and rows by an id, a key, a reference, an IBAN, a phone number, or the name of a file. */
  find: concurrent(async () => (await import('./rows.ts')).find),
  /** A batch with its latest plan, and the changes of its payees: all that a page shows of it. */
  overview: concurrent(async () => (await import('./overview.ts')).overviewOf),
  /** Rows of a batch that meet conditions, one page at a time, and a summary of all of them. */
  rows: concurrent(async () => (await import('./rows.ts')).rowsOf),
  /** In which values a row differs from the object that another row has created. */
  createdValues: concurrent(async () => (await import('./rows.ts')).createdValues),
  /** The draft of a batch's corrections, with the checker's current findings. */
  draft: concurrent(async () => (await import('./drafts/draft.ts')).showDraft),
  /** What an edit of one column in many rows would do. */
  previewEdit: concurrent(async () => (await import('./drafts/edit.ts')).previewEdit),
  /** Edits cells in the draft of a batch's corrections. */
  editDraft: concurrentByActor(async () => (await import('./drafts/edit.ts')).editDraft),
  /** Discards edits of a draft. */
  discardEdits: concurrentByActor(async () => (await import('./drafts/edit.ts')).discardEdits),
  /** What a step of a draft has changed, and how many of its rows pass now. */
  draftStep: concurrent(async () => (await import('./drafts/steps.ts')).showStep),
  /** Undoes a step of a draft. */
  undoStep: concurrentByActor(async () => (await import('./drafts/steps.ts')).undoStep),
  /** An ending that faulty cells of a column share, and that can be taken off. */
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
  /** What was decided about the differences of a batch. */
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
  /** The users of the ledger, who have a key of their own. */
  listUsers: concurrent(async () => (await import('./users.ts')).listUsers),
  /** Adds a user, and writes the key file of that person. */
  addUser: queuedByActor(async () => (await import('./users.ts')).addUser),
  /** Approves or rejects an approver whose appointment is open. */
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
  /** The users of the ledger, with how each can sign in at the console. */
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
  /** Lets a recovered ledger send live without a policy. */
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

/** A class with these methods, which its constructor makes (`methodsBy`). */
export const WithMethods = class {} as new () => Methods;

/** The methods of an engine that starts use cases in this way. */
export function methodsBy(
  start: <Name extends UseCaseName>(name: Name, ...of: Parameters<Method<Name>>) => ReturnType<Method<Name>>,
): Methods {
  const names = Object.keys(useCases) as UseCaseName[];
  const methods = names.map((name) => [name, (...of: Parameters<Method<typeof name>>) => start(name, ...of)]);
  return Object.fromEntries(methods) as Methods;
}
