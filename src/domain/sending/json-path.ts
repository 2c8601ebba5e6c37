/** A member of parsed JSON; undefined where it is not an object, or has no such member. */
export function memberOf(json: unknown, name: string): unknown {
  if (typeof json !== 'object' || json === null || !Object.hasOwn(json, name)) return undefined;
  return Reflect.get(json, name);
}

/** The value at a dotted path of parsed JSON; undefined as soon as a step is missing. */
export function valueAtPath(json: unknown, path: string): unknown {
  let value = json;
  for (const step of path.split('.')) {
    value = memberOf(value, step);
    if (value === undefined) return undefined;
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
