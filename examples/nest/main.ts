import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { runDirectly, type Running } from '../shop/running.js';
import { mountVitals } from './mount.js';
import { ShopModule } from './shop.module.js';

/** Starts the service with health and events. */
export async function start(port = 0): Promise<Running> {
  const app = await NestFactory.create(ShopModule, { logger: ['error'] });
  const vitals = mountVitals(app);
  await app.listen(port, '127.0.0.1');
  vitals.started();
  return { url: await app.getUrl(), close: () => vitals.shutDown(() => app.close()) };
}

await runDirectly(import.meta.url, start);
