import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { MetricSet } from '../../../src/metrics/definitions.js';
import { createMetrics } from '../../../src/metrics.js';
import { readPages } from '../../package/markdown.js';
import { root } from '../../package/source-files.js';

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
}

interface Panel {
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly expr: string }[];
}

const { groups } = parse(readFileSync(join(root, 'docs/observability/alerts.yaml'), 'utf8')) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(readFileSync(join(root, 'docs/observability/dashboard.json'), 'utf8')) as {
  readonly panels: readonly Panel[];
};
const expressions = [...rules, ...dashboard.panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr);

const metrics = Object.values(new MetricSet());
/** What Prometheus adds to every series of a target. */
const TARGET = ['job', 'instance'];
/** Series by name with their labels: what Prometheus reads from `/metrics`, and what the rules record. */
const known = new Map<string, readonly string[]>();
for (const { name, type, labelNames } of metrics) {
  const labels = [...labelNames, ...TARGET];
  if (type !== 'histogram') known.set(name, labels);
  else
    for (const end of ['bucket', 'sum', 'count'])
      known.set(`${name}_${end}`, [...labels, ...(end === 'bucket' ? ['le'] : [])]);
}
for (const { record } of rules) if (record !== undefined) known.set(record, ['job']);
const WORDS = /^(sum|min|max|rate|increase|histogram_quantile|by|and|or|unless)$/;
const NAME = /[a-zA-Z_][\w:]*/g;

/** The names of the series in an expression without the text of its strings. */
const seriesIn = (bare: string): string[] =>
  (bare.replace(/\{[^}]*\}|\bby \([^)]*\)/g, ' ').match(NAME) ?? []).filter((name) => !WORDS.test(name));

/** The text from an opening parenthesis to the one that closes it. */
function parenthesized(text: string, from: number): string {
  let depth = 0;
  for (let index = from; index < text.length; index++) {
    if (text[index] === '(') depth += 1;
    else if (text[index] === ')' && --depth === 0) return text.slice(from, index + 1);
  }
  throw new Error(`a parenthesis is not closed in ${text}`);
}

/**
 * What is wrong with the names in an expression: a series that does not exist, a label that the series of its selector
 * does not have, or a label after `by` that a series in the aggregation does not have.
 */
function faults(expr: string): string[] {
  const bare = expr.replace(/"[^"]*"/g, '""').replace(/\[[^\]]*\]|\boffset \w+/g, '');
  const uses = [
    ...[...bare.matchAll(/([a-zA-Z_][\w:]*)\{([^}]*)\}/g)].map(([, name = '', labels = '']) => ({
      series: [name],
      labels,
    })),
    ...[...bare.matchAll(/\bby \(([^)]*)\) (?=\()/g)].map(({ 0: { length }, 1: labels = '', index }) => ({
      series: seriesIn(parenthesized(bare, index + length)),
      labels,
    })),
  ];
  // Each has to be in one of the two forms above.
  const lists = bare.match(/\{|\bby\b/g) ?? [];
  return [
    ...(lists.length === uses.length ? [] : [`labels that are not checked in ${expr}`]),
    ...seriesIn(bare).filter((name) => !known.has(name)),
    ...uses.flatMap(({ series, labels }) =>
      series.flatMap((name) =>
        (labels.match(NAME) ?? [])
          .filter((label) => known.get(name)?.includes(label) === false)
          .map((label) => `${name} has no label ${label}`),
      ),
    ),
  ];
}

/** Pairs of panels that share a part of the grid. */
function overlaps(panels: readonly Panel[]): string[] {
  return panels.flatMap((one, index) =>
    panels.slice(index + 1).flatMap((other) => {
      const [a, b] = [one.gridPos, other.gridPos];
      const apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
      return apart ? [] : [`${one.title} and ${other.title}`];
    }),
  );
}

interface Relabeling {
  readonly source_labels?: readonly string[];
  readonly target_label?: string;
  readonly regex?: string;
  readonly replacement?: string;
  readonly action?: string;
}

interface ScrapeConfig {
  readonly job_name: string;
  readonly metrics_path: string;
  readonly relabel_configs?: readonly Relabeling[];
  readonly metric_relabel_configs?: readonly Relabeling[];
}

it('docs/observability.md has a table of all metrics', () => {
  const text = readPages().find(({ path }) => path === 'docs/observability.md')?.text ?? '';
  const [, table = ''] = /\n\| metric \|.*\n.*\n((?:\|.*\n)+)/.exec(text) ?? [];
  const firstCells = table.split('\n').map((row) => row.split('|')[1] ?? '');
  const listed = firstCells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(listed.sort()).toEqual(metrics.map(({ name }) => name).sort());
});

/** The example in docs/observability.md. */
function scrapeConfigs(): readonly ScrapeConfig[] {
  const blocks = readPages().find(({ path }) => path === 'docs/observability.md')?.blocks ?? [];
  const { code = '' } = blocks.find(({ language }) => language === 'yaml') ?? {};
  return (parse(code) as { readonly scrape_configs: readonly ScrapeConfig[] }).scrape_configs;
}

