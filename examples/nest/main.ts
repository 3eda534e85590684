import 'reflect-metadata';
import type { Server } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { gracefulClose } from 'kube-vitals/node';
import { limited } from '../shop/limited.js';
import { runDirectly, type Running } from '../shop/running.js';
import { mountVitals } from './mount.js';
import { ShopModule } from './shop.module.js';

/** Starts the service with health and events. */
export async function start(port = 0): Promise<Running> {
  const app = await NestFactory.create(ShopModule, { logger: ['error'] });
  const vitals = mountVitals(app);
  limited(app.getHttpServer() as Server);
  await app.listen(port, '127.0.0.1');
  vitals.started();
  const closeServer = async (): Promise<void> => {
    // First, and limited in time: app.close() alone waits for connections that never sent a request.
    await gracefulClose(app.getHttpServer() as Server);
    await app.close();
  };
  return { url: await app.getUrl(), close: () => vitals.shutDown(closeServer) };
}

await runDirectly(import.meta.url, start);
