/* What helps, in the words of a command line with the default settings. */

import { readSettings } from '../../src/call/settings.ts';
import { commandLineWords, nextOf } from '../../src/cli/remedies/remedy-text.ts';
import type { PaybatchError, Phrasebook } from '../../src/domain/failures/paybatch-error.ts';

export const typedWords: Phrasebook = commandLineWords({ settings: readSettings({}) });

/** What a person on a terminal is advised to do about an error. */
export function nextTyped(error: PaybatchError): string | null {
  return nextOf(error, typedWords);
}

/** The same without what says where a batch belongs. */
export const bareWords: Phrasebook = {
  ...typedWords,
  remedy: (remedy) => {
    const bare = { ...remedy };
    Reflect.deleteProperty(bare, 'environment');
    return typedWords.remedy(bare);
  },
};
