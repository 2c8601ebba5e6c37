/** A function that remembers its result for each argument. Only for functions with few different arguments. */
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
