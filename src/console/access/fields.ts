/* The fields of a query or of a form, as texts. */

/**
 * If several fields have one name, the last counts: no page of the console has two, and every route gets texts. NUL
 * characters, which cannot be typed or stored, are shown as unreadable characters.
 */
export function fieldsOf(text: string): Record<string, string> {
  const fields = [...new URLSearchParams(text)];
  return Object.fromEntries(fields.map(([name, value]) => [name, value.replaceAll('\0', '\uFFFD')]));
}
