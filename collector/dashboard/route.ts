import type { FastifyInstance } from 'fastify';
import { asset, contentSecurityPolicy } from './assets';
import { dashboardDocument } from './document';
import { wantedLanguage } from './languages';

const mediaTypes = {
  'dashboard.js': 'text/javascript; charset=utf-8',
  'dashboard.css': 'text/css; charset=utf-8',
};

/**
 * Serves the dashboard and its files.
 * @param knowsTruth whether the collector knows what happened, as in a demo.
 * @param onVisit is called when someone opens it, who will soon ask for estimates.
 */
export function serveDashboard(app: FastifyInstance, knowsTruth: boolean, onVisit: () => void): void {
  app.get('/', { config: { linkable: true }, schema: { hide: true } }, ({ headers }, reply) => {
    onVisit();
    return reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', contentSecurityPolicy)
      .send(dashboardDocument(wantedLanguage(headers['accept-language']), knowsTruth));
  });
  for (const [name, type] of Object.entries(mediaTypes))
    // Public: the login form needs the style, which contains nobody's data.
    app.get(
      `/assets/${name}`,
      { config: { public: true }, schema: { hide: true } },
      async (_request, reply) => reply.type(type).send(await asset(name)),
    );
}
