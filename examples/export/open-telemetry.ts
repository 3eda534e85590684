import type { Event, EventSink } from 'kube-vitals/client';
import type { CursorFile } from './cursor-file.js';
import { lastTime } from './last-time.js';
import { post, type PostOptions } from './post.js';

const text = (key: string, value: string | undefined): object[] =>
  value ? [{ key, value: { stringValue: value } }] : [];

/** Nanoseconds since 1970 as a decimal text, with the microseconds that Date does not have. */
function unixNano(time: string): string {
  const micros = /\.\d{3}(\d{3})/.exec(time)?.[1] ?? '000';
  return `${BigInt(Date.parse(time)) * 1_000_000n + BigInt(micros) * 1_000n}`;
}

/** An event as a log record of OpenTelemetry, with the attributes that the Collector's own receiver of events has. */
export function logRecord(event: Event): object {
  const { metadata, regarding = {}, type = 'Normal' } = event;
  const isWarning = type === 'Warning';
  return {
    timeUnixNano: unixNano(lastTime(event)),
    severityNumber: isWarning ? 13 : 9,
    severityText: isWarning ? 'WARN' : 'INFO',
    body: { stringValue: event.note ?? '' },
    attributes: [
      ...text('k8s.event.name', metadata.name),
      ...text('k8s.event.uid', metadata.uid),
      ...text('k8s.event.reason', event.reason),
      ...text('k8s.event.action', event.action),
      { key: 'k8s.event.count', value: { intValue: String(event.series?.count ?? 1) } },
      ...text('k8s.namespace.name', metadata.namespace),
      ...text('k8s.object.kind', regarding.kind),
      ...text('k8s.object.name', regarding.name),
      ...text('k8s.object.uid', regarding.uid),
      ...text('k8s.event.reporting_controller', event.reportingController),
    ],
  };
}

/** Posts batches to the logs endpoint of a collector (OTLP/HTTP with JSON), such as `http://collector:4318/v1/logs`. */
export function openTelemetrySink(
  options: PostOptions & { readonly serviceName: string },
  cursor: CursorFile,
): EventSink {
  return {
    cursor: cursor.read,
    async write(events, next) {
      const scopeLogs = [{ scope: { name: 'kube-vitals/client' }, logRecords: events.map(logRecord) }];
      const resource = { attributes: text('service.name', options.serviceName) };
      await post(options, 'application/json', JSON.stringify({ resourceLogs: [{ resource, scopeLogs }] }));
      await cursor.write(next);
    },
  };
}