describe('the example configuration of Prometheus', () => {
  it('reads both paths, under one value of the label job', async () => {
    const configs = scrapeConfigs();
    const { handle } = createMetrics();
    expect(configs.map(({ metrics_path: path }) => path)).toEqual(['/metrics', '/metrics/slis']);
    for (const { metrics_path: url } of configs) {
      expect(await handle({ method: 'GET', url, headers: {}, body: () => Promise.reject(new Error()) })).toMatchObject({
        status: 200,
      });
    }
    const jobs = configs.map(
      ({ job_name: name, relabel_configs: labels = [] }) =>
        labels.find(({ target_label: label }) => label === 'job')?.replacement ?? name,
    );
    expect(new Set(jobs)).toEqual(new Set(['shop']));
  });

  it('drops from the first path what the second one has, and nothing else', async () => {
    const { observe, handle } = createMetrics();
    void observe({ type: 'health.probed', root: 'readyz', checks: [{ name: 'db', status: 'ok' }] });
    const request = { method: 'GET', url: '/metrics/slis', headers: {}, body: () => Promise.reject(new Error()) };
    const text = String((await handle(request))?.body);
    const health = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
    const drops = scrapeConfigs()[0]?.metric_relabel_configs ?? [];
    expect(drops).toEqual([{ source_labels: ['__name__'], regex: expect.any(String) as string, action: 'drop' }]);
    const dropped = new RegExp(`^(?:${drops[0]?.regex})$`);
    expect([...known.keys()].filter((name) => dropped.test(name))).toEqual(health);
  });
});

describe('the alerts and the dashboard', () => {
  it('use only names and labels that /metrics has', () => {
    expect(expressions.length).toBeGreaterThan(40);
    expect(expressions.flatMap(faults)).toEqual([]);
  });

  it('are checked by names: a misspelt metric or label is found', () => {
    expect(faults('sum by (verb) (rate(apiserver_requests_total[5m]))')).toEqual(['apiserver_requests_total']);
    expect(faults('sum by (verbs) (rate(apiserver_request_total{codes="5.."}[5m]))')).toEqual([
      'apiserver_request_total has no label codes',
      'apiserver_request_total has no label verbs',
    ]);
  });

  it('are checked by series: a label that only another series of the expression has is found', () => {
    expect(
      faults('sum by (code) (apiserver_request_total{code="200"}) / sum(apiserver_longrunning_requests{code="200"})'),
    ).toEqual(['apiserver_longrunning_requests has no label code']);
    expect(faults('sum by (verb) (apiserver_request_total) / sum by (verb) (kube_vitals_errors_total)')).toEqual([
      'kube_vitals_errors_total has no label verb',
    ]);
    expect(faults('apiserver_request_duration_seconds_count{le="1"}')).toEqual([
      'apiserver_request_duration_seconds_count has no label le',
    ]);
    expect(faults('job:kube_vitals_api_slow:ratio_rate5m{instance="a"}')).toEqual([
      'job:kube_vitals_api_slow:ratio_rate5m has no label instance',
    ]);
  });

  it('are checked in all forms that list labels: another form is a fault', () => {
    expect(faults('sum(apiserver_request_total) by (verb)')).toEqual([expect.stringMatching(/^labels that are not /)]);
  });

  it('show every metric somewhere', () => {
    const all = expressions.join('\n');
    expect(metrics.map(({ name }) => name).filter((name) => !all.includes(name))).toEqual([]);
  });

  it('have panels with different titles, in 24 columns, of which no two overlap', () => {
    const { panels } = dashboard;
    expect(panels.length).toBeGreaterThan(10);
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    expect(
      panels.filter(({ gridPos: { x, y, w, h } }) => !(x >= 0 && y >= 0 && w > 0 && h > 0 && x + w <= 24)),
    ).toEqual([]);
    expect(overlaps(panels)).toEqual([]);
  });

  it('are compared panel by panel: an overlap of one row or column is found', () => {
    const at = (title: string, x: number, y: number): Panel => ({ title, gridPos: { x, y, w: 12, h: 8 }, targets: [] });
    expect(overlaps([at('a', 0, 0), at('b', 12, 0), at('c', 0, 8), at('d', 12, 8)])).toEqual([]);
    expect(overlaps([at('a', 0, 0), at('b', 11, 7)])).toEqual(['a and b']);
    expect(overlaps([at('a', 0, 0), at('b', 12, 0), at('c', 12, 7)])).toEqual(['b and c']);
  });

  it('have alerts with a severity', () => {
    const alerts = rules.filter(({ alert }) => alert !== undefined);
    expect(alerts.length).toBeGreaterThan(10);
    for (const rule of alerts) {
      expect(rule).toMatchObject({
        labels: { severity: expect.stringMatching(/^(critical|warning|info)$/) as unknown },
      });
    }
  });
});
