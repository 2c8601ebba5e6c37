import { expect, it } from 'vitest';
import { sql } from '../../migrations/0001-schema/index.ts';

/* The schema is read as a description: what is there for something, or keeps a promise, has a comment that says so. */

const kinds = {
  table: /^ {2}CREATE TABLE /,
  view: /^ {2}CREATE VIEW /,
  function: /^ {2}CREATE FUNCTION /,
  trigger: /^ {2}CREATE (CONSTRAINT )?TRIGGER /,
  'unique index': /^ {2}CREATE UNIQUE INDEX /,
  constraint: /^ {4}(ADD )?(CONSTRAINT|UNIQUE|CHECK|FOREIGN KEY)\b/,
  // These need none, but a comment before one is about nothing else.
  index: /^ {2}CREATE INDEX /,
  column: /^ {4}([a-z_]+ (text|bytea|uuid|integer|bigint|boolean|jsonb|timestamptz|int4)|PRIMARY KEY)/,
};

type KindOfLine = keyof typeof kinds;

const needComment: readonly KindOfLine[] = [
  'table',
  'view',
  'function',
  'trigger',
  'unique index',
  'constraint',
];

function kindOf(line: string): KindOfLine | undefined {
  return (Object.keys(kinds) as KindOfLine[]).find((kind) => kinds[kind].test(line));
}

/** The lines that have no comment directly before them, nor before their like in front of them; of a trigger before its function. */
function uncommented(lines: readonly string[]): { readonly kind: KindOfLine; readonly line: string }[] {
  const found: { kind: KindOfLine; line: string }[] = [];
  let isAnnounced = false;
  let explained: KindOfLine | undefined;
  for (const line of lines) {
    const kind = kindOf(line);
    if (/^ *--/.test(line)) isAnnounced = true;
    else if (line === '') [isAnnounced, explained] = [false, undefined];
    else if (kind !== undefined) {
      const hasComment: boolean =
        isAnnounced || kind === explained || (kind === 'trigger' && explained === 'function');
      if (!hasComment && needComment.includes(kind)) found.push({ kind, line });
      [isAnnounced, explained] = [false, hasComment ? kind : undefined];
    }
  }
  return found;
}

const lines = sql.split('\n');

it('each table, view, function, trigger, unique index and constraint of the schema has a comment', () => {
  expect(uncommented(lines)).toEqual([]);
});

it('all of them are looked at', () => {
  const [, ...created] = sql.split(/\bCREATE (?:TABLE|VIEW|FUNCTION|(?:CONSTRAINT )?TRIGGER|UNIQUE INDEX) /);
  const [, ...constraints] = sql.split(/\bCONSTRAINT (?=\w+ (?:CHECK|UNIQUE|FOREIGN KEY))/);
  const looked = lines.map(kindOf).filter((kind) => kind !== undefined && needComment.includes(kind));
  const unnamed = lines.filter((line) => /^ {4}(UNIQUE|CHECK|FOREIGN KEY)\b/.test(line));
  expect(looked).toHaveLength(created.length + constraints.length + unnamed.length);
});

it('one without a comment is found', () => {
  const table = ['  -- What it is for.', '  CREATE TABLE a (', '    -- Why.', '    b text,'];
  const check = '    CHECK (b IS NOT NULL)';
  expect(uncommented([...table, check])).toEqual([{ kind: 'constraint', line: check }]);
  expect(uncommented([...table, '    -- Why not.', check, check])).toEqual([]);
  expect(uncommented(['  -- What it is for.', '', '  CREATE TABLE a ('])).toHaveLength(1);
});
