import type { dashboard } from './english/dashboard';

export type DashboardMessage = keyof typeof dashboard;

/** What the dashboard says in one language. */
export type DashboardMessages = Readonly<Record<DashboardMessage, string>>;
