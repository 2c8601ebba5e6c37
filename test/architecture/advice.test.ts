import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from '@swc/core';
import { expect, it } from 'vitest';

const source = fileURLToPath(new URL('../../src', import.meta.url));

/** A node of a syntax tree, as far as it matters here. */
type Node = Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (!isNode(value)) return;
  visit(value);
  for (const key in value) if (key !== 'span') walk(value[key], visit);
}

function nodeAt(node: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((at, key) => (isNode(at) ? at[key] : undefined), node);
}

/** Texts that are written at this place; … stands for what is put into them. */
function textsAt(node: unknown): string[] {
  switch (nodeAt(node, 'type')) {
    case 'StringLiteral':
      return [String(nodeAt(node, 'value'))];
    case 'TemplateLiteral': {
      const quasis = [nodeAt(node, 'quasis')].flat();
      return [quasis.map((quasi) => String(nodeAt(quasi, 'raw'))).join('…')];
    }
    case 'TaggedTemplateExpression':
      return textsAt(nodeAt(node, 'template'));
    case 'ArrayExpression': {
      const elements = [nodeAt(node, 'elements')].flat();
      return elements.flatMap((element) => textsAt(nodeAt(element, 'expression')));
    }
    case 'ConditionalExpression':
      return [...textsAt(nodeAt(node, 'consequent')), ...textsAt(nodeAt(node, 'alternate'))];
    default:
      return [];
  }
}

/** Whether a parameter takes advice. */
function isOfAdvice(parameter: unknown): boolean {
  const type = nodeAt(parameter, 'typeAnnotation', 'typeAnnotation', 'typeName', 'value');
  return type === 'Remedies' || nodeAt(parameter, 'value') === 'advice';
}

/** A file's functions that take advice, by their names the place of the argument; its constants; and what it calls. */
interface Parts {
  readonly places: Map<string, number>;
  readonly constants: Map<unknown, unknown>;
  readonly calls: { readonly name: string; readonly given: unknown }[];
  readonly advice: string[];
}

function partsOf(text: string): Parts {
  const parts: Parts = { places: new Map(), constants: new Map(), calls: [], advice: [] };
  walk(parseSync(text, { syntax: 'typescript' }), (node) => {
    switch (node['type']) {
      case 'FunctionDeclaration': {
        const at = [node['params']].flat().findIndex((parameter) => isOfAdvice(nodeAt(parameter, 'pat')));
        if (at !== -1) parts.places.set(String(nodeAt(node, 'identifier', 'value')), at);
        break;
      }
      case 'VariableDeclarator': {
        const name = nodeAt(node, 'id', 'value');
        const at = [nodeAt(node, 'init', 'params')].flat().findIndex(isOfAdvice);
        if (at === -1) parts.constants.set(name, node['init']);
        else parts.places.set(String(name), at);
        break;
      }
      case 'NewExpression':
      case 'CallExpression':
        parts.calls.push({ name: String(nodeAt(node, 'callee', 'value')), given: node['arguments'] });
        break;
      case 'ObjectExpression': {
        const properties = [node['properties']].flat();
        const at = (key: string): unknown =>
          nodeAt(
            properties.find((property) => nodeAt(property, 'key', 'value') === key),
            'value',
          );
        if (at('action') === undefined) break;
        for (const part of ['text', 'purpose', 'effect']) parts.advice.push(...textsAt(at(part)));
      }
    }
  });
  return parts;
}

it('advice, and what a remedy is for, is a clause, since "; or" joins what helps and "then" goes on from it', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(source, name), 'utf8'))
    .filter((text) => /advice|Remedies|(?:Paybatch|Input|Output)Error\(|limitExceeded/.test(text))
    .map(partsOf);
  const shared = new Map([
    ['PaybatchError', 2],
    ['InputError', 2],
    ['OutputError', 2],
    ['limitExceeded', 1],
  ]);
  const constants = new Map(files.flatMap((file) => [...file.constants]));
  const all = files.flatMap(({ places, constants: own, calls, advice }) => [
    ...advice,
    ...calls.flatMap(({ name, given }) => {
      const argument = nodeAt(given, places.get(name) ?? shared.get(name) ?? -1, 'expression');
      const named = nodeAt(argument, 'type') === 'Identifier' ? nodeAt(argument, 'value') : undefined;
      return textsAt(named === undefined ? argument : (own.get(named) ?? constants.get(named)));
    }),
  ]);
  expect(all.length).toBeGreaterThan(180);
  const isSentence = (text: string): boolean => /^[A-Z][a-z]|\.$|[^.\s]\. [A-Z]/.test(text);
  expect(all.filter(isSentence)).toEqual([]);
});
