/** A function that works once for each argument; for arguments of which there are few. */
export function remembered<Argument, Result>(
  work: (argument: Argument) => Result,
): (argument: Argument) => Result {
  const results = new Map<Argument, { readonly value: Result }>();
  return (argument) => {
    let known = results.get(argument);
    if (known === undefined) {
      known = { value: work(argument) };
      results.set(argument, known);
    }
    return known.value;
  };
}
