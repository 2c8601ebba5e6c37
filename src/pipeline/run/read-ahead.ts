/**
 * Reads one group ahead: while the caller works on a group, the next one is on its way. So no more than two are in
 * memory. What goes wrong with a group is thrown when its turn comes.
 */
export async function* readAhead<Group>(groups: AsyncIterable<Group>): AsyncGenerator<Group> {
  const iterator = groups[Symbol.asyncIterator]();
  let coming = askFor(iterator);
  try {
    for (;;) {
      const next = await coming;
      if (next.done === true) return;
      coming = askFor(iterator);
      yield next.value;
    }
  } finally {
    // The caller may have had enough, or failed: nothing is left behind that still reads.
    await coming.catch(() => {});
    await iterator.return?.();
  }
}

/** Its failure is looked at later; until then it is nobody's oversight. */
function askFor<Group>(iterator: AsyncIterator<Group>): Promise<IteratorResult<Group>> {
  const coming = iterator.next();
  coming.catch(() => {});
  return coming;
}
