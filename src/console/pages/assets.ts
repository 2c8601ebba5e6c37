/* What pages load: their style sheet, the script of all pages, that of the table of rows, and an icon. */

import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { sharedStyle } from '../../account/report/page.ts';

/**
 * The status with which a part reports that its whole page has changed; other codes below 300 are for the part only.
 */
export const pageHasChanged = 205;

/** What all pages do with scripts: moments, kept forms, and parts that update themselves. */
export const script = readFileSync(new URL('./console.client.js', import.meta.url), 'utf8');

/** A sheet with a tick. */
const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#2b5c8a"/><path d="M4 8.5l3 3 5-6" fill="none" stroke="#fff" stroke-width="2"/></svg>';

/** The look of a reading: the file as a table. */
const mappingStyle = readFileSync(new URL('./mapping.css', import.meta.url), 'utf8');

/** Light and dark, narrow and wide. Its statuses have the hues of the report. */
const stylesheet = `${sharedStyle}${readFileSync(new URL('./console.css', import.meta.url), 'utf8')}${mappingStyle}`;

/** What makes all pages quick for who works with them every day. */
const daily = readFileSync(new URL('./daily.client.js', import.meta.url), 'utf8');
/** How blocks of cells are copied and pasted. */
export const rowBlock = readFileSync(new URL('./row-block.client.js', import.meta.url), 'utf8');
/** How what was typed is saved. */
const rowSteps = readFileSync(new URL('./row-steps.client.js', import.meta.url), 'utf8');
/** The values from which people choose in a cell, and in a drop-down of many options. */
const rowChoices = readFileSync(new URL('./row-choices.client.js', import.meta.url), 'utf8');
/** What helps who says how a file is read. */
const reading = readFileSync(new URL('./reading.client.js', import.meta.url), 'utf8');
/** What makes the table of a batch's rows editable. */
const rowGrid = readFileSync(new URL('./row-grid.client.js', import.meta.url), 'utf8');

/** Serves them. */
export function registerAssets(app: FastifyInstance): void {
  const assets: readonly (readonly [string, string, string])[] = [
    ['/favicon.ico', 'image/svg+xml', icon],
    ['/assets/console.css', 'text/css; charset=utf-8', stylesheet],
    [
      '/assets/console.js',
      'text/javascript; charset=utf-8',
      `'use strict';\n${script}${daily}${rowChoices}${reading}`,
    ],
    ['/assets/row-grid.js', 'text/javascript; charset=utf-8', `${rowBlock}${rowSteps}${rowGrid}`],
  ];
  for (const [address, type, text] of assets) {
    app.get(address, (_request, reply) => reply.type(type).header('cache-control', 'max-age=300').send(text));
  }
}
