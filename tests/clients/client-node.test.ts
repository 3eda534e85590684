import {
  CoreV1Api,
  CustomObjectsApi,
  EventsV1Api,
  Health,
  PatchStrategy,
  V1MicroTime,
  Watch,
  makeInformer,
  setHeaderOptions,
} from '@kubernetes/client-node';
import type { EventsV1Event, KubeConfig } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Event, EventList } from '../../src/index.js';
import { portOf, targets, throughPort, type Target } from './client-node-targets.js';
import { cuttable } from './cuttable.js';
import { manifest } from './manifests.js';

const MERGE = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);

const event = (namespace: string, name: string, labels: Record<string, string> = {}): EventsV1Event => ({
  metadata: { name, labels },
  eventTime: new V1MicroTime('2024-01-02T03:04:05.123Z'),
  action: 'Pulling',
  reason: 'Pulled',
  note: 'image pulled',
  type: 'Normal',
  reportingController: 'example.com/kubelet',
  reportingInstance: 'node-1',
  regarding: { apiVersion: 'v1', kind: 'Pod', namespace, name: 'web' },
});

const series = (count: number): NonNullable<EventsV1Event['series']> => ({
  count,
  lastObservedTime: new V1MicroTime('2024-01-02T04:04:05.123Z'),
});

/** Collects lines that callbacks report; `until` waits for one. */
function log(): { readonly said: readonly string[]; add(line: string): void; until(line: string): Promise<void> } {
  const said: string[] = [];
  const waiting = new Map<string, () => void>();
  return {
    said,
    add(line) {
      said.push(line);
      waiting.get(line)?.();
    },
    until: (line) =>
      new Promise((resolve) => {
        if (said.includes(line)) resolve();
        else waiting.set(line, resolve);
      }),
  };
}

