import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { MetricSet } from '../../../src/metrics/definitions.js';
import { root } from '../../package/source-files.js';

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
}

const { groups } = parse(readFileSync(join(root, 'docs/observability/alerts.yaml'), 'utf8')) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(readFileSync(join(root, 'docs/observability/dashboard.json'), 'utf8')) as {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
};
const expressions = [...rules, ...dashboard.panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr);

const metrics = Object.values(new MetricSet());
/** Series by name with their labels: what `/metrics` prints, and what the rules record. */
const known = new Map<string, readonly string[]>();
for (const { name, type, labelNames: labels } of metrics) {
  if (type !== 'histogram') known.set(name, labels);
  else
    for (const end of ['bucket', 'sum', 'count'])
      known.set(`${name}_${end}`, [...labels, ...(end === 'bucket' ? ['le'] : [])]);
}
for (const { record } of rules) if (record !== undefined) known.set(record, ['job']);
/** What Prometheus adds to every series of a target. */
const TARGET = ['job', 'instance'];
const FUNCTIONS = /^(sum|min|max|rate|increase|histogram_quantile|by|and|or|unless|le)$/;

/** What is wrong with the names in an expression. */
function faults(expr: string): string[] {
  const bare = expr.replace(/"[^"]*"/g, '""').replace(/\[[^\]]*\]|\boffset \w+/g, '');
  const labelLists = /\{[^}]*\}|\bby \([^)]*\)/g;
  const names = bare.replace(labelLists, ' ').match(/[a-zA-Z_][\w:]*/g) ?? [];
  const series = names.filter((name) => !FUNCTIONS.test(name));
  const labels = series.flatMap((name) => known.get(name) ?? []);
  const used = (bare.match(labelLists) ?? []).flatMap((list) => list.replace(/^by/, '').match(/[a-z_]\w*/g) ?? []);
  return [
    ...series.filter((name) => !known.has(name)),
    ...used.filter((label) => ![...labels, ...TARGET].includes(label)).map((label) => `${label} in ${expr}`),
  ];
}

describe('the alerts and the dashboard', () => {
  it('use only names and labels that /metrics has', () => {
    expect(expressions.length).toBeGreaterThan(40);
    expect(expressions.flatMap(faults)).toEqual([]);
  });

  it('are checked by names: a misspelt metric or label is found', () => {
    expect(faults('sum by (verb) (rate(apiserver_requests_total[5m]))')).toEqual([
      'apiserver_requests_total',
      expect.any(String),
    ]);
    expect(faults('sum by (verbs) (rate(apiserver_request_total{codes="5.."}[5m]))')).toHaveLength(2);
  });

  it('show every metric somewhere', () => {
    const all = expressions.join('\n');
    expect(metrics.map(({ name }) => name).filter((name) => !all.includes(name))).toEqual([]);
  });

  it('have panels side by side, without overlaps, and alerts with a severity', () => {
    expect(new Set(dashboard.panels.map(({ title }) => title)).size).toBe(dashboard.panels.length);
    for (const rule of rules.filter(({ alert }) => alert !== undefined)) {
      expect(rule).toMatchObject({
        labels: { severity: expect.stringMatching(/^(critical|warning|info)$/) as unknown },
      });
    }
  });
});
