/** The collection that all requests go to. It holds one ordinary event, `STORED`. */
export const COLLECTION = '/apis/events.example.com/v1/namespaces/default/events';

/** The name of the event that updates, patches and deletions find. */
export const STORED = 'stored';

/** The lengths of bodies: the default of `maxBodyBytes`, and its highest value, which the standalone server has. */
export const BODY_SIZES: readonly number[] = [524_288, 3_145_728];

/** The characters of JSON before which or after which a field or an item begins. */
const MEMBER = /[,[{]/g;

/** `before`, then `make(index)` as often as `bytes` and `members` allow, separated by `between`, then `after`. */
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

/** A text repeated as often as it fits into `bytes`. */
export function times(text: string, bytes: number): string {
  return text.repeat(Math.floor(bytes / text.length));
}

/** The members of a valid event without kind, apiVersion and metadata. */
const RULES =
  '"eventTime":"2026-03-05T06:07:08.123456Z","reportingController":"example.com/tester","reportingInstance":"tester-0",' +
  '"action":"Testing","reason":"Tested","type":"Normal","regarding":{"kind":"Pod","namespace":"default","name":"web-1"}';

/** The beginning of an event as JSON, up to and with `"metadata":{"name":"…"`; `}}` ends it. */
export function eventStart(name: string): string {
  return `{"kind":"Event","apiVersion":"events.example.com/v1",${RULES},"metadata":{"name":"${name}"`;
}
