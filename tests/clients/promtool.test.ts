import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { Registry } from 'prom-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MetricSet } from '../../src/metrics/definitions.js';
import { readPages } from '../package/markdown.js';

const ALERTS = fileURLToPath(new URL('../../docs/observability/alerts.yaml', import.meta.url));
const DASHBOARD = new URL('../../docs/observability/dashboard.json', import.meta.url);
// With CI=true a missing promtool fails the tests instead of skipping them.
const hasPromtool = spawnSync('promtool', ['--version']).status === 0 || process.env['CI'] === 'true';

function promtool(args: readonly string[], input = ''): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', input });
  return { status, output: `${stdout}${stderr}` };
}

/** A folder that is removed with the test. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'promtool-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A value for each minute, in the notation of promtool: `0+2x60` counts up by 2, sixty times. */
type Series = Readonly<Record<string, string>>;

/** The alerts that fire at a minute: `KubeVitalsRefusing warning`. */
type Expected = readonly (readonly [minute: number, ...alerts: string[]])[];

/** Runs the rules over these series, and compares what fires. */
function expectAlerts(series: Series, expected: Expected): void {
  const file = join(temporaryFolder(), 'alerts.test.json');
  const tests = {
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: expected.map(([minute, ...alerts]) => ({
      expr: 'count by (alertname, severity) (ALERTS{alertstate="firing"})',
      eval_time: `${minute}m`,
      exp_samples: alerts.map((alert) => {
        const [name, severity] = alert.split(' ');
        return { labels: `{alertname="${name}",severity="${severity}"}`, value: 1 };
      }),
    })),
  };
  // YAML contains JSON.
  writeFileSync(file, JSON.stringify({ rule_files: [ALERTS], evaluation_interval: '1m', tests: [tests] }));
  const { status, output } = promtool(['test', 'rules', file]);
  expect(status, output).toBe(0);
}

/** Durations of requests, of which the bad ones take longer than a second. `le`: how Prometheus stores this limit. */
const durations =
  (le: string) =>
  (good: string, bad: string): Series => ({
    [`apiserver_request_duration_seconds_bucket{job="shop",verb="GET",scope="resource",le="${le}"}`]: good,
    'apiserver_request_duration_seconds_count{job="shop",verb="GET",scope="resource"}': good,
    // The other process has slow requests only.
    [`apiserver_request_duration_seconds_bucket{job="shop",verb="GET",scope="resource",instance="b",le="${le}"}`]:
      '0x120',
    'apiserver_request_duration_seconds_count{job="shop",verb="GET",scope="resource",instance="b"}': bad,
  });

const BUDGETS = [
  {
    alert: 'KubeVitalsApiErrorBudget',
    promise: 0.001,
    of: (good: string, bad: string): Series => ({
      'apiserver_request_total{job="shop",verb="GET",code="200"}': good,
      'apiserver_request_total{job="shop",verb="GET",code="500"}': bad,
    }),
  },
  {
    alert: 'KubeVitalsReadyzErrorBudget',
    promise: 0.001,
    of: (good: string, bad: string): Series => ({
      'kubernetes_healthchecks_total{job="shop",type="readyz",name="db",status="success"}': good,
      'kubernetes_healthchecks_total{job="shop",type="readyz",name="db",status="error"}': bad,
    }),
  },
  {
    alert: 'KubeVitalsApiLatencyBudget',
    promise: 0.01,
    of: durations('1'),
  },
];

