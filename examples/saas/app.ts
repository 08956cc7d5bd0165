import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { Knex } from 'knex';
import { BillingError, ErrorCode } from '../../adapters/node/billwright.ts';
import { type AppBilling, type BillingSettings, openBilling } from './billing.ts';
import { newSetupIntent, useNewCard } from './card.ts';
import { changeOf, perform, planOf, previewOf, seatsOf } from './change.ts';
import { customerOfSession, endSession, InputError, logIn, signUp, startSession } from './customers.ts';
import { type BillingEvent, type Customer, openDatabase } from './database.ts';
import type { Html } from './html.ts';
import { overviewOf } from './overview.ts';
import { accountPage, cardPage, messagePage, previewPage, welcomePage } from './pages.ts';

export interface AppSettings extends BillingSettings {
  /** Stripe's key for the browser; null with the sandbox. */
  readonly publishableKey: string | null;
}

/** Opens the database and the billing engine. `server` handles the requests. */
export async function openApp({ publishableKey, ...settings }: AppSettings) {
  const db = await openDatabase(settings.place);
  const opened = await openBilling(db, settings);
  const close = async () => {
    await opened.billing.close();
    await db.destroy();
  };
  return { ...opened, db, server: serverOf({ ...opened, db, publishableKey }), close };
}

interface Parts extends AppBilling {
  readonly db: Knex;
  readonly publishableKey: string | null;
}

type Handler = (customer: Customer, request: Request, response: Response) => Promise<void>;

function serverOf(parts: Parts): Express {
  const { acme, db, publishableKey, gateway } = parts;
  const server = express();
  server.use(secured, express.static(fileURLToPath(new URL('public', import.meta.url))));
  // Stripe signs the bytes of its events, so this route comes before the parser of forms.
  server.post('/stripe', express.raw({ type: () => true }), async ({ body, headers }, response) => {
    const rawBody = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    const notification = { pluginName: gateway.name, rawBody, headers, query: '' };
    response.sendStatus((await acme.paymentGateways.processSignedNotification(notification)).status);
  });
  server.use(fromOwnPages, express.urlencoded({ extended: false }));

  const signedIn = (handle: Handler) => async (request: Request, response: Response) => {
    const customer = await customerOfSession(db, tokenOf(request));
    if (customer === undefined) response.redirect(303, '/');
    else await handle(customer, request, response);
  };
  const action = (perform: Handler) =>
    signedIn(async (customer, request, response) => {
      await perform(customer, request, response);
      response.redirect(303, '/');
    });

  server.get('/', async (request, response) => {
    const customer = await customerOfSession(db, tokenOf(request));
    show(
      response,
      customer === undefined ? welcomePage() : accountPage(await overviewOf(db, acme, customer)),
    );
  });
  server.post('/sign-up', async ({ body }, response) => {
    const order = { planName: planOf(body.plan), quantity: seatsOf(body.seats) };
    const company = required(body.company, 'the name of your company');
    const coupons = body.coupon ? [required(body.coupon, 'a coupon code')] : [];
    const input = { ...credentialsOf(body), company, ...order, coupons };
    await beginSession(db, await signUp(db, acme, input), response);
  });
  server.post('/log-in', async ({ body }, response) => {
    await beginSession(db, await logIn(db, credentialsOf(body)), response);
  });
  const logOut: Handler = (_customer, request) => endSession(db, tokenOf(request));
  server.post('/log-out', action(logOut));

  const preview: Handler = async ({ subscription_id }, { query }, response) => {
    const change = changeOf(query);
    show(response, previewPage(change, await previewOf(acme, subscription_id, change)));
  };
  server.get('/change', signedIn(preview));
  server.post(
    '/change',
    action(({ subscription_id }, { body }) => perform(acme, subscription_id, changeOf(body))),
  );
  server.post(
    '/keep',
    action(({ subscription_id }) => acme.subscriptions.uncancel(subscription_id)),
  );

  const sendMessages: Handler = async ({ account_id: accountId }) => {
    const key = randomUUID(); // the id of the mailing: consuming it again does not count twice
    const mailing = { accountId, feature: 'messages', amount: '100', key } as const;
    const { allowed, remaining } = await acme.features.consume(mailing);
    if (!allowed) throw new InputError(`Your plan includes only ${remaining} more messages.`);
  };
  server.post('/messages', action(sendMessages));

  const exportEvents: Handler = async ({ account_id }, _request, response) => {
    if (!(await acme.features.can(account_id, 'export')))
      throw new InputError('The export of events is part of the Business plan.');
    const events = await db<BillingEvent>('billing_events').where({ account_id }).orderBy('received_at');
    response.type('csv').send(events.map(({ type, received_at }) => `${received_at},${type}\n`).join(''));
  };
  server.get('/events.csv', signedIn(exportEvents));

  const cardForm: Handler = async (customer, _request, response) => {
    const clientSecret = publishableKey && (await newSetupIntent(acme, customer, gateway));
    show(response, cardPage(publishableKey, clientSecret));
  };
  server.get('/card', signedIn(cardForm));
  server.post(
    '/card',
    action((customer) => useNewCard(acme, customer, gateway)),
  );

  const invoiceFile: Handler = async ({ account_id: accountId }, { params }, response) => {
    const invoices = await acme.invoices.ofAccount({ accountId });
    const invoice = invoices.find(({ id }) => id === params.id); // never another customer's
    if (invoice === undefined) response.sendStatus(404);
    else if (params.format === 'pdf') response.type('pdf').end(await acme.invoices.pdf(invoice.id));
    else response.type('html').send(await acme.invoices.html(invoice.id));
  };
  server.get('/invoices/:id.:format', signedIn(invoiceFile));
  server.use(failed);
  return server;
}

