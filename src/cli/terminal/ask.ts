import { createInterface } from 'node:readline';

/**
 * Puts a question to a person and gives the answer, null where the person has stopped (Ctrl-C, Ctrl-D). Itself null
 * where there is no terminal to ask on.
 */
export type Ask = ((question: string) => Promise<string | null>) | null;

export function askOnTerminal(): Ask {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return null;
  return (question) =>
    new Promise((resolve) => {
      const dialogue = createInterface({ input: process.stdin, output: process.stderr });
      // Ctrl-C and Ctrl-D are answers as well, and not yes.
      dialogue.once('SIGINT', () => dialogue.close());
      dialogue.once('close', () => resolve(null));
      dialogue.question(question, (answer) => {
        resolve(answer);
        dialogue.close();
      });
    });
}

/** Only the whole word counts: what follows may move money. */
export function isYes(answer: string | null): boolean {
  return answer?.trim().toLowerCase() === 'yes';
}
