import 'reflect-metadata';
import type { Server } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { installShutdown } from 'kube-vitals/node';
import { limited } from '../shop/limited.js';
import { runDirectly, type Running } from '../shop/running.js';
import { mountVitals } from './mount.js';
import { ShopModule } from './shop.module.js';

/** Starts the service with health and events. */
export async function start(port = 0): Promise<Running> {
  const app = await NestFactory.create(ShopModule, { logger: ['error'] });
  const vitals = mountVitals(app);
  const server = limited(app.getHttpServer() as Server);
  const { shutdown } = installShutdown({ server, ...vitals.parts, close: () => app.close() });
  await app.listen(port, '127.0.0.1');
  vitals.started();
  return { url: await app.getUrl(), close: shutdown };
}

await runDirectly(import.meta.url, start);
