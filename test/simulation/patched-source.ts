import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transform } from '@swc/core';

/** One change to the text of a source file; what is looked for has to stand there exactly once, on however many lines. */
export interface Edit {
  /** Relative to the project's root. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The folders whose copies the simulation loads; they reach everything else of ours by type only. */
const simulatedFolders = [
  'src/api',
  'src/domain',
  'src/ledger',
  'src/pipeline',
  'src/resources',
  'test/simulation',
];

/** A source file that the project does not have. */
export interface NewFile {
  /** Relative to the project's root. */
  readonly file: string;
  readonly text: string;
}

/** Copies of the project's sources, compiled, in which bugs can be planted without touching the project. */
export interface SourceCopies {
  /**
   * Makes a copy with these edits, and files that are in this copy only.
   * @returns imports one of its modules, named by its path in the project
   * @throws Error when a snippet is not found exactly once
   */
  readonly copyWith: (
    edits: readonly Edit[],
    added?: readonly NewFile[],
  ) => Promise<(file: string) => Promise<object>>;
  readonly remove: () => Promise<void>;
}

/** @param folders whose sources are copied, with all below them; enough for the simulation unless stated */
export async function openSourceCopies(folders: readonly string[] = simulatedFolders): Promise<SourceCopies> {
  const folder = await mkdtemp(join(tmpdir(), 'paybatch-patched-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await symlink(join(root, 'package.json'), join(folder, 'package.json'));
  const sources = await readSources(folders);
  const compiled = new Map<string, string>();
  for (const [file, text] of sources) compiled.set(file, await compile(text));
  let copies = 0;
  return {
    copyWith: async (edits, added = []) => {
      copies += 1;
      const copy = join(folder, `copy-${copies}`);
      const patched = new Map(compiled);
      for (const [file, text] of applyEdits(sources, edits)) patched.set(file, await compile(text));
      for (const { file, text } of added) patched.set(file, await compile(text));
      for (const [file, text] of patched) await writeModule(join(copy, moduleName(file)), text);
      return (file) => import(pathToFileURL(join(copy, moduleName(file))).href);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function readSources(folders: readonly string[]): Promise<Map<string, string>> {
  const sources = new Map<string, string>();
  for (const folder of folders) {
    const names = await readdir(join(root, folder), { recursive: true });
    for (const name of names.filter((each) => each.endsWith('.ts') && !each.endsWith('.test.ts'))) {
      const file = `${folder}/${name}`;
      sources.set(file, await readFile(join(root, file), 'utf8'));
    }
  }
  return sources;
}

/** The files that the edits change, with their new text. */
function applyEdits(sources: ReadonlyMap<string, string>, edits: readonly Edit[]): Map<string, string> {
  const changed = new Map<string, string>();
  for (const { file, find, replace } of edits) {
    const text = changed.get(file) ?? sources.get(file) ?? '';
    const parts = text.split(onAnyLines(find));
    if (parts.length !== 2) {
      throw new Error(`${file} has ${parts.length - 1} times, and not once, the snippet: ${find}`);
    }
    changed.set(file, parts.join(replace));
  }
  return changed;
}

/** Finds a snippet wherever its lines are broken. */
function onAnyLines(snippet: string): RegExp {
  const words = snippet.split(/\s+/).map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(words.join('\\s+'));
}

async function compile(text: string): Promise<string> {
  const { code } = await transform(text, {
    configFile: false,
    swcrc: false,
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022', transform: { verbatimModuleSyntax: true } },
    module: { type: 'es6' },
  });
  return code.replaceAll(/((?:from\s+|import\()["']\.[^"']*)\.ts(["'])/g, '$1.mjs$2');
}

function moduleName(file: string): string {
  return file.replace(/\.ts$/, '.mjs');
}

async function writeModule(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