describe.skipIf(!hasPromtool)('promtool', () => {
  it('accepts the rules', () => {
    const { status, output } = promtool(['check', 'rules', ALERTS]);
    expect(status, output).toBe(0);
  });

  it('accepts every expression of the dashboard', () => {
    const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as {
      readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
    };
    const expressions = panels.flatMap(({ targets }) => targets).map(({ expr }) => expr);
    const rules = expressions.map((expr, index) => ({
      record: `dashboard:expression:${index}`,
      // What Grafana replaces.
      expr: expr.replaceAll('$job', 'shop').replaceAll('$__rate_interval', '5m'),
    }));
    expect(rules.filter(({ expr }) => expr.includes('$'))).toEqual([]);
    const file = join(temporaryFolder(), 'dashboard.json');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    const { status, output } = promtool(['check', 'rules', file]);
    expect(status, output).toBe(0);
    expect(output).toContain(`${expressions.length} rules found`);
  });

  it('accepts the configuration in the documentation, beside the files that it names', () => {
    const page = readPages().find(({ path }) => path === 'docs/observability.md');
    const configurations = page?.blocks.filter(({ language }) => language === 'yaml') ?? [];
    expect(configurations).toHaveLength(1);
    const folder = temporaryFolder();
    const file = join(folder, 'prometheus.yml');
    writeFileSync(file, configurations[0]?.code ?? '');
    writeFileSync(join(folder, 'token'), 's3cret');
    writeFileSync(join(folder, 'ca.crt'), rootCertificates[0] ?? '');
    copyFileSync(ALERTS, join(folder, 'alerts.yaml'));
    const { status, output } = promtool(['check', 'config', file]);
    expect(status, output).toBe(0);
    expect(output).toContain('1 rule files found');
  });

  it('finds no fault in the names and types of the metrics', async () => {
    const registry = new Registry();
    const metrics = Object.values(new MetricSet());
    for (const metric of metrics) {
      const series = metric.of(...metric.labelNames.map(() => 'x'));
      if (metric.type === 'histogram') series.observe(1);
      else series.set(1);
      registry.registerMetric(metric as never);
    }
    const text = await registry.metrics();
    expect(text.match(/^# TYPE/gm)).toHaveLength(metrics.length);
    expect(promtool(['check', 'metrics'], text)).toEqual({ status: 0, output: '' });
  });

  describe.each(BUDGETS)('evaluates the rules so that $alert', ({ alert, promise, of }) => {
    const [critical, warning] = [`${alert} critical`, `${alert} warning`];
    /** Series with this number of failures in a thousand, for two hours. */
    const steady = (bad: number): Series => of(`0+${1_000 - bad}x120`, `0+${bad}x120`);

    it('is critical above a burn rate of 14.4', () => {
      expectAlerts(steady(20_000 * promise), [[60, critical, warning]]);
    });

    it('is a warning at a burn rate between 3 and 6', () => {
      expectAlerts(steady(5_000 * promise), [[60, warning]]);
    });

    it('does not fire while the error budget lasts', () => {
      expectAlerts(steady(500 * promise), [[60], [120]]);
    });

    it('is no longer critical half an hour after the failures have ended', () => {
      const bad = 20_000 * promise;
      expectAlerts(of(`0+${1_000 - bad}x120`, `0+${bad}x60 ${60 * bad}+0x60`), [
        [60, critical, warning],
        [95, warning],
      ]);
    });
  });

  it('measures the latency with the label of the bucket as Prometheus 3 stores it, too', () => {
    const [critical, warning] = ['KubeVitalsApiLatencyBudget critical', 'KubeVitalsApiLatencyBudget warning'];
    expectAlerts(durations('1.0')('0+800x60', '0+200x60'), [[60, critical, warning]]);
  });

  it('fires no alert for failed watches', () => {
    expectAlerts({ 'apiserver_request_total{job="shop",verb="WATCH",code="500"}': '0+10x60' }, [[60]]);
  });

  it.each<[string, Series, Expected]>([
    [
      'a check of readyz has failed for ten minutes',
      { 'kubernetes_healthcheck{job="shop",instance="a",type="readyz",name="db"}': '1x5 0x20' },
      [[14], [17, 'KubeVitalsCheckFailing warning']],
    ],
    [
      'a store is away, but not for conflicts',
      {
        'kube_vitals_store_call_failures_total{job="shop",store="pg",operation="get",code="unavailable"}':
          '0x20 0+1x20',
        'kube_vitals_store_call_failures_total{job="shop",store="pg",operation="update",code="conflict"}': '0+5x40',
      },
      [[19], [35, 'KubeVitalsStoreFailing warning']],
    ],
    [
      'requests are refused for a quarter of an hour',
      { 'apiserver_request_terminations_total{job="shop",verb="GET",code="429"}': '0+3x30' },
      [[10], [20, 'KubeVitalsRefusing warning']],
    ],
    [
      'watches are behind',
      {
        'kube_vitals_feed_lag_seconds_bucket{job="shop",store="pg",le="5"}': '0+1x30',
        'kube_vitals_feed_lag_seconds_bucket{job="shop",store="pg",le="10"}': '0+9x30',
        'kube_vitals_feed_lag_seconds_bucket{job="shop",store="pg",le="+Inf"}': '0+9x30',
      },
      [[5], [20, 'KubeVitalsFeedBehind warning']],
    ],
    [
      'the watch cache serves no reads',
      { 'kube_vitals_watch_cache_ready{job="shop",instance="a",store="pg"}': '1x5 0x30' },
      [[15], [25, 'KubeVitalsWatchCacheNotReady warning']],
    ],
    [
      'an unexpected error is the first of its kind, and when another follows',
      { 'kube_vitals_errors_total{job="shop",instance="a",where="authorize"}': '_x20 1x40 2x30' },
      [[19], [22, 'KubeVitalsUnexpectedErrors info'], [50], [63, 'KubeVitalsUnexpectedErrors info']],
    ],
    [
      'an event is dropped for the first time, and when others follow',
      { 'kube_vitals_recorder_drops_total{job="shop",recorder="shop.example.com/a",reason="full"}': '_x20 1x40 9x30' },
      [[19], [22, 'KubeVitalsEventsDropped warning'], [50], [63, 'KubeVitalsEventsDropped warning']],
    ],
  ])('fires an alert when %s', (_, series, expected) => {
    expectAlerts(series, expected);
  });
});
