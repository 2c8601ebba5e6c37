import { existsSync, readFileSync } from 'node:fs';
import type { Kind } from '../../domain/kind.ts';
import { type ExportSide, type OpenFile, openExportSide } from '../../reconcile/export-files.ts';
import { parseExportMapping, parseTwoMappings } from '../../reconcile/export-mapping.ts';
import type { App } from '../app.ts';
import { type Arguments, textsOf } from '../command.ts';
import { openFile } from '../inputs.ts';
import { usage } from './usage.ts';

/**
 * Opens the other side's export files that a batch is compared with; `--mapping` says how to read them.
 * @returns null when `--against` names none
 * @throws Failure for a file or a mapping that is refused
 */
export async function openAgainst(app: App, parsed: Arguments, kind: Kind): Promise<ExportSide | null> {
  const paths = textsOf(parsed, 'against');
  if (paths.length === 0) return null;
  const mapping = readMapping(app.settings.mapping, parseExportMapping, {});
  return openExportSide(paths, mapping, kind, opener(app));
}

/**
 * Opens the files of `--left` and `--right`, works on them, and closes them; one `--mapping` tells of both.
 * @throws Failure (exit 2) when one side is missing, or for a file or a mapping that is refused
 */
export async function withLeftAndRight<Result>(
  app: App,
  parsed: Arguments,
  work: (left: ExportSide, right: ExportSide) => Promise<Result>,
): Promise<Result> {
  const [leftPaths, rightPaths] = [textsOf(parsed, 'left'), textsOf(parsed, 'right')];
  if (leftPaths.length === 0 || rightPaths.length === 0) throw usage('--left and --right go together.');
  const mappings = readMapping(app.settings.mapping, parseTwoMappings, { left: {}, right: {} });
  const open = opener(app);
  const left = await openExportSide(leftPaths, mappings.left, null, open);
  try {
    const right = await openExportSide(rightPaths, mappings.right, null, open);
    try {
      return await work(left, right);
    } finally {
      await right.close();
    }
  } finally {
    await left.close();
  }
}

function readMapping<Mapping>(
  path: string | undefined,
  parse: (text: string, path: string) => Mapping,
  none: Mapping,
): Mapping {
  if (path === undefined) return none;
  if (!existsSync(path)) throw usage(`The mapping ${path} is not there.`);
  return parse(readFileSync(path, 'utf8'), path);
}

function opener({ settings }: App): OpenFile {
  return (path, isHeader) => openFile(path, settings, isHeader);
}
