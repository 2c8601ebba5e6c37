/* The files whose verbs a caller of the ledger finds by their names in `LedgerVerbs`. */

export * from './after-sending/drafts.ts';
export * from './after-sending/evidence.ts';
export { countStatuses, findUnprovenKey, keepRowTotals, readFacts } from './after-sending/facts.ts';
export * from './after-sending/reconciliations.ts';
export * from './after-sending/restore.ts';
export * from './after-sending/results.ts';
export * from './after-sending/row-history.ts';
export * from './after-sending/row-search.ts';
export * from './after-sending/verdicts.ts';
export { readOpenWork } from './after-sending/worklist.ts';
export * from './audit/events.ts';
export {
  findOtherAnswers,
  findOtherRequests,
  readKnownAnswers,
  readKnownObjects,
  readLoggedEvidence,
} from './audit/logged.ts';
export { compareWithTrail } from './audit/records.ts';
export * from './audit/rows.ts';
export * from './batches/batches.ts';
export * from './batches/closing.ts';
export * from './batches/failed-runs.ts';
export * from './batches/institution-lists.ts';
export * from './batches/last-time.ts';
export * from './batches/readings.ts';
export * from './batches/run-logs.ts';
export * from './batches/runs.ts';
export * from './before-sending/approvals.ts';
export * from './before-sending/corrections.ts';
export * from './before-sending/payee-changes.ts';
export * from './before-sending/payees.ts';
export * from './before-sending/plans.ts';
export * from './before-sending/prepare.ts';
export * from './before-sending/recheck.ts';
export * from './before-sending/stage.ts';
export * from './connection/migrate.ts';
export * from './connection/server-settings.ts';
export * from './controls/controls.ts';
export * from './controls/disowning.ts';
export * from './controls/identity.ts';
export * from './controls/sessions.ts';
export * from './controls/users.ts';
export { readRevision } from './protocol/batch-lock.ts';
export { findCreators, keepLoggedCreations, listLateCreations } from './protocol/late-creations.ts';
export * from './sending/claim.ts';
export * from './sending/lost-facts.ts';
export * from './sending/record.ts';
