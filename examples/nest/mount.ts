import type { INestApplication } from '@nestjs/common';
import { toNodeListener } from 'kube-vitals/node';
import type { Vitals } from '../shop/vitals.js';
import { VITALS } from './shop.module.js';

/**
 * Mounts health and events in a Nest application on Express, at the root and once more below `/ops`. Call it before
 * `init()` or `listen()`: those add Nest's body parser, which is for the service's own routes.
 */
export function mountVitals(app: INestApplication): Vitals {
  const vitals = app.get<Vitals>(VITALS);
  const { handle } = vitals;
  app.use(toNodeListener(handle));
  app.use('/ops', toNodeListener(handle));
  return vitals;
}
