/* The library: one engine, opened once, for whatever program wants to import and reconcile. */

export type { CallResult } from './account/result.ts';
export type { RowView } from './account/row.ts';
export type { Activity, Actor, Call, CallEvent, Question } from './call/context.ts';
export type { Running } from './call/start.ts';
export type { BatchAccount, InputAccount, NextStep, RunAccount } from './domain/batches/account.ts';
export type { Note } from './domain/batches/note.ts';
export type { ErrorCode, ErrorKind } from './domain/failures/error-codes.ts';
export type {
  Adjustment,
  CallOutcome,
  CallRemedy,
  Phrasebook,
  Remedy,
} from './domain/failures/paybatch-error.ts';
export { FilesRefused, PaybatchError } from './domain/failures/paybatch-error.ts';
export type { Check, CheckFinding } from './domain/machine/checks.ts';
export type { RowEvent } from './domain/rows/result-row.ts';
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
export { type Message, plainText } from './domain/settings/message.ts';
export type { AuditedChain, AuditProblem } from './engine/audit.ts';
export { Engine, type EngineConfig } from './engine/engine.ts';
export type { RowsResult } from './engine/rows.ts';
export type { WordedQuestion as DialogueQuestion } from './propose/session/question-reason.ts';
export type { QuestionReason } from './propose/session/session.ts';
