/* The audit trail: events in chains, each of which holds the hash of the one before it, and what is wrong with a chain. */

import type { AuditHead } from '../batches/batch-facts.ts';
import { sha256 } from './statement.ts';

/** An event as the database has it. */
export interface AuditEvent {
  readonly chain: string;
  /** Counts the events of the chain from 1. */
  readonly number: number;
  /** By the database's clock, ISO 8601 in UTC with microseconds. */
  readonly at: string;
  /** The login at the database. */
  readonly databaseUser: string;
  readonly actor: string;
  readonly door: string;
  readonly event: string;
  /** JSON as text, whose bytes are hashed as they are. */
  readonly details: string;
  /** Of the event before it; 64 zeros in the first one. */
  readonly previousHash: string;
  readonly hash: string;
}

const beforeTheFirst = '0'.repeat(64);

/**
 * What is hashed of an event, in UTF-8: one line of JSON without white space between its members, in this order, texts
 * as `JSON.stringify` writes them and the details as they are stored. It ends with the brace, without a line break.
 */
function auditLine(event: AuditEvent): string {
  const { chain, number, at, databaseUser, actor, door, event: name, details, previousHash } = event;
  const texts = [chain, at, databaseUser, actor, door, name, previousHash].map((text) =>
    JSON.stringify(text),
  );
  return (
    `{"chain":${texts[0]},"number":${number},"at":${texts[1]},"database_user":${texts[2]},"actor":${texts[3]},` +
    `"door":${texts[4]},"event":${texts[5]},"details":${details},"previous":${texts[6]}}`
  );
}

/** The SHA-256 that an event has to have, in hex. */
export function auditHash(event: AuditEvent): string {
  return sha256(auditLine(event));
}

/** An event as it is exported: the hashed line with its hash as the last member. */
export function exportedEvent(event: AuditEvent): string {
  return `${auditLine(event).slice(0, -1)},"hash":"${event.hash}"}`;
}

/** What is wrong with the links of a chain; numbers are those of its events. */
export type LinkProblem =
  /** The event's hash is not the hash of its content. */
  | { readonly code: 'event_changed'; readonly number: number }
  /** No event has this number, and there are later events. */
  | { readonly code: 'event_missing'; readonly number: number }
  /** The event holds another hash than the event before it has. */
  | { readonly code: 'link_broken'; readonly number: number }
  /** The chain ends before its head: this is the first missing event. */
  | { readonly code: 'tail_missing'; readonly number: number; readonly head: number }
  /** The event is not the one that the chain's head was made of; null where the chain has no head. */
  | { readonly code: 'head_differs'; readonly number: number | null };

/** Checks one chain, event by event. */
export interface ChainCheck {
  /** Takes the events in the order of their numbers. */
  readonly add: (event: AuditEvent) => void;
  /** Once all are added. */
  readonly result: () => {
    readonly events: number;
    /** The last existing event; null without any. */
    readonly last: AuditHead | null;
    /** The first broken link; null where the chain is whole. */
    readonly problem: LinkProblem | null;
  };
}

const beginning: AuditHead = { number: 0, hash: beforeTheFirst };

/**
 * @param head the chain's head in the database, read before the events: later events may exist; undefined without one
 * @param after the link before the first event that is added: the beginning of the chain unless stated
 */
export function checkChain(head: AuditHead | undefined, after = beginning): ChainCheck {
  let last = after;
  let events = 0;
  let problem: LinkProblem | null = null;
  return {
    add: (event) => {
      problem ??= problemOf(event, last) ?? atHead(event, head);
      events += 1;
      last = { number: event.number, hash: event.hash };
    },
    result: () => {
      if (head === undefined) problem ??= { code: 'head_differs', number: null };
      else if (last.number < head.number) {
        problem ??= { code: 'tail_missing', number: last.number + 1, head: head.number };
      }
      return { events, last: events === 0 ? null : last, problem };
    },
  };
}

/**
 * The first thing that is wrong with the end of a chain.
 * @param all how many events the chain has
 * @param last the last of them, in the order of their numbers
 */
export function problemOfEnd(
  head: AuditHead | undefined,
  all: number,
  last: readonly AuditEvent[],
): LinkProblem | null {
  const [first] = last;
  // The first event's link to the one before it is not checked; the number of events before it is.
  const before =
    first === undefined || all === last.length
      ? beginning
      : { number: all - last.length, hash: first.previousHash };
  const check = checkChain(head, before);
  for (const event of last) check.add(event);
  return check.result().problem;
}

function problemOf(event: AuditEvent, last: AuditHead): LinkProblem | null {
  const { number } = event;
  if (number !== last.number + 1) return { code: 'event_missing', number: last.number + 1 };
  if (auditHash(event) !== event.hash) return { code: 'event_changed', number };
  return event.previousHash === last.hash ? null : { code: 'link_broken', number };
}

function atHead({ number, hash }: AuditEvent, head: AuditHead | undefined): LinkProblem | null {
  return number === head?.number && hash !== head.hash ? { code: 'head_differs', number } : null;
}