describe.each(targets)('@kubernetes/client-node against a $name server', ({ start }) => {
  describe('with the group events.k8s.io', () => {
    let target: Target;
    let kubeConfig: KubeConfig;
    let api: EventsV1Api;
    beforeAll(async () => {
      target = await start('k8s.io');
      kubeConfig = target.kubeConfig;
      api = kubeConfig.makeApiClient(EventsV1Api);
    });
    afterAll(() => target.stop());

    it('creates, reads, replaces, patches and deletes an event', async () => {
      const [namespace, name] = ['crud', 'one'];
      const created = await api.createNamespacedEvent({ namespace, body: event(namespace, name) });
      expect(created.metadata).toMatchObject({ name, namespace, uid: expect.any(String) as string });
      // The library types it as a date and hands over the text.
      expect(String(created.eventTime)).toBe('2024-01-02T03:04:05.123000Z');
      expect(await api.readNamespacedEvent({ namespace, name })).toEqual(created);

      const body = { ...created, series: series(2) };
      const replaced = await api.replaceNamespacedEvent({ namespace, name, body });
      expect(replaced.series?.count).toBe(2);
      const patched = await api.patchNamespacedEvent({ namespace, name, body: { series: { count: 3 } } }, MERGE);
      expect([patched.series?.count, patched.note]).toEqual([3, 'image pulled']);

      const status = await api.deleteNamespacedEvent({ namespace, name });
      expect(status).toMatchObject({ status: 'Success', details: { name, kind: 'events' } });
      await expect(api.readNamespacedEvent({ namespace, name })).rejects.toMatchObject({ code: 404 });
    });

    it('gets 422, 409 and 400 for invalid, conflicting and malformed requests', async () => {
      const namespace = 'wrong';
      const refused = api.createNamespacedEvent({ namespace, body: { ...event(namespace, 'x'), type: 'Odd' } });
      await expect(refused).rejects.toMatchObject({
        code: 422,
        body: expect.stringContaining('"reason":"Invalid"') as string,
      });
      await api.createNamespacedEvent({ namespace, body: event(namespace, 'taken') });
      await expect(api.createNamespacedEvent({ namespace, body: event(namespace, 'taken') })).rejects.toMatchObject({
        code: 409,
      });
      await expect(api.listNamespacedEvent({ namespace, labelSelector: '!!' })).rejects.toMatchObject({ code: 400 });
    });

    it('lists a namespace in pages that show one state, and selects over all namespaces', async () => {
      const namespace = 'pages';
      for (const name of ['a', 'b', 'c', 'd', 'e'])
        await api.createNamespacedEvent({ namespace, body: event(namespace, name) });
      const names: (string | undefined)[] = [];
      let page = await api.listNamespacedEvent({ namespace, limit: 2 });
      await api.createNamespacedEvent({ namespace, body: event(namespace, 'bb') });
      expect(page.metadata).toMatchObject({ remainingItemCount: 3 });
      for (;;) {
        names.push(...page.items.map(({ metadata }) => metadata?.name));
        const { _continue } = page.metadata ?? {};
        if (!_continue) break;
        page = await api.listNamespacedEvent({ namespace, limit: 2, _continue });
      }
      expect(names).toEqual(['a', 'b', 'c', 'd', 'e']);
      const everywhere = await api.listEventForAllNamespaces({ fieldSelector: 'metadata.name=bb' });
      expect(everywhere.items).toHaveLength(1);
    });

    it('deletes a collection of events', async () => {
      const namespace = 'collection';
      await api.createNamespacedEvent({ namespace, body: event(namespace, 'gone', { all: 'yes' }) });
      await api.createNamespacedEvent({ namespace, body: event(namespace, 'stays') });
      const status = await api.deleteCollectionNamespacedEvent({ namespace, labelSelector: 'all=yes' });
      expect(status.status).toBe('Success');
      const { items } = await api.listNamespacedEvent({ namespace });
      expect(items.map(({ metadata }) => metadata?.name)).toEqual(['stays']);
    });

    it('watches events with the typed client', async () => {
      const namespace = 'watch';
      const seen = log();
      const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
      const { metadata } = await api.listNamespacedEvent({ namespace });
      const watching = await new Watch(kubeConfig).watch(
        path,
        { resourceVersion: metadata?.resourceVersion, allowWatchBookmarks: true },
        (type, object: Event) => seen.add(`${type} ${object.metadata.name} ${object.series?.count}`),
        () => seen.add('done'),
      );
      await api.createNamespacedEvent({ namespace, body: event(namespace, 'w') });
      await api.patchNamespacedEvent({ namespace, name: 'w', body: { series: series(2) } }, MERGE);
      await api.deleteNamespacedEvent({ namespace, name: 'w' });
      await seen.until('DELETED w 2');
      watching.abort();
      await seen.until('done');
      expect(seen.said.filter((line) => !line.startsWith('BOOKMARK'))).toEqual([
        'ADDED w undefined',
        'MODIFIED w 2',
        'DELETED w 2',
        'done',
      ]);
    });

    it('keeps an informer up to date across a connection that is cut', async () => {
      const namespace = 'informer';
      const way = await cuttable(portOf(kubeConfig));
      onTestFinished(() => way.close());
      const through = throughPort(kubeConfig, way.port);
      const seen = log();
      const informerApi = through.makeApiClient(EventsV1Api);
      const informer = makeInformer(through, `/apis/events.k8s.io/v1/namespaces/${namespace}/events`, () =>
        informerApi.listNamespacedEvent({ namespace }),
      );
      for (const verb of ['add', 'update', 'delete'] as const) {
        informer.on(verb, ({ metadata }) => seen.add(`${verb} ${metadata?.name}`));
      }
      const reconnected = new Promise<void>((resolve) => {
        informer.on('error', () => {
          // Stopping the informer at the end emits 'error' once more.
          if (seen.said.includes('error')) return;
          seen.add('error');
          // The informer misses these changes, and then continues from where it was.
          void (async () => {
            await api.deleteNamespacedEvent({ namespace, name: 'first' });
            await api.createNamespacedEvent({ namespace, body: event(namespace, 'meanwhile') });
            await informer.start();
            resolve();
          })();
        });
      });
      await api.createNamespacedEvent({ namespace, body: event(namespace, 'first') });
      await informer.start();
      onTestFinished(() => informer.stop());
      await api.createNamespacedEvent({ namespace, body: event(namespace, 'second') });
      await seen.until('add second');
      way.cut();
      await reconnected;
      await api.patchNamespacedEvent({ namespace, name: 'second', body: { series: series(2) } }, MERGE);
      await seen.until('update second');
      expect(seen.said).toEqual(['add first', 'add second', 'error', 'delete first', 'add meanwhile', 'update second']);
      expect(informer.list().map(({ metadata }) => metadata?.name)).toEqual(['second', 'meanwhile']);
    });

    it('shows an event of events.k8s.io in core/v1', async () => {
      const namespace = 'core';
      const { metadata } = await api.createNamespacedEvent({ namespace, body: event(namespace, 'both') });
      const core = kubeConfig.makeApiClient(CoreV1Api);
      const { items } = await core.listNamespacedEvent({ namespace, fieldSelector: 'involvedObject.name=web' });
      expect(items).toMatchObject([
        {
          metadata: { name: 'both', uid: metadata?.uid, resourceVersion: metadata?.resourceVersion },
          involvedObject: { kind: 'Pod', namespace, name: 'web' },
          message: 'image pulled',
          reportingComponent: 'example.com/kubelet',
        },
      ]);
      expect((await core.readNamespacedEvent({ namespace, name: 'both' })).reason).toBe('Pulled');
    });

    it('reads the health endpoints', async () => {
      const health = new Health(kubeConfig);
      expect(await health.readyz({})).toBe(true);
      expect(await health.livez({})).toBe(true);
    });
  });

  describe('with the group events.example.com', () => {
    let target: Target;
    let api: CustomObjectsApi;
    beforeAll(async () => {
      target = await start('example.com');
      api = target.kubeConfig.makeApiClient(CustomObjectsApi);
    });
    afterAll(() => target.stop());

    it('treats events as custom objects', async () => {
      const where = { group: 'events.example.com', version: 'v1', namespace: 'custom', plural: 'events' };
      const one = { ...where, name: 'one' };
      const body = manifest(where.group, 'one', { metadata: { namespace: where.namespace, labels: { app: 'shop' } } });
      const created = (await api.createNamespacedCustomObject({ ...where, body })) as Event;
      expect(created).toMatchObject({
        ...body,
        metadata: { name: 'one', resourceVersion: expect.any(String) as string },
      });
      expect(await api.getNamespacedCustomObject(one)).toEqual(created);

      const patch = { series: { count: 2, lastObservedTime: new Date().toISOString() } };
      const patched = (await api.patchNamespacedCustomObject({ ...one, body: patch }, MERGE)) as Event;
      expect(patched.series?.count).toBe(2);
      await expect(api.replaceNamespacedCustomObject({ ...one, body: created })).rejects.toMatchObject({ code: 409 });

      const list = (await api.listNamespacedCustomObject({ ...where, labelSelector: 'app=shop' })) as EventList;
      expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['one']);
      const cluster = (await api.listClusterCustomObject({ ...where, fieldSelector: 'reason=Pulled' })) as EventList;
      expect(cluster.items).toHaveLength(1);
      expect(await api.deleteNamespacedCustomObject(one)).toMatchObject({ status: 'Success' });
      await expect(api.getNamespacedCustomObject(one)).rejects.toMatchObject({ code: 404 });
    });

    it('finds the resource through discovery', async () => {
      const { resources } = await api.getAPIResources({ group: 'events.example.com', version: 'v1' });
      expect(resources).toMatchObject([{ name: 'events', kind: 'Event', namespaced: true }]);
    });
  });
});
