import 'reflect-metadata';
import type { Server } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { limited } from '../shop/limited.js';
import { runDirectly, type Running } from '../shop/running.js';
import type { Vitals } from '../shop/vitals.js';
import { ShopModule, VITALS } from './shop.module.js';

/** Starts the service with health and events. */
export async function start(port = 0): Promise<Running> {
  const app = await NestFactory.create(ShopModule, { logger: ['error'] });
  app.enableShutdownHooks();
  limited(app.getHttpServer() as Server);
  await app.listen(port, '127.0.0.1');
  app.get<Vitals>(VITALS).started();
  return { url: await app.getUrl(), close: () => app.close() };
}

await runDirectly(import.meta.url, start);
