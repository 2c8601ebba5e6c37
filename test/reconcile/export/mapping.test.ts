import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  exportMappingFileSchema,
  parseExportMapping,
  parseTwoMappings,
} from '../../../src/reconcile/export/mapping.ts';
import { expectSchemaDocument } from '../../support/written-document.ts';

const guidePath = new URL('../../../docs/reconciling.md', import.meta.url);

describe('docs/export-mapping.schema.json', () => {
  it('is the schema that mappings are read with (UPDATE_DOCS=1 writes it anew)', () => {
    expectSchemaDocument('export-mapping.schema.json', exportMappingFileSchema);
  });
});

describe('docs/reconciling.md', () => {
  it('has only examples that are mappings, and explains every key', () => {
    const guide = readFileSync(guidePath, 'utf8');
    const examples = [...guide.matchAll(/```json\n(.*?)```/gs)].map(([, json = '']) => json);
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(() => parseTwoMappings(example, 'example')).not.toThrow();
    const [one] = exportMappingFileSchema.options;
    for (const key of Object.keys(one.shape)) if (key !== '$schema') expect(guide).toContain(`\`${key}\``);
  });
});

describe('the mapping of an export', () => {
  it('is one for both files, or one for each', () => {
    const both = { columns: { Ref: 'reference' } };
    expect(parseTwoMappings(JSON.stringify(both), 'm.json')).toEqual({ left: both, right: both });
    const apart = { left: both, right: {} };
    expect(parseTwoMappings(JSON.stringify(apart), 'm.json')).toEqual(apart);
    const grouped = { ...both, ourGroup: 'payout' };
    expect(parseTwoMappings(JSON.stringify(grouped), 'm.json')).toEqual({ left: grouped, right: both });
    const wrong = JSON.stringify({ left: both, right: grouped });
    expect(() => parseTwoMappings(wrong, 'm.json')).toThrow('"ourGroup" of the right side');
    expect(parseExportMapping('\uFEFF{}', 'm.json')).toEqual({});
  });

  it.each<[unknown, string]>([
    [{ include: { State: [] } }, 'include > State'],
    [{ include: ['Completed'] }, 'include'],
    [{ constants: { currrency: 'KES' } }, 'constants'],
    [{ dateFormat: 'sometime' }, 'dateFormat'],
    [{ thousands: '.' }, 'thousands'],
    [{ sign: { Type: { Refund: 2 } } }, 'sign > Type > Refund'],
  ])('%j is refused, and what is wrong is named', (mapping, place) => {
    const parse = (): unknown => parseExportMapping(JSON.stringify(mapping), 'm.json');
    expect(parse).toThrow(`The mapping m.json is not valid at "${place}`);
  });
});
