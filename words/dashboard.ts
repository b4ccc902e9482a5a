import type { dashboard } from './english/dashboard';

export type DashboardMessage = keyof typeof dashboard;

/** The dashboard's texts in one language. */
export type DashboardMessages = Readonly<Record<DashboardMessage, string>>;
