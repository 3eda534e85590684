import type { RequestListener } from 'node:http';
import { toNodeListener } from 'kube-vitals/node';
import type { Vitals } from '../shop/vitals.js';

/** Puts health and events in front of a service, at the root and once more below `/ops`. */
export function withVitals(service: RequestListener, { handle }: Vitals): RequestListener {
  const atRoot = toNodeListener(handle);
  const belowOps = toNodeListener(handle, { basePath: '/ops' });
  return (req, res) => atRoot(req, res, () => belowOps(req, res, () => service(req, res)));
}
