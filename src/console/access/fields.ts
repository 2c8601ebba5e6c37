/* The fields of a query or of a form, as texts. */

/**
 * Of several fields with one name the last counts: no page of ours has two, and every route may rely on texts. NUL
 * characters, which nobody can type and no database takes, are shown as what cannot be read.
 */
export function fieldsOf(text: string): Record<string, string> {
  const fields = [...new URLSearchParams(text)];
  return Object.fromEntries(fields.map(([name, value]) => [name, value.replaceAll('\0', '\uFFFD')]));
}
