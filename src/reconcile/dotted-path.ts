/** The value at a dotted path of parsed JSON; undefined as soon as a step is missing. */
export function valueAtPath(json: unknown, path: string): unknown {
  let value = json;
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

/** Parsed JSON, or undefined for what is none. */
export function parsedJson(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
