import { goQuote, shorten } from '../json/go-print.js';
import type { StatusDetails } from '../model/status.js';

/** A resource as failures name it: `events` of group `events.example.com`. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** `events.events.example.com`, or `events` in the core group. */
export function qualified({ group, resource }: GroupResource): string {
  return group ? `${resource}.${group}` : resource;
}

/** An object of the resource: `events.events.example.com "x"`. */
export function named(gr: GroupResource, name: string): string {
  return `${qualified(gr)} ${goQuote(shorten(name))}`;
}

export function detailsOf({ group, resource }: GroupResource, name: string | undefined): StatusDetails {
  return { ...(name && { name }), ...(group && { group }), ...(resource && { kind: resource }) };
}
