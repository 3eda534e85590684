/** The collection all requests go to. It has one event, `STORED`, which is an ordinary one. */
export const COLLECTION = '/apis/events.example.com/v1/namespaces/default/events';

/** The name of the event that updates, patches and deletions find. */
export const STORED = 'stored';

/** How long bodies are made: as the default of `maxBodyBytes` allows, and as it allows at most, as the standalone server does. */
export const BODY_SIZES: readonly number[] = [524_288, 3_145_728];

/** What stands in JSON where a field or an item begins. */
const MEMBER = /[,[{]/g;

/** `make(index)` for as many indices as fit into so many bytes between `before` and `after`, with `between` between them, and with at most so many `members`. */
export function fill(
  bytes: number,
  before: string,
  make: (index: number) => string,
  after: string,
  between = ',',
  members = Infinity,
): string {
  const parts: string[] = [];
  let left = bytes - before.length - after.length;
  let most = members - (before.match(MEMBER)?.length ?? 0);
  for (let index = 0; ; index++) {
    const part = make(index);
    left -= part.length + between.length;
    if (most < Infinity) most -= 1 + (part.match(MEMBER)?.length ?? 0);
    if (left < 0 || most < 0) return before + parts.join(between) + after;
    parts.push(part);
  }
}

/** A text repeated as often as it fits. */
export function times(text: string, bytes: number): string {
  return text.repeat(Math.floor(bytes / text.length));
}

/** The members of an event that breaks no rule, but for kind, apiVersion and metadata. */
const RULES =
  '"eventTime":"2026-03-05T06:07:08.123456Z","reportingController":"example.com/tester","reportingInstance":"tester-0",' +
  '"action":"Testing","reason":"Tested","type":"Normal","regarding":{"kind":"Pod","namespace":"default","name":"web-1"}';

/** The beginning of an event as JSON, up to and with `"metadata":{"name":"…"`; `}}` ends it. */
export function eventStart(name: string): string {
  return `{"kind":"Event","apiVersion":"events.example.com/v1",${RULES},"metadata":{"name":"${name}"`;
}
