/* Copies of the project's sources with planted mistakes, which are found by the name of the declaration around them. */

import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transform } from '@swc/core';

/**
 * One change in a function, a class, an interface or a constant, wherever that is. What is looked for has to be in it
 * exactly once, on however many lines.
 */
export interface Edit {
  /** Its name, or that of a method; where several have it, the one that has what is looked for. */
  readonly within: string;
  readonly find: string;
  readonly replace: string;
  /** What the replacement needs besides, at the top level of the same file. */
  readonly add?: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The folders whose copies the simulation loads; they reach all other folders by type only. */
const simulatedFolders = [
  'migrations',
  ...['api', 'account', 'call', 'disk', 'domain', 'kinds', 'ledger', 'read', 'recover', 'send', 'watch'].map(
    (room) => `src/${room}`,
  ),
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
   * @throws Error when a snippet is not found exactly once in what an edit names
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
  const compiled = await readDataFiles(folders);
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

/**
 * Says in a moment, since nothing is compiled, which of these edits would not find their place.
 * @returns an error for each
 */
export async function misplacedEdits(folders: readonly string[], edits: readonly Edit[]): Promise<string[]> {
  const sources = await readSources(folders);
  return edits.flatMap((edit) => {
    try {
      applyEdits(sources, [edit]);
      return [];
    } catch (error) {
      return [String(error)];
    }
  });
}

/** The text of the files in which mistakes are planted, by their paths in the project. @throws Error as `copyWith` */
export async function patchedSources(
  folders: readonly string[],
  edits: readonly Edit[],
): Promise<ReadonlyMap<string, string>> {
  return applyEdits(await readSources(folders), edits);
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

/** The data and styles beside the sources, which copies read as well. */
async function readDataFiles(folders: readonly string[]): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const folder of folders) {
    const names = await readdir(join(root, folder), { recursive: true });
    for (const name of names.filter((each) => /\.(?:json|css|client\.js)$/.test(each))) {
      files.set(`${folder}/${name}`, await readFile(join(root, folder, name), 'utf8'));
    }
  }
  return files;
}

/** The files that the edits change, with their new text. */
function applyEdits(sources: ReadonlyMap<string, string>, edits: readonly Edit[]): Map<string, string> {
  const changed = new Map<string, string>();
  for (const edit of edits) {
    const named = declarationsOf(new Map([...sources, ...changed]), edit.within);
    const found = named.flatMap((place) => placesOf(edit.find, place).map((at) => ({ ...place, ...at })));
    const [only] = found;
    if (only === undefined || found.length > 1) {
      throw new Error(
        `"${edit.within}", declared ${named.length} times, has ${found.length} times, and not once, the snippet: ${edit.find}`,
      );
    }
    const { file, text, start, from, to } = only;
    const parts = [
      text.slice(0, start),
      edit.add ?? '',
      text.slice(start, from),
      edit.replace,
      text.slice(to),
    ];
    changed.set(file, parts.join(''));
  }
  return changed;
}

/** Where something with a name is declared. */
interface Declaration {
  readonly file: string;
  readonly text: string;
  /** Where its statement begins; of a method, its class. */
  readonly start: number;
  readonly begin: number;
  readonly end: number;
}

/**
 * All functions, classes, interfaces, constants and methods of this name. The formatter sees to it that what is declared at
 * the top level begins in the first column, a method in the third, and that nothing else of either does.
 */
function declarationsOf(sources: ReadonlyMap<string, string>, name: string): Declaration[] {
  const head = new RegExp(
    `^(?:(?:export )?(?:async )?(?:function\\*?|const|class|interface) ${name}\\b|  (?:async )?\\*?${name}(?=[(<]))`,
    'gm',
  );
  return [...sources].flatMap(([file, text]) =>
    text.includes(name)
      ? [...text.matchAll(head)].flatMap(({ index: begin }) => {
          const isMethod = text[begin] === ' ';
          const second = text.indexOf('\n', begin) + 1;
          const length = text.slice(second).search(isMethod ? /^ {2}(?! |\}|\))/m : /^(?=[a-z/])/m);
          const end = length < 0 ? text.length : second + length;
          const ofClass =
            Math.max(...['\nclass ', '\nexport class '].map((head) => text.lastIndexOf(head, begin))) + 1;
          const start = isMethod ? ofClass : begin;
          return [{ file, text, start, begin, end }];
        })
      : [],
  );
}

/** Finds a snippet wherever its lines are broken. */
function placesOf(snippet: string, { text, begin, end }: Declaration): { from: number; to: number }[] {
  const words = snippet.split(/\s+/).map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return [...text.slice(begin, end).matchAll(new RegExp(words.join('\\s+'), 'g'))].map((match) => ({
    from: begin + match.index,
    to: begin + match.index + match[0].length,
  }));
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
