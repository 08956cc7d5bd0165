import type { ComponentType } from 'preact';

interface PageRoute {
  /** Path within the tenant. The segment `:id` is the id of an object. */
  readonly path: string;
  /** Loads the page on first use. The page gets the id in its path, or an empty string for a path without an id. */
  readonly load: () => Promise<ComponentType<{ readonly id: string }>>;
}

/** The pages of a tenant. The browser loads their files on first use. */
export const routes: readonly PageRoute[] = [
  { path: '/', load: async () => (await import('./pages/home.tsx')).Home },
  { path: '/search', load: async () => (await import('./pages/search.tsx')).Search },
  { path: '/accounts', load: async () => (await import('./pages/accounts/accounts.tsx')).Accounts },
  { path: '/accounts/:id', load: async () => (await import('./pages/accounts/account.tsx')).AccountPage },
  {
    path: '/subscriptions/:id',
    load: async () => (await import('./pages/subscriptions/subscription.tsx')).SubscriptionPage,
  },
  { path: '/invoices', load: async () => (await import('./pages/lists.tsx')).Invoices },
  { path: '/invoices/:id', load: async () => (await import('./pages/invoices/invoice.tsx')).InvoicePage },
  { path: '/payments', load: async () => (await import('./pages/lists.tsx')).Payments },
  { path: '/payments/:id', load: async () => (await import('./pages/payments/payment.tsx')).PaymentPage },
  { path: '/catalog', load: async () => (await import('./pages/catalog/catalog.tsx')).CatalogPage },
  { path: '/overdue', load: async () => (await import('./pages/overdue.tsx')).Overdue },
  { path: '/operations', load: async () => (await import('./pages/operations/operations.tsx')).Operations },
  { path: '/tenant', load: async () => (await import('./pages/tenant/tenant.tsx')).Tenant },
  { path: '/users', load: async () => (await import('./pages/users.tsx')).Users },
];
