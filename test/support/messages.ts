/* Messages in parts, compared by their plain text. */

import { type Message, plainText } from '../../src/domain/settings/message.ts';

/** A part of a text for `toMatchObject`: a message whose plain text has it. */
export function saying(text: string): unknown {
  return matcher(`saying ${text}`, (message) => message.includes(text));
}

/** A message whose plain text does not match. */
export function notSaying(form: RegExp): unknown {
  return matcher(`not saying ${form}`, (message) => !form.test(message));
}

function matcher(name: string, test: (message: string) => boolean): unknown {
  return {
    $$typeof: Symbol.for('jest.asymmetricMatcher'),
    asymmetricMatch: (message: Message) => test(plainText(message)),
    toString: () => name,
    toAsymmetricMatcher: () => name,
  };
}

/** The plain text of a finding's message; undefined where there is no finding. */
export function textOf(finding: { readonly message: Message } | undefined): string | undefined {
  return finding === undefined ? undefined : plainText(finding.message);
}
