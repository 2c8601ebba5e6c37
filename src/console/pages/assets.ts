/*
 * The files that pages load: their style sheet, the script of all pages, the script of the table of rows, and an icon.
 */

import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { sharedStyle } from '../../account/report/page.ts';

/**
 * The status with which a part reports that its whole page has changed. Other codes below 300 concern only the part.
 */
export const pageHasChanged = 205;

/** The script of all pages, for moments, kept forms, and parts that update themselves. */
export const script = readFileSync(new URL('./console.client.js', import.meta.url), 'utf8');

/** A sheet with a tick. */
const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#2b5c8a"/><path d="M4 8.5l3 3 5-6" fill="none" stroke="#fff" stroke-width="2"/></svg>';

/** The style of the mapping pages, which show the file as a table. */
const mappingStyle = readFileSync(new URL('./mapping.css', import.meta.url), 'utf8');

/** The style for light and dark themes, and for narrow and wide screens. Its statuses have the hues of the report. */
const stylesheet = `${sharedStyle}${readFileSync(new URL('./console.css', import.meta.url), 'utf8')}${mappingStyle}`;

/** The script that makes all pages quick for people who use them every day. */
const daily = readFileSync(new URL('./daily.client.js', import.meta.url), 'utf8');
/** The script that copies and pastes blocks of cells. */
export const rowBlock = readFileSync(new URL('./row-block.client.js', import.meta.url), 'utf8');
/** The script that saves typed cells. */
const rowSteps = readFileSync(new URL('./row-steps.client.js', import.meta.url), 'utf8');
/** The script for the values from which people choose in a cell, and in a drop-down with many options. */
const rowChoices = readFileSync(new URL('./row-choices.client.js', import.meta.url), 'utf8');
/** The script that helps people to say how a file is read. */
const reading = readFileSync(new URL('./reading.client.js', import.meta.url), 'utf8');
/** The script that makes the table of a batch's rows editable. */
const rowGrid = readFileSync(new URL('./row-grid.client.js', import.meta.url), 'utf8');

/** Registers the routes of these files. */
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
