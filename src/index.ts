/* The library: one engine, opened once, for whatever program wants to import and reconcile. */

export type { BatchAccount, InputAccount, NextStep, RunAccount } from './account/account.ts';
export type { ErrorCode, ErrorKind } from './domain/failures/error-codes.ts';
export type { CallOutcome } from './domain/failures/paybatch-error.ts';
export { FilesRefused, PaybatchError } from './domain/failures/paybatch-error.ts';
export type { Adjustment, CallRemedy, DoorWords, Remedy } from './domain/failures/remedy.ts';
export type { Check, CheckFinding } from './domain/machine/checks.ts';
export type { RowEvent } from './domain/rows/row-event.ts';
export type {
  ApiTarget,
  ControlTotals,
  GivenSettings,
  KeyPolicy,
  LedgerTarget,
  OutputFolder,
  ReadingProfile,
  SendingLimits,
  SettingName,
  Settings,
} from './domain/settings/definitions.ts';
export type { AuditedChain, AuditProblem } from './engine/audit.ts';
export { Engine, type EngineConfig } from './engine/engine.ts';
export type { WordedQuestion as DialogueQuestion } from './engine/mapping/question-reason.ts';
export type { QuestionReason } from './engine/mapping/session.ts';
export type { RowsResult } from './engine/rows.ts';
export type { Activity, Actor, Call } from './engine/running/context.ts';
export type { CallEvent, Note, Question } from './engine/running/events.ts';
export type { CallResult } from './engine/running/result.ts';
export type { Running } from './engine/running/start.ts';
export type { RowView } from './engine/status/row.ts';
