import { byCodePoint } from '../../json/code-point-order.js';
import { union } from './field-set.js';
import { managerId, seconds, type Manager, type Managers } from './managers.js';

/** So many managers may have entries of their own for updates. */
const MAX_UPDATERS = 10;
/** Whose entry the oldest ones are folded into. */
const ANCIENT = 'ancient-changes';

/** Folds the oldest entries of updates into one, where there are more than ten. Applies are never folded. */
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
  // The time of the youngest that was folded in.
  const time = folded.at(-1)?.time;
  capped.set(bucket, { ...ancient, time, fields: union(folded.map(({ fields }) => fields)) });
  return capped;
}
