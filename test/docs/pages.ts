import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A fenced block of a page, with what the comment above it says. */
export interface Block {
  readonly page: string;
  /** Of the line that opens it, from 1. */
  readonly line: number;
  /** `sh`, `csv`, ...; empty where none is given. */
  readonly language: string;
  readonly text: string;
  /** `<!-- file: NAME -->`: the reader saves the block under that name. */
  readonly file: string | null;
  /** `<!-- not walked: REASON -->`: its commands need what a test does not have. */
  readonly notWalked: string | null;
}

/** Every page of the documentation, as a path from the project's folder. */
export function pages(): string[] {
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', 'CONTRIBUTING.md', ...docs.sort().map((name) => `docs/${name}`)];
}

export function readPage(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

export function blocksOf(page: string): Block[] {
  const fenced = /(?:^<!-- (?<comment>[^\n]*) -->\n\n?)?^```(?<language>\w*)\n(?<text>.*?)^```$/gms;
  const content = readPage(page);
  return Array.from(content.matchAll(fenced), (match) => {
    const { comment = '', language = '', text = '' } = match.groups ?? {};
    const opening = match.index + match[0].indexOf('```');
    return {
      page,
      line: content.slice(0, opening).split('\n').length,
      language,
      text,
      file: /^file: (\S+)$/.exec(comment)?.[1] ?? null,
      notWalked: /^not walked: (.+)$/.exec(comment)?.[1] ?? null,
    };
  });
}

/** The command lines of a block: continued lines are one. */
export function commandsOf({ text }: Block): string[] {
  return text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
}
