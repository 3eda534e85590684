import { createServer, type Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import type { ApiHandler } from 'kube-vitals';
import { toFastifyPlugin } from 'kube-vitals/fastify';
import { toHonoMiddleware } from 'kube-vitals/hono';
import { toNodeListener } from 'kube-vitals/node';
import type { VitalsServerOptions } from '../protocol.js';

/** Makes a server that mounts the handler as a service would. */
export async function mountOn(mount: VitalsServerOptions['mount'], handle: ApiHandler): Promise<Server> {
  switch (mount) {
    case 'node':
      return createServer(toNodeListener(handle));
    case 'express':
      return createServer(express().use(toNodeListener(handle)) as (...args: unknown[]) => void);
    case 'hono': {
      const app = new Hono().use(toHonoMiddleware(handle));
      return createAdaptorServer(app) as Server;
    }
    case 'fastify': {
      const app = fastify();
      await app.register(toFastifyPlugin(handle));
      await app.ready();
      return app.server;
    }
  }
}
