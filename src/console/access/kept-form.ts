/* A form that came when its session had ended: it is carried through signing in, and shown again. */

import * as z from 'zod';

/** Where it was going, and what was filled in. */
export interface KeptForm {
  readonly action: string;
  readonly fields: readonly (readonly [string, string])[];
}

/** An address of this console, for somebody to be led to. Anything else is the first page. */
export function ownAddress(given: string | undefined): string {
  return given !== undefined && /^\/(?![/\\])[^\s\\]{0,2000}$/.test(given) ? given : '/';
}

/** What a form has in a field; the empty text where it has none. */
export function fieldIn(body: unknown, name: string): string {
  if (typeof body !== 'object' || body === null) return '';
  const value: unknown = Reflect.get(body, name);
  return typeof value === 'string' ? value : '';
}

const most = { fields: 500, characters: 200_000 } as const;

/** What is worth keeping of a form: not what proved that it was ours, and no password. Null where it is too large. */
export function keptForm(action: string, body: unknown): KeptForm | null {
  const entries = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  const fields = entries.flatMap(([name, value]) => {
    if (name === '_csrf' || name === 'password') return [];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const kept = { action, fields };
  return fields.length > most.fields || JSON.stringify(kept).length > most.characters ? null : kept;
}

const schema = z.strictObject({
  action: z.string().refine((action) => ownAddress(action) === action),
  fields: z.array(z.tuple([z.string(), z.string()])).max(most.fields),
});

/** A kept form as the page of signing in carried it; null where it carried none. */
export function readKeptForm(text: string): KeptForm | null {
  if (text === '' || text.length > most.characters) return null;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
