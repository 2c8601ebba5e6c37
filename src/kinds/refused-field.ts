import type { TableMapping } from '../domain/tables/mapping.ts';
import { columnsOf } from './registry.ts';

/** What the API said when it refused a row. */
interface ApiRefusal {
  readonly code: string | null;
  readonly message: string | null;
}

/** Prefixes and suffixes of codes that name a field: `invalid_iban`, `phone_number_required`. */
const codeWords =
  /^(?:invalid|missing|unknown|unsupported|wrong|bad)_|_(?:invalid|required|missing|mismatch|unknown)$/g;

/**
 * The column of the file that a refusal is about, as the file calls it. The shape of the API's errors is not specified:
 * a field counts where its sentence or code names it, with or without its path (`address.city`).
 * @returns null where it names none, or one that no column of the file is read as
 */
export function refusedColumn(
  refusal: ApiRefusal,
  { kind, columns }: Pick<TableMapping, 'kind' | 'columns'>,
): string | null {
  const field = refusedField(refusal, columnsOf(kind));
  if (field === null) return null;
  const own =
    columns.find((column) => column.field === field) ??
    columns.find(({ field: other }) => isSameThing(field, other));
  if (own === undefined) return null;
  return own.index === null ? (own.joined?.[0]?.title ?? null) : own.title;
}

/** The field that is named first, the longer one where two begin together. */
function refusedField({ code, message }: ApiRefusal, fields: readonly string[]): string | null {
  let first: { readonly field: string; readonly at: number } | null = null;
  for (const field of [...fields].sort((left, right) => right.length - left.length)) {
    const at = placeIn(message ?? '', field);
    if (at !== null && (first === null || at < first.at)) first = { field, at };
  }
  const named = (code ?? '').replace(codeWords, '');
  return first?.field ?? (fields.includes(named) ? named : null);
}

/**
 * Where a sentence names a field. One of a single word (`city`, `amount`) is an ordinary word of a sentence, unless it
 * stands first, in quotation marks, or behind a dot.
 */
function placeIn(message: string, field: string): number | null {
  const name = field.split('_').join('[._]');
  const before = field.includes('_') ? '(?<![\\w])' : '(?:(?<=^(?:the |field )?)|(?<=[."\'`“‘]))';
  const found = new RegExp(`${before}${name}(?!\\w)`, 'i').exec(message);
  return found === null ? null : found.index;
}

/** `institution_id` is sent for what the file names in `institution_name`, `customer_id` for `customer_external_id`. */
function isSameThing(field: string, other: string): boolean {
  const [thing, own] = [
    /^(\w+?)_id$/.exec(field)?.[1],
    /^(\w+?)_(?:external_id|name|label)$/.exec(other)?.[1],
  ];
  return thing !== undefined && thing === own;
}
