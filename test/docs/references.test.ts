import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { pages, readPage } from './pages.ts';

/* What a page refers to has to be there: pages outlive the files and headings that they name. */

const root = fileURLToPath(new URL('../..', import.meta.url));
const sourceFiles = ['src', 'test', 'bench', 'migrations'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `/${folder}/${name}`),
);

describe('what a page refers to is there', () => {
  it.each(pages())('links and headings of %s', (page) => {
    const links = Array.from(withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target);
    expect(links.filter((link) => !isThere(page, link))).toEqual([]);
  });

  it.each(pages())('source files of %s', (page) => {
    const named = Array.from(readPage(page).matchAll(/`([\w./-]+\.ts)`/g), ([, path = '']) => path);
    expect(named.filter((path) => !sourceFiles.some((file) => file.endsWith(`/${path}`)))).toEqual([]);
  });

  it('each test that shows what answers an attack, by a part of its title', () => {
    const [table = ''] = /^## Attacks, and what answers them$.*/ms.exec(readPage('docs/controls.md')) ?? [];
    const cells = [...table.matchAll(/^\|.*\| ([^|]*) \|$/gm)].map(([, cell = '']) => cell);
    const named = cells.flatMap((cell) =>
      cell.split('; ').flatMap((of) => {
        const path = /`(test\/[\w./-]+\.test\.ts)`/.exec(of)?.[1];
        if (path === undefined) return [];
        return [...of.matchAll(/“([^”]+)”/g)].map(([, title = '']) => [path, title] as const);
      }),
    );
    const missing = named.filter(([path, title]) => !readFileSync(join(root, path), 'utf8').includes(title));
    expect(missing).toEqual([]);
    expect(named.length).toBeGreaterThan(30);
  });

  it('each function and class of the walk of a row, in the file that is named with it', () => {
    const [walk = ''] = /^## A row on its way.*?(?=^## )/ms.exec(readPage('docs/architecture.md')) ?? [];
    const named = [...walk.matchAll(/`(\w+)`(?:,|\s+\()\s*`([\w./-]+\.ts)`/g)];
    const missing = named.filter(
      ([, name, path]) =>
        !new RegExp(`^export (?:async )?(?:function\\*?|class|const) ${name}\\b`, 'm').test(
          readFileSync(join(root, 'src', path ?? ''), 'utf8'),
        ),
    );
    expect(missing.map(([text]) => text)).toEqual([]);
    expect(named.length).toBeGreaterThan(20);
  });

  it('the folders of a layer, all of them, in the picture of the architecture', () => {
    const [picture = ''] = /^```\ncli .*?^```$/ms.exec(readPage('docs/architecture.md')) ?? [];
    const shown = new Set(picture.split(/\s+/));
    const foldersOf = (path: string): string[] =>
      readdirSync(join(root, path), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name);
    const rooms = foldersOf('src');
    expect(rooms.filter((room) => !shown.has(room))).toEqual([]);
    for (const layer of rooms.filter((room) => room !== 'sandbox')) {
      const folders = foldersOf(join('src', layer));
      expect(
        folders.filter((name) => !shown.has(name)),
        layer,
      ).toEqual([]);
    }
  });
});

function withoutCode(page: string): string {
  return readPage(page)
    .replaceAll(/^```.*?^```$/gms, '')
    .replaceAll(/`[^`\n]*`/g, 'code');
}

function isThere(page: string, link: string): boolean {
  if (/^https?:/.test(link)) return true;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

/** The anchors of a page's headings, as they are made of them: `## Exit codes` is `#exit-codes`. */
function anchorsOf(page: string): string[] {
  return Array.from(readPage(page).matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
