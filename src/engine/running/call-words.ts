/* What helps, in the words of the library. */

import type { DoorWords } from '../../domain/failures/remedy.ts';

/** A remedy as a call: `resume({"batch":"961a3f1c"})`. Advice is a sentence everywhere. */
export const callWords: DoorWords = {
  remedy: (remedy) => {
    if (remedy.action === 'advice') return remedy.text;
    const { action, purpose: _, effect: __, next: ___, ...given } = remedy;
    return `${action}(${JSON.stringify(given)})`;
  },
};
