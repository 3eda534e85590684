import 'reflect-metadata';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Controller, Get, Inject, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Health } from 'kube-vitals';
import { HEALTH, KubeVitalsModule } from 'kube-vitals/nest';
import { check, events, health, onReport, store } from '../service.js';

@Controller()
class OwnController {
  readonly #health: Health;

  constructor(@Inject(HEALTH) injected: Health) {
    this.#health = injected;
  }

  @Get('own')
  own(): string {
    return this.#health === health ? 'route' : 'another health object';
  }
}

@Module({
  controllers: [OwnController],
  imports: [KubeVitalsModule.forRoot({ health, events, store, shutdown: { onReport } })],
})
class AppModule {}

const adapter = process.argv[2] === 'fastify' ? new FastifyAdapter() : new ExpressAdapter();
const app = await NestFactory.create(AppModule, adapter, { logger: ['error'] });
await app.listen(0, '127.0.0.1');
await check(((app.getHttpServer() as Server).address() as AddressInfo).port, () => app.close());
