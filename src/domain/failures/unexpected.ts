/* What may be shown of an error that nobody foresaw. */

/** The facts of a database's error that hold no value of a row. */
const databaseFacts = [
  'severity',
  'code',
  'schema',
  'table',
  'column',
  'dataType',
  'constraint',
  'routine',
] as const;

/**
 * What is shown of an error that nobody foresaw, in one line. A database and a parser quote in their messages what they
 * were given, which may be a person's data: of their errors only the kind and the facts are told.
 */
export function describeUnexpected(error: unknown): string {
  if (!(error instanceof Error)) return `something that is no error was thrown (${typeof error})`;
  if ('severity' in error) return `database error (${factsOf(error)})`;
  return error instanceof SyntaxError ? error.name : `${error.name}: ${error.message}`;
}

/** The same, with where it was thrown. */
export function traceOf(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const frames = stack.split('\n').filter((line) => /^ +at /.test(line));
  return [describeUnexpected(error), ...frames].join('\n');
}

function factsOf(error: Error): string {
  return databaseFacts
    .flatMap((name) => {
      const fact: unknown = Reflect.get(error, name);
      return typeof fact === 'string' && fact !== '' ? [`${name} ${fact}`] : [];
    })
    .join(', ');
}
