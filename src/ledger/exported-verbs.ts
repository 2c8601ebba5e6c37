/*
 * The files with the verbs of `LedgerVerbs`. Files that only one command or page needs are not included: it binds their
 * verbs itself, with `verbsWith`.
 */

export * from './after-sending/evidence.ts';
export { findUnprovenKey, keepRowTotals, readFacts } from './after-sending/facts.ts';
export * from './after-sending/results.ts';
export { countOrphans, countStatuses } from './after-sending/row-counts.ts';
export * from './after-sending/verdicts.ts';
export * from './audit/events.ts';
export * from './batches/batches.ts';
export * from './batches/closing.ts';
export * from './batches/failed-runs.ts';
export * from './batches/last-time.ts';
export * from './batches/readings.ts';
export * from './batches/run-logs.ts';
export * from './batches/runs.ts';
export * from './before-sending/approvals.ts';
export * from './before-sending/corrections.ts';
export * from './before-sending/institution-lists.ts';
export * from './before-sending/known-objects.ts';
export * from './before-sending/payee-changes.ts';
export * from './before-sending/payees.ts';
export * from './before-sending/plans.ts';
export * from './before-sending/prepare.ts';
export * from './before-sending/recheck.ts';
export * from './before-sending/stage.ts';
export * from './connection/migrate.ts';
export * from './connection/server-settings.ts';
export * from './controls/controls.ts';
export { readRevision } from './protocol/batch-lock.ts';
export { findCreators, keepLoggedCreations, listLateCreations } from './protocol/late-creations.ts';
export * from './sending/claim.ts';
export * from './sending/lost-facts.ts';
export * from './sending/record.ts';
export * from './sending/refused-alike.ts';
