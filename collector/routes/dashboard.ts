import type { FastifyInstance } from 'fastify';
import { asset, contentSecurityPolicy } from '../dashboard/assets';
import { dashboardDocument } from '../dashboard/document';

const mediaTypes = {
  'dashboard.js': 'text/javascript; charset=utf-8',
  'dashboard.css': 'text/css; charset=utf-8',
};

/**
 * Serves the dashboard and its files.
 * @param knowsTruth whether the collector can tell what happened, as in a demo.
 */
export function serveDashboard(app: FastifyInstance, knowsTruth: boolean): void {
  const document = dashboardDocument(knowsTruth);
  app.get('/', { config: { linkable: true }, schema: { hide: true } }, (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', contentSecurityPolicy)
      .send(document),
  );
  for (const [name, type] of Object.entries(mediaTypes))
    // Public: the login form needs the style, which contains no one's data.
    app.get(
      `/assets/${name}`,
      { config: { public: true }, schema: { hide: true } },
      async (_request, reply) => reply.type(type).send(await asset(name)),
    );
}
