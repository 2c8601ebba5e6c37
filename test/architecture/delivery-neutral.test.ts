import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const source = fileURLToPath(new URL('../../src', import.meta.url));

/** Layers that do not depend on the channel: a page, a library and a command line use them alike. */
const layers = [
  'api',
  'call',
  'check',
  'controls',
  'domain',
  'engine',
  'kinds',
  'ledger',
  'propose',
  'read',
  'reconcile',
  'recover',
  'send',
  'watch',
] as const;

/**
 * What belongs to the command line, each with what it would look like here. Node.js itself acts on variables such as
 * `NODE_EXTRA_CA_CERTS` in every process, so these belong to no channel.
 */
const forbidden: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['an exit code', /\bexit[_ ]?codes?\b|\bexit \d/i],
  ['an option', /(?<![\w-])--[a-z][a-z-]+/],
  ['a command that was typed', /\bsame command\b/],
  ['quoting for a shell', /\bshellWord\b/],
  ['an environment variable', /\bPAYBATCH_[A-Z]|\bDATABASE_URL\b|\b(?:HTTPS?|NO)_PROXY\b/],
  [
    'a command to type',
    /['"`]paybatch [a-z]+|`[^`\n]*\bpaybatch (?:import|plan|resume|retry|reconcile|resolve|recover|status|mapping|template|doctor|migrate|validate|submit|results|institutions)\b/,
  ],
];

/** Lines that only resemble them. */
const allowed: readonly RegExp[] = [
  // Options of other programs: PostgreSQL's initdb, V8, Node.js.
  /--wal-segsize|--liftoff-only|--max-old-space-size|'--import', 'tsx'/,
  // What hashes are made of.
  /'paybatch (?:plan|selection)', 1|`paybatch credential/,
];

function findingsIn(text: string): string[] {
  return text.split('\n').flatMap((line, at) => {
    if (allowed.some((pattern) => pattern.test(line))) return [];
    return forbidden.flatMap(([what, pattern]) => (pattern.test(line) ? [`${at + 1}: ${what}`] : []));
  });
}

it.each(layers)('src/%s has no words of the command line', (layer) => {
  const files = readdirSync(join(source, layer), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  expect(files).not.toEqual([]);
  const found = files.flatMap((name) =>
    findingsIn(readFileSync(join(source, layer, name), 'utf8')).map(
      (finding) => `${layer}/${name}:${finding}`,
    ),
  );
  expect(found).toEqual([]);
});

it('would find one that comes back', () => {
  expect(findingsIn("const next = 'give --base-url URL';")).toEqual(['1: an option']);
  expect(findingsIn('\nreturn `look again: paybatch plan FILE`;')).toEqual(['2: a command to type']);
  expect(findingsIn('process.exitCode = 3;\nconst line = words.map(shellWord);')).toEqual([
    '1: an exit code',
    '2: quoting for a shell',
  ]);
  expect(findingsIn("throw refused('DATABASE_URL has no password.');")).toEqual([
    '1: an environment variable',
  ]);
});
