/*
 * The audit trail: events in chains, in which each event contains the hash of the previous one, and the possible faults of a
 * chain.
 */

import type { AuditHead } from '../batches/batch-facts.ts';
import { sha256 } from './statement.ts';

/** An event as stored in the database. */
export interface AuditEvent {
  readonly chain: string;
  /** The number of the event, counted from 1 in each chain. */
  readonly number: number;
  /** By the database's clock, ISO 8601 in UTC with microseconds. */
  readonly at: string;
  /** The user of the database session. */
  readonly databaseUser: string;
  readonly actor: string;
  readonly channel: string;
  readonly event: string;
  /** JSON as text. Its bytes are hashed unchanged. */
  readonly details: string;
  /** The hash of the previous event; 64 zeros in the first event. */
  readonly previousHash: string;
  readonly hash: string;
}

const beforeTheFirst = '0'.repeat(64);

/**
 * The hashed text of an event, in UTF-8: one line of JSON without white space between its members, in this order. Texts are
 * as `JSON.stringify` writes them, and the details are as they are stored. It ends with the brace, without a line break.
 */
function auditLine(event: AuditEvent): string {
  const { chain, number, at, databaseUser, actor, channel, event: name, details, previousHash } = event;
  const texts = [chain, at, databaseUser, actor, channel, name, previousHash].map((text) =>
    JSON.stringify(text),
  );
  return (
    `{"chain":${texts[0]},"number":${number},"at":${texts[1]},"database_user":${texts[2]},"actor":${texts[3]},` +
    `"channel":${texts[4]},"event":${texts[5]},"details":${details},"previous":${texts[6]}}`
  );
}

/** The SHA-256 that an event has to have, in hex. */
export function auditHash(event: AuditEvent): string {
  return sha256(auditLine(event));
}

/** An event in the form of an export: the hashed line with its hash as the last member. */
export function exportedEvent(event: AuditEvent): string {
  return `${auditLine(event).slice(0, -1)},"hash":"${event.hash}"}`;
}

/** A fault in the links of a chain; numbers are event numbers. */
export type LinkProblem =
  /** The event's hash is not the hash of its content. */
  | { readonly code: 'event_changed'; readonly number: number }
  /** No event has this number, and there are later events. */
  | { readonly code: 'event_missing'; readonly number: number }
  /** The event contains another hash than the hash of the previous event. */
  | { readonly code: 'link_broken'; readonly number: number }
  /** The chain ends before its head. The number is the first missing event. */
  | { readonly code: 'tail_missing'; readonly number: number; readonly head: number }
  /** The event is not the event from which the chain's head was made; null if the chain has no head. */
  | { readonly code: 'head_differs'; readonly number: number | null };

/** Checks one chain, event by event. */
export interface ChainCheck {
  /** Takes the events in the order of their numbers. */
  readonly add: (event: AuditEvent) => void;
  /** Returns the result after all events were added. */
  readonly result: () => {
    readonly events: number;
    /** The last existing event; null if there are no events. */
    readonly last: AuditHead | null;
    /** The first broken link; null if the chain is intact. */
    readonly problem: LinkProblem | null;
  };
}

const beginning: AuditHead = { number: 0, hash: beforeTheFirst };

/**
 * @param head the chain's head in the database, read before the events, so later events may exist; undefined if there is
 * none
 * @param after the link before the first event that is added; by default the beginning of the chain
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
 * The first fault at the end of a chain.
 * @param all the number of events in the chain
 * @param last the last events, in the order of their numbers
 */
export function problemOfEnd(
  head: AuditHead | undefined,
  all: number,
  last: readonly AuditEvent[],
): LinkProblem | null {
  const [first] = last;
  // The link of the first event to the previous one is not checked, but the number of previous events is.
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
