import { byCodePoint } from '../../json/code-point-order.js';
import { union } from './field-set.js';
import { managerId, seconds, type Manager, type Managers } from './managers.js';

/** How many managers may have separate entries for updates. */
const MAX_UPDATERS = 10;
/** The manager into whose entry the oldest ones are merged. */
const ANCIENT = 'ancient-changes';

/** Merges the oldest entries of updates into one, if there are more than ten. Entries of applies are never merged. */
export function capUpdaters(managers: Managers): Managers {
  const updaters = [...managers].filter(([, { operation }]) => operation === 'Update');
  if (updaters.length <= MAX_UPDATERS) return managers;
  updaters.sort(([one, left], [other, right]) => seconds(left.time) - seconds(right.time) || byCodePoint(one, other));
  const capped = new Map(managers);
  const [oldest, ...others] = updaters as [[string, Manager], ...[string, Manager][]];
  const { apiVersion } = oldest[1];
  const ancient = { name: ANCIENT, operation: 'Update', apiVersion, subresource: '' } as const;
  const bucket = managerId(ancient);
  const kept = capped.get(bucket);
  const surplus = others.filter(([id]) => id !== bucket).slice(0, updaters.length - MAX_UPDATERS);
  const folded = [kept ?? oldest[1], ...surplus.map(([, manager]) => manager)];
  if (!kept) capped.delete(oldest[0]);
  for (const [id] of surplus) capped.delete(id);
  // The time of the latest merged entry.
  const time = folded.at(-1)?.time;
  capped.set(bucket, { ...ancient, time, fields: union(folded.map(({ fields }) => fields)) });
  return capped;
}
