import { randomBytes } from 'node:crypto';
import type { Target } from '../protocol.js';

/** In each thousand of events, fifty objects have twenty events each: equal numbers give equal events, whatever the size. */
const THOUSAND = 1_000;
const OBJECTS = 50;
const objectOf = (index: number): number => (index % OBJECTS) + OBJECTS * Math.floor(index / THOUSAND);

/** The size of an event as it is sent, without padding. */
const BODY_BYTES = 870;

/** Hashes a number to digits, so that names do not arrive in the order of the index. */
const scattered = (index: number): string => (Math.imul(index + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');

/** Half of the names come before it, whatever the size. */
export const MIDDLE = 'shop-web-80000000';

/** The events of one namespace: equal numbers give equal names and bodies. */
export interface EventBodies {
  /** The event's name, 48 characters. */
  name(index: number): string;
  /** The object the event is about. */
  regarding(index: number): string;
  /** The values in which events differ, each of constant length: name, object, the object's uid, the reporter. */
  variables(index: number): readonly string[];
  body(index: number): string;
}

/** @param tag eight hexadecimal digits that are part of the names */
export function eventBodies(target: Target, namespace: string, tag = '00000000', padding = 0): EventBodies {
  const apiVersion = target.base.slice('/apis/'.length);
  const annotations = padding === 0 ? '' : `,"annotations":{"example.com/padding":"${'p'.repeat(padding)}"}`;
  const regarding = (index: number): string => {
    const object = objectOf(index);
    return `web-${scattered(object)}-${String(object).padStart(7, '0')}`;
  };
  const name = (index: number): string =>
    `shop-${regarding(index)}.${tag}${(index >>> 0).toString(16).padStart(8, '0')}`;
  const uid = (index: number): string => `5f2b1c3d-0000-4000-8000-0000${scattered(objectOf(index))}`;
  const instance = (index: number): string => `node-${String(index % 500).padStart(4, '0')}`;
  const text = (index: number, note: string): string => {
    const object = regarding(index);
    return (
      `{"kind":"Event","apiVersion":"${apiVersion}","metadata":{"name":"${name(index)}","namespace":"${namespace}",` +
      `"labels":{"app":"shop","tier":"web"}${annotations}},"eventTime":"2026-01-02T03:04:05.678901Z",` +
      `"reportingController":"kubelet","reportingInstance":"${instance(index)}","action":"Pulling",` +
      `"reason":"Pulled","regarding":{"kind":"Pod","namespace":"${namespace}","name":"${object}",` +
      `"uid":"${uid(index)}","apiVersion":"v1","resourceVersion":"1234567",` +
      `"fieldPath":"spec.containers{web}"},"note":"${note}","type":"Normal"}`
    );
  };
  const sentence = 'Container image "registry.example.com/shop/web:v1.42.0" already present on machine. '.replaceAll(
    '"',
    "'",
  );
  const missing = Math.max(0, BODY_BYTES + padding - text(0, '').length);
  const note = sentence.repeat(12).slice(0, missing);
  return {
    name,
    regarding,
    variables: (index) => [name(index), regarding(index), uid(index), instance(index)],
    body: (index) => text(index, note),
  };
}

/** Eight digits that no earlier run used. */
export const newTag = (): string => randomBytes(4).toString('hex');
