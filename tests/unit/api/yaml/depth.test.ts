import { expect, test } from 'vitest';
import { createBodyLimits } from '../../../../src/api/body/parse-body.js';
import { parseYaml } from '../../../../src/api/yaml/yaml.js';

test.each([
  ['[', 5_000],
  ['{"a":', 1_400],
  ['- ', 2_900],
])('a YAML text is refused for the depth of its nesting: %s', (piece, times) => {
  expect(parseYaml(piece.repeat(times), createBodyLimits())).toEqual({ error: 'yaml: exceeded max depth' });
});
