/*
 * A form that arrived after its session had ended. It is kept during sign-in, and then its page shows it filled in
 * again. Also the fields of forms and queries.
 */

import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { sessionLimits } from '../../domain/controls/sign-in.ts';
import { mayUseAddress } from './rights.ts';
import type { Viewer } from './sessions.ts';

type Field = readonly [name: string, value: string];

/** A form's target address, its page, and its filled-in fields. */
export interface KeptForm {
  readonly action: string;
  /** The address of its page; null if that page was the answer to another form. */
  readonly page: string | null;
  readonly fields: readonly Field[];
}

/** An address of this console to redirect to. For any other address, it is the address of the first page. */
export function ownAddress(address: string | undefined): string {
  return address !== undefined && /^\/(?![/\\])[^\s\\]{0,2000}$/.test(address) ? address : '/';
}

/** The text of a form's field; empty if the form has no such field. */
export function fieldIn(body: unknown, name: string): string {
  if (typeof body !== 'object' || body === null) return '';
  const value: unknown = Reflect.get(body, name);
  return typeof value === 'string' ? value : '';
}

const most = { fields: 500, characters: 200_000 } as const;

/** The field of every form that names its page. */
export const pageField = '_page';
/** The field that names the kept form when a page shows a form again. */
export const keptField = '_kept';

/** The fields that are not filled in by a person. */
const ofConsole: ReadonlySet<string> = new Set(['_csrf', 'password', pageField, keptField]);

/** The fields of a form to keep, without its CSRF token and passwords. Null if it is too large. */
export function keptForm(action: string, body: unknown): KeptForm | null {
  const entries = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  const filled = entries.flatMap(([name, value]): Field[] =>
    typeof value === 'string' && !ofConsole.has(name) ? [[name, value]] : [],
  );
  const values = new Map(filled);
  // For a row with hundreds of cells, only the changed cells are kept.
  const fields = filled.filter(([name]) => {
    const [, place] = /^(?:was|cell)-(\d+)$/.exec(name) ?? [];
    return place === undefined || values.get(`was-${place}`) !== values.get(`cell-${place}`);
  });
  const page = fieldIn(body, pageField);
  const kept = { action, page: page === '' ? null : ownAddress(page), fields };
  return fields.length > most.fields || JSON.stringify(kept).length > most.characters ? null : kept;
}

const isOwnAddress = (address: string): boolean => ownAddress(address) === address;

const schema = z.strictObject({
  action: z.string().refine(isOwnAddress),
  page: z.string().refine(isOwnAddress).nullable(),
  fields: z.array(z.tuple([z.string(), z.string()])).max(most.fields),
});

/** A kept form from the sign-in page; null if that page had none. */
export function readKeptForm(text: string): KeptForm | null {
  if (text === '' || text.length > most.characters) return null;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Fields for the console only: hashes, and the values that the page showed. */
const stateField = /^(?:hash|plan_hash|plan_hashes|selection|turn|key|attempts|agreed|was-\d+)$/;

/** The fields that a person has typed or chosen. */
export function typedIn({ fields }: KeptForm): readonly Field[] {
  return fields.filter(([name]) => !stateField.test(name));
}

/**
 * The values that the page showed when the form was filled in. If the page has changed since then, its form counts as a
 * different form.
 */
export function seenIn({ fields }: KeptForm): readonly Field[] {
  return fields.filter(([name]) => stateField.test(name));
}

/** The parameter of an address that makes a page show a kept form filled in. */
const keptParameter = 'filled_in';

/** The maximum number of forms that are kept. The oldest ones are dropped first. */
const mostForms = 200;

/** What a form lacked when it was sent. */
export interface FormProblem {
  /** A sentence. */
  readonly message: string;
  /** The name of the field that the message is about; null for the form as a whole. */
  readonly field: string | null;
}

/** A form that its page shows again, until a person sends it. */
export interface BroughtBack {
  readonly id: string;
  readonly form: KeptForm;
  /** Why the form was not processed; null if its session had ended. */
  readonly problem: FormProblem | null;
}

/**
 * Keeps forms of people who have signed in again, and incomplete forms, until these forms are sent. They expire like an
 * idle session.
 */
export class KeptForms {
  readonly #kept = new Map<
    string,
    { readonly by: string; readonly atInMs: number } & Omit<BroughtBack, 'id'>
  >();
  readonly #nowInMs: () => number;

  /** @param nowInMs the monotonic clock */
  constructor(nowInMs: () => number = () => performance.now()) {
    this.#nowInMs = nowInMs;
  }

  /** Keeps a form. @returns the address of its page with the filled-in form; null if the page is not known */
  keep({ name: by, role }: Viewer, form: KeptForm, problem: FormProblem | null = null): string | null {
    const own = form.page ?? (mayUseAddress(role, 'GET', form.action) ? form.action : null);
    if (own === null) return null;
    const id = randomUUID();
    this.#kept.set(id, { by, form, problem, atInMs: this.#nowInMs() });
    for (const oldest of [...this.#kept.keys()].slice(0, -mostForms)) this.#kept.delete(oldest);
    const [path = '', query = ''] = own.split('?', 2);
    const parameters = new URLSearchParams(query);
    parameters.set(keptParameter, id);
    return `${path}?${parameters.toString()}`;
  }

  /** The kept form that an address names; null if none exists, or if it belongs to another person. */
  askedFor(url: string, by: string): BroughtBack | null {
    const id = new URLSearchParams(url.split('?', 2)[1] ?? '').get(keptParameter) ?? '';
    const found = this.#kept.get(id);
    if (found?.by !== by || this.#nowInMs() - found.atInMs > sessionLimits.idleInMs) return null;
    return { id, form: found.form, problem: found.problem };
  }

  forget(id: string): void {
    this.#kept.delete(id);
  }
}

/** An address without the kept form that it names. */
export function withoutKept(url: string): string {
  const [path = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  if (!parameters.has(keptParameter)) return url;
  parameters.delete(keptParameter);
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}

/* The fields of a query or of a form, as texts. */

/**
 * If several fields have one name, the last one counts. No page of the console has such fields, and every route gets
 * texts. NUL characters, which cannot be typed or stored, are shown as unreadable characters.
 */
export function fieldsOf(text: string): Record<string, string> {
  const fields = [...new URLSearchParams(text)];
  return Object.fromEntries(fields.map(([name, value]) => [name, value.replaceAll('\0', '\uFFFD')]));
}
