// Health is served by every isolate, and events by one Durable Object, whose timers outlive a request.
import { events, health, serveEvents, serveHealth } from './service.js';

export class Events {
  async fetch(request) {
    if (new URL(request.url).pathname === '/shutdown') {
      await events.close();
      return new Response('closed');
    }
    return (await serveEvents(request)) ?? new Response('no such path', { status: 404 });
  }
}

export default {
  async fetch(request, env) {
    // Workers are not told of their end. This stands for it.
    if (new URL(request.url).pathname === '/shutdown') health.startShutdown();
    return (await serveHealth(request)) ?? env.EVENTS.get(env.EVENTS.idFromName('events')).fetch(request);
  },
};