async function beginSession(db: Knex, customer: Customer, response: Response) {
  const token = await startSession(db, customer);
  const secure = process.env.NODE_ENV === 'production';
  response.cookie('session', token, { httpOnly: true, sameSite: 'lax', secure }).redirect(303, '/');
}

function tokenOf({ headers: { cookie = '' } }: Request): string {
  return /(?:^|; )session=([\w-]+)/.exec(cookie)?.[1] ?? '';
}

function credentialsOf({ email, password }: Readonly<Record<string, unknown>>) {
  return {
    email: required(email, 'your e-mail address').toLowerCase(),
    password: required(password, 'a password'),
  };
}

function required(value: unknown, name: string): string {
  if (typeof value === 'string' && value.trim() !== '') return value.trim();
  throw new InputError(`Enter ${name}.`);
}

function show(response: Response, page: Html): void {
  response.type('html').send(page.text);
}

const POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "script-src 'self' https://js.stripe.com",
  'frame-src https://js.stripe.com https://hooks.stripe.com',
  'connect-src https://api.stripe.com',
  "frame-ancestors 'none'",
].join('; ');

function secured(_request: Request, response: Response, next: NextFunction): void {
  response.set({
    'Content-Security-Policy': POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  });
  next();
}

/** Rejects forms that other sites send; browsers report where a request comes from. */
function fromOwnPages(request: Request, response: Response, next: NextFunction): void {
  const site = request.get('sec-fetch-site') ?? 'same-origin';
  if (request.method === 'GET' || site === 'same-origin') next();
  else response.sendStatus(403);
}

// Express recognizes error handlers by their four parameters.
function failed(error: unknown, _request: Request, response: Response, _next: NextFunction): void {
  const isCoupon = error instanceof BillingError && error.className === 'CouponError';
  if (error instanceof InputError || isCoupon) {
    show(response.status(400), messagePage(error.message));
    return;
  }
  const isUnsigned = error instanceof BillingError && error.code === ErrorCode.UNAUTHENTICATED;
  if (!isUnsigned) console.error(error);
  show(response.status(isUnsigned ? 401 : 500), messagePage('Something went wrong. Nothing was changed.'));
}
