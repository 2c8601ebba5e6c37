/** So many first 404s on a path say that the path is wrong, even while other requests are still open. */
const mostUnprovenNotFounds = 10;

export type NotFoundVerdict = 'path_is_right' | 'path_is_wrong' | 'undecided';

/**
 * Tells a 404 that refuses one row from a 404 that means "there is no such path", which a wrong base URL
 * gives for every row. A path is proven by any other conclusive answer on it. A 404 on a path that is not
 * proven waits for the rows that are under way on the same path, since one of them may prove it:
 *
 * - another row proves the path: all waiting 404s are refusals;
 * - ten 404s are waiting, or nothing but waiting 404s is under way: the path is wrong.
 *
 * Every row under way either ends or starts waiting, so no 404 waits for ever.
 */
export interface PathProof {
  /** A row's tries on this path begin; they end with `leave`. */
  readonly enter: (path: string) => void;
  readonly leave: (path: string) => void;
  /** The path gave a conclusive answer other than 404. */
  readonly prove: (path: string) => void;
  /** Judges a 404 of a row that has entered; `undecided` when the signal aborts first. */
  readonly judge: (path: string, signal: AbortSignal) => Promise<NotFoundVerdict>;
}

interface PathState {
  isProven: boolean;
  underWay: number;
  waiting: ((verdict: NotFoundVerdict) => void)[];
}

/** @param isProvenAlready whether the path gave a conclusive answer in an earlier run */
export function createPathProof(isProvenAlready: (path: string) => boolean = () => false): PathProof {
  const states = new Map<string, PathState>();
  const stateOf = (path: string): PathState => {
    const known = states.get(path);
    if (known !== undefined) return known;
    const fresh = { isProven: isProvenAlready(path), underWay: 0, waiting: [] };
    states.set(path, fresh);
    return fresh;
  };
  return {
    enter(path) {
      stateOf(path).underWay += 1;
    },
    leave(path) {
      const state = stateOf(path);
      state.underWay -= 1;
      condemnIfHopeless(state);
    },
    prove(path) {
      const state = stateOf(path);
      state.isProven = true;
      tellAll(state, 'path_is_right');
    },
    judge(path, signal) {
      const state = stateOf(path);
      if (state.isProven) return Promise.resolve('path_is_right');
      if (signal.aborted) return Promise.resolve('undecided');
      return new Promise((resolve) => {
        const onAbort = () => resolve('undecided');
        signal.addEventListener('abort', onAbort, { once: true });
        state.waiting.push((verdict) => {
          signal.removeEventListener('abort', onAbort);
          resolve(verdict);
        });
        condemnIfHopeless(state);
      });
    },
  };
}

function condemnIfHopeless(state: PathState): void {
  const { length } = state.waiting;
  if (length > 0 && (length >= mostUnprovenNotFounds || length >= state.underWay)) {
    tellAll(state, 'path_is_wrong');
  }
}

function tellAll(state: PathState, verdict: NotFoundVerdict): void {
  for (const tell of state.waiting.splice(0)) tell(verdict);
}
